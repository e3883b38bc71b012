package decode

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// FuzzFramer decodes any bytes of two directions, in any segments, with any
// gaps: what comes out lies in the streams, in order, and nothing twice.
func FuzzFramer(f *testing.F) {
	stream, _ := mixed()
	answers := slices.Concat(wiremake.Frame(connected(0)), message(1, metadata(0), []byte("body")).Frame(), wiremake.Frame(ping()))
	f.Add(stream[:600], answers, []byte{0x05, 200, 0x84, 100, 0x02, 30, 0x05, 255}, true)
	f.Add(stream, answers, []byte{}, false)
	f.Add([]byte("PROXY TCP4 192.0.2.1 192.0.2.2 5000 6650\r\n"), answers, []byte{1, 1, 2, 3}, true)
	f.Add(wiremake.Sized(8, 4294967295), wiremake.Sized(0xffffffff, 2, 8, 18), []byte{9, 9}, true)
	for _, frame := range must(everyFrame(3)) {
		f.Add(slices.Concat(wiremake.Frame(connect()), frame), answers, []byte{0x04, 11, 0x05, 50, 0x44, 3}, true)
	}
	f.Fuzz(func(t *testing.T, fromClient, fromServer, script []byte, start bool) {
		if len(fromClient)+len(fromServer) > 1<<14 || len(script) > 1<<10 {
			return
		}
		tape := wiremake.NewTape()
		c := tape.Midway(40000)
		if start {
			c = tape.Talk(50000)
		}
		rest := [2][]byte{fromClient, fromServer}
		cut := func(side, n int) (b []byte) {
			n = min(n, len(rest[side]))
			b, rest[side] = rest[side][:n], rest[side][n:]
			return b
		}
		for i := 0; i+1 < len(script); i += 2 {
			side, n := int(script[i]&1), int(script[i+1])<<(script[i]>>1&3)
			if b := cut(side, n); script[i]&0xc0 == 0x40 {
				c.Lose(side, len(b))
			} else if len(b) > 0 {
				c.Send(side, b)
			}
		}
		for side := range rest {
			if len(rest[side]) > 0 {
				c.Send(side, rest[side])
			}
		}
		checkOrder(t, tape, [2]int64{int64(len(fromClient)), int64(len(fromServer))})
	})
}

func must[A, B, C any](a A, _ B, _ C) A { return a }

// checkOrder decodes a tape and checks that each direction is told in order.
func checkOrder(t *testing.T, tape *wiremake.Tape, sizes [2]int64) {
	t.Helper()
	var ends [2]int64
	d := New(Limits{}, nil)
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	for e, err := range d.Events(a.Events(wiremake.Overwriting(tape.Source()))) {
		if err != nil {
			t.Fatal(err)
		}
		from, to := e.Offset, e.Offset+e.Bytes
		switch e.Kind {
		case ConnectionEnd, ConflictSeen, BookieSeen:
			continue
		case FrameSeen:
			f := e.Frame
			if to = from + f.Size; f.Incomplete {
				to = from + f.Have
			}
			if f.Size < 10 || f.Last.Order < f.First.Order || f.First.Order == 0 || f.Incomplete && (f.Have >= f.Size || f.Checksum != NoChecksum) {
				t.Fatalf("frame %+v", f)
			}
		case ProxySeen:
			to = from + e.Proxy.Length
		}
		if from < ends[e.Direction] || to <= from {
			t.Fatalf("event %d from %d to %d, behind %d", e.Kind, from, to, ends[e.Direction])
		}
		ends[e.Direction] = to
	}
	for _, end := range ends {
		if end > max(sizes[0], sizes[1]) {
			t.Fatalf("ends %v of streams of %v", ends, sizes)
		}
	}
}

// FuzzEntry takes an entry apart whose metadata and payload may be anything.
func FuzzEntry(f *testing.F) {
	m := metadata(0)
	m.NumMessagesInBatch = ptr(int32(2))
	f.Add(wiremake.Bytes(m), wiremake.Batch(wiremake.Single{Body: []byte("one")}, wiremake.Single{}))
	f.Add(wiremake.Bytes(metadata(1)), []byte("hello"))
	for _, name := range []string{"go-rawCompatSingleMessage.bin", "go-rawBatchMessage10.bin"} {
		s, _ := CutSection(testkit.Testdata(f, "vectors", name))
		f.Add(s.Metadata, s.Payload)
	}
	for _, name := range []string{"go-batch-codecs", "rust-codecs"} {
		for _, s := range sectionsOf(f, name) {
			f.Add(s.Metadata, s.Payload)
		}
	}
	f.Fuzz(func(t *testing.T, meta, payload []byte) {
		if len(meta)+len(payload) > 1<<16 {
			return
		}
		section := append([]byte{byte(len(meta) >> 24), byte(len(meta) >> 16), byte(len(meta) >> 8), byte(len(meta))}, meta...)
		raw := wiremake.Raw(wiremake.Bytes(send(1, "").Command), append(section, payload...)...)
		var frame Frame
		frame.read(raw, 0, int64(len(raw)), positions{})
		var u Unpacker
		messages, whole, last := 0, 0, -1
		u.Frame(&frame, func(m *Message) {
			messages++
			if m.State != StateOK {
				whole++
			}
			if m.HasSum != (m.State == StateOK) || m.State.String() == "" || m.Batched && m.State == StateOK && m.Single == nil {
				t.Fatalf("%+v", m)
			}
			if m.Single != nil && m.Index <= last && frame.Metadata.Find(-1, 0) < 0 && len(compactedIndexes(&frame.Metadata)) == 0 {
				t.Fatalf("message %d after %d", m.Index, last)
			}
			last = m.Index
		})
		if whole > 1 || whole == 1 && messages > 1 {
			t.Fatalf("%d records, %d of them for the whole", messages, whole)
		}
	})
}

// sectionsOf are the first payload sections of a capture in testdata.
func sectionsOf(f *testing.F, name string) (sections []Section) {
	f.Helper()
	path := filepath.Join(testkit.Root(f), "testdata", "captures", name, name+".pcap")
	if _, err := os.Stat(path); err != nil {
		f.Fatal(err)
	}
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer src.Close()
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	for e := range New(Limits{}, nil).Events(a.Events(src.Packets())) {
		if e.Kind == FrameSeen && e.Frame.HasMetadata && len(e.Frame.Payload) < 4<<10 && len(sections) < 20 {
			sections = append(sections, Section{Metadata: slices.Clone(e.Frame.Metadata.Data), Payload: slices.Clone(e.Frame.Payload)})
		}
	}
	return sections
}
