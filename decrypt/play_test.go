package decrypt

import (
	"bytes"
	"encoding/hex"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
)

// chunk is what one side of a connection sent at once; data nil: a gap of that
// many bytes.
type chunk struct {
	side reassembly.Side
	data []byte
	gap  int
}

// played is what came out of one connection.
type played struct {
	plain  [2][]byte // gaps are zero bytes
	parts  [2][][]byte
	loose  [2]bool // with a gap of unknown size
	gaps   [2]int64
	sealed [2]int64
	why    [2][]string
	facts  *Facts
}

// play runs connections, one after another, whose streams are known from their
// start.
func play(t testing.TB, d *Decrypter, conns ...[]chunk) []*played {
	t.Helper()
	out := make([]*played, len(conns))
	for e := range d.Events(connections(conns)) {
		p := out[e.Conn.ID]
		if p == nil {
			p = &played{}
			out[e.Conn.ID] = p
		}
		p.take(t, e)
	}
	return out
}

func (p *played) take(t testing.TB, e *reassembly.Event) {
	t.Helper()
	switch e.Kind {
	case reassembly.Data:
		p.expect(t, e)
		p.plain[e.Side] = append(p.plain[e.Side], e.Data...)
		p.parts[e.Side] = append(p.parts[e.Side], bytes.Clone(e.Data))
	case reassembly.Gap:
		p.expect(t, e)
		p.gaps[e.Side] += e.Bytes
		p.loose[e.Side] = p.loose[e.Side] || e.Bytes == 0
		p.plain[e.Side] = append(p.plain[e.Side], make([]byte, e.Bytes)...)
	case reassembly.Sealed:
		p.sealed[e.Side] += e.Bytes
		if w := p.why[e.Side]; len(w) == 0 || w[len(w)-1] != e.Reason {
			p.why[e.Side] = append(w, e.Reason)
		}
	case reassembly.Ended:
		p.facts = FactsOf(e.Conn)
	}
}

// expect checks that plain text comes without holes.
func (p *played) expect(t testing.TB, e *reassembly.Event) {
	t.Helper()
	if e.Offset != int64(len(p.plain[e.Side])) {
		t.Fatalf("side %d: event at %d, expected at %d", e.Side, e.Offset, len(p.plain[e.Side]))
	}
	if e.At.Order == 0 {
		t.Fatalf("side %d: event without a packet", e.Side)
	}
}

// connections gives the events of reassembly. Its buffer is overwritten with
// each, as its owner may.
func connections(conns [][]chunk) iter.Seq2[*reassembly.Event, error] {
	return func(yield func(*reassembly.Event, error) bool) {
		var order uint64
		for id, chunks := range conns {
			c := &reassembly.Conn{ID: id, SYNFrom: 0, PlainStart: [2]bool{true, true}}
			if !yield(&reassembly.Event{Kind: reassembly.Opened, Conn: c}, nil) {
				return
			}
			var at [2]int64
			for _, k := range chunks {
				order++
				e := reassembly.Event{Kind: reassembly.Data, Conn: c, Side: k.side, Offset: at[k.side],
					At: reassembly.Position{Packet: order, Order: order, Time: int64(order)}}
				if e.Data = bytes.Clone(k.data); k.data == nil {
					e.Kind, e.Bytes = reassembly.Gap, int64(k.gap)
				}
				at[k.side] += int64(len(k.data) + k.gap)
				if !yield(&e, nil) {
					return
				}
				for i := range e.Data {
					e.Data[i] = 0xEE
				}
			}
			if !yield(&reassembly.Event{Kind: reassembly.Ended, Conn: c}, nil) {
				return
			}
		}
	}
}

// recut cuts what each side sent into pieces of at most that many bytes.
func recut(chunks []chunk, size int) (out []chunk) {
	for _, c := range chunks {
		for b := c.data; len(b) > 0; b = b[min(size, len(b)):] {
			out = append(out, chunk{side: c.side, data: b[:min(size, len(b))]})
		}
	}
	return out
}

// newDecrypter makes one that knows these key logs.
func newDecrypter(t testing.TB, o Options, keyLog ...string) *Decrypter {
	t.Helper()
	if len(keyLog) > 0 {
		o.Secrets = func() [][]byte { return [][]byte{[]byte(strings.Join(keyLog, "\n"))} }
	}
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// recording is a file of testdata/tls.
type recording struct {
	keys  []string
	conns [][]chunk
}

func readRecording(t testing.TB, name string) (r recording) {
	t.Helper()
	for line := range strings.Lines(string(testkit.Testdata(t, "tls", name+".txt"))) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "key":
			r.keys = append(r.keys, rest)
		case "connection":
			r.conns = append(r.conns, nil)
		default:
			b, err := hex.DecodeString(rest)
			if err != nil || len(r.conns) == 0 {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			last := len(r.conns) - 1
			r.conns[last] = append(r.conns[last], chunk{side: reassembly.Side(strings.Index("cs", word)), data: b})
		}
	}
	return r
}

func serverKeyPath(t testing.TB) string {
	return filepath.Join(testkit.Root(t), "testdata", "tls", "rsa.key.pem")
}

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
