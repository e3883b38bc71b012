package slice_test

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/rewrite/pcapng"
	"pulsar-dissect/rewrite/slice"
	"pulsar-dissect/session"
)

func captureOf(t *testing.T, name string) string {
	return filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")
}

func open(t *testing.T, path string) *capture.Source {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	return source
}

// events runs the stages over a file.
func events(t *testing.T, path string) iter.Seq2[*session.Event, error] {
	t.Helper()
	source := open(t, path)
	opener, err := decrypt.New(decrypt.Options{Secrets: source.Secrets})
	if err != nil {
		t.Fatal(err)
	}
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	return session.New(session.Options{}).Events(decode.New(decode.Limits{}, nil).Events(opener.Events(a.Events(source.Packets()))))
}

// diagnosed gives what rules find.
func diagnosed(t *testing.T, path string, see func(*session.Event)) []*diagnose.Finding {
	t.Helper()
	rules := diagnose.New(diagnose.Options{})
	for e, err := range events(t, path) {
		if err != nil {
			t.Fatal(err)
		}
		see(e)
		rules.Add(e)
	}
	return rules.Finish()
}

// cut writes the slice of what a picker wants, and gives its path.
func cut(t *testing.T, p *slice.Picker, from string) (path string, n slice.Counts) {
	t.Helper()
	if p.Marked() {
		for e, err := range events(t, from) {
			if err != nil {
				t.Fatal(err)
			}
			p.See(e)
		}
	}
	var out bytes.Buffer
	source := open(t, from)
	n, err := p.Copy(source.Packets(), source.Files(), segment.Limits{}, pcapng.New(&out, "test"))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "slice.pcapng")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, n
}

// frame tells frames apart across captures whose packets have other numbers.
type frame struct {
	kind, conn string
	dir        decode.Direction
	time       int64
}

func framesOf(t *testing.T, path string) (all []frame) {
	t.Helper()
	for e, err := range events(t, path) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.FrameSeen {
			all = append(all, frame{e.Frame.TypeName(), e.Conn.Name, e.Direction, e.At.Time})
		}
	}
	return all
}

// In the slice of a finding all frames of its evidence can be read.
func TestFindings(t *testing.T) {
	for _, name := range []string{"py-nack", "go-errors", "producer-errors", "ack", "proxy-errors", "cap-gap3"} {
		from := captureOf(t, name)
		all := framesOf(t, from)
		for _, f := range diagnosed(t, from, func(*session.Event) {}) {
			p := slice.NewPicker()
			for e, err := range events(t, from) {
				if err != nil {
					t.Fatal(err)
				}
				p.See(e)
			}
			p.Finding(f)
			path, n := cut(t, p, from)
			if n.Packets == 0 || n.Packets > n.Of {
				t.Errorf("%s, %s: %d of %d packets", name, f.Rule.Name, n.Packets, n.Of)
			}
			have := framesOf(t, path)
			for _, v := range f.Evidence {
				dir := decode.ClientToServer
				if v.Dir == "s2c" {
					dir = decode.ServerToClient
				}
				if x := (frame{v.Type, v.Conn, dir, v.Time}); slices.Contains(all, x) && !slices.Contains(have, x) {
					t.Errorf("%s, %s: no %s of packet %d in the slice", name, f.Rule.Name, v.Type, v.Packet)
				}
			}
		}
	}
}

// The slice of a connection is all of it.
func TestConnection(t *testing.T) {
	from := captureOf(t, "producer-errors")
	p := slice.NewPicker()
	var want []frame
	for e, err := range events(t, from) {
		if err != nil {
			t.Fatal(err)
		}
		p.See(e)
		if e.Conn.ID == 1 {
			p.Want(e)
			if e.Kind == session.FrameSeen {
				want = append(want, frame{e.Frame.TypeName(), e.Conn.Name, e.Direction, e.At.Time})
			}
		}
	}
	path, n := cut(t, p, from)
	if got := framesOf(t, path); n.Connections != 1 || len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d connections, %d frames, want %d", n.Connections, len(got), len(want))
	}
}

// An entry is found in its SEND, its delivery and its acknowledgement.
func TestMessage(t *testing.T) {
	from := captureOf(t, "py-nack")
	p := slice.NewPicker()
	for e, err := range events(t, from) {
		if err != nil {
			t.Fatal(err)
		}
		p.See(e)
		if slice.About(e, 283, 2) {
			p.Want(e)
		}
	}
	path, n := cut(t, p, from)
	kinds := map[string]int{}
	for e, err := range events(t, path) {
		if err != nil {
			t.Fatal(err)
		}
		if slice.About(e, 283, 2) && e.Kind == session.FrameSeen {
			kinds[e.Frame.TypeName()]++
		}
		if e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Send && slice.About(e, 283, 2) && e.Exchange.HasRequest {
			kinds["SEND"]++
		}
	}
	if kinds["SEND"] != 1 || kinds["SEND_RECEIPT"] != 1 || kinds["MESSAGE"] == 0 || kinds["ACK"] == 0 || n.Packets >= n.Of {
		t.Errorf("%v, %d of %d packets", kinds, n.Packets, n.Of)
	}
}

// IP fragments come with the packet that they make.
func TestFragments(t *testing.T) {
	from := filepath.Join(testkit.Shared(t), "captures", "link-frag-ooo.pcap")
	p := slice.NewPicker()
	for e, err := range events(t, from) {
		if err != nil {
			t.Fatal(err)
		}
		p.See(e)
		if e.Kind == session.ConnectionEnd {
			p.Want(e)
		}
	}
	path, _ := cut(t, p, from)
	if got, want := framesOf(t, path), framesOf(t, from); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d frames, want %d", len(got), len(want))
	}
}
