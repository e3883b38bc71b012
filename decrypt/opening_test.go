package decrypt

import (
	"bytes"
	"iter"
	"slices"
	"testing"

	"pulsar-dissect/reassembly"
)

// Connections that are not TLS come out as they went in.
func TestPlainPassesThrough(t *testing.T) {
	for _, x := range []struct {
		name   string
		chunks []chunk
	}{
		{"pulsar", []chunk{{side: 0, data: []byte("\x00\x00\x00\x06\x00\x00\x00\x02\x08\x12")}, {side: 1, data: []byte("\x00\x00\x00\x06")}}},
		{"two bytes of TLS, then others", []chunk{{side: 0, data: []byte{0x16}}, {side: 0, data: []byte{3}}, {side: 0, data: []byte{9, 9}}}},
		{"two bytes of TLS, then none", []chunk{{side: 0, data: []byte{0x16, 3}}}},
		{"one byte of TLS each way, then others", []chunk{{side: 0, data: []byte{0x16}}, {side: 1, data: []byte{0x16}}, {side: 1, data: []byte("x")}}},
		{"one byte of TLS, then a gap", []chunk{{side: 0, data: []byte{0x16}}, {side: 0, gap: 1}, {side: 0, data: []byte{9}}}},
		{"PROXY, then Pulsar", []chunk{{side: 0, data: []byte("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n\x00\x00\x00\x06")}, {side: 0, data: []byte("rest")}}},
		{"PROXY that does not end", []chunk{{side: 0, data: []byte("PROXY TCP4 1.2.3.4")}, {side: 0, data: []byte(" 5.6.7.8 1 2\r\n")}}},
		{"nothing", nil},
	} {
		p := play(t, newDecrypter(t, Options{}), x.chunks)[0]
		var want [2][]byte
		for _, c := range x.chunks {
			want[c.side] = append(append(want[c.side], c.data...), make([]byte, c.gap)...)
		}
		if !bytes.Equal(p.plain[0], want[0]) || !bytes.Equal(p.plain[1], want[1]) || p.facts != nil || p.sealed != [2]int64{} {
			t.Errorf("%s: %q, expected %q; facts %v", x.name, p.plain, want, p.facts)
		}
	}
}

// A plain connection costs nothing: the events are the same ones.
func TestPlainIsFree(t *testing.T) {
	d := newDecrypter(t, Options{})
	c := &reassembly.Conn{PlainStart: [2]bool{true, true}}
	opened := &reassembly.Event{Kind: reassembly.Opened, Conn: c}
	data := &reassembly.Event{Kind: reassembly.Data, Conn: c, Data: []byte("\x00\x00\x00\x06\x00\x00\x00\x02\x08\x12")}
	all := []*reassembly.Event{opened, data, data, data}
	in := func(yield func(*reassembly.Event, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
	many := func(yield func(*reassembly.Event, error) bool) {
		for range 1000 {
			in(yield)
		}
	}
	var got []*reassembly.Event
	for e := range d.Events(in) {
		got = append(got, e)
	}
	if !slices.Equal(got, all) || c.Encryption != nil {
		t.Errorf("%v, encryption %v", got, c.Encryption)
	}
	events := d.Events(many)
	if n := testing.AllocsPerRun(100, func() {
		for _, err := range events {
			if err != nil {
				t.Error(err)
			}
		}
	}); n > 5 {
		t.Errorf("%v allocations", n)
	}
}

// Behind a PROXY preface TLS begins as at the start; the preface stays and
// counts.
func TestProxyPreface(t *testing.T) {
	v2 := "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x01\x02\x03\x04\x05\x06\x07\x08\x00\x01\x00\x02"
	for _, preface := range []string{"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", v2} {
		r := readRecording(t, "tls13-ccm")
		first := chunk{side: 0, data: append([]byte(preface), r.conns[0][0].data...)}
		for _, chunks := range [][]chunk{
			append([]chunk{first}, r.conns[0][1:]...),
			append([]chunk{{side: 0, data: []byte(preface)}}, r.conns[0]...),
			append([]chunk{{side: 0, data: []byte(preface)}}, recut(r.conns[0], 1)...),
		} {
			p := play(t, newDecrypter(t, Options{}, r.keys...), chunks)[0]
			checkPlain(t, p, preface+fromClient, fromServer)
		}
	}
}

// middle gives the events of a connection whose start was not captured.
func middle(chunks []chunk) iter.Seq2[*reassembly.Event, error] {
	return func(yield func(*reassembly.Event, error) bool) {
		for e, err := range connections([][]chunk{chunks}) {
			if e.Kind == reassembly.Opened {
				e.Conn.PlainStart = [2]bool{}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func playMiddle(t *testing.T, d *Decrypter, chunks []chunk) *played {
	t.Helper()
	p := &played{}
	for e := range d.Events(middle(chunks)) {
		p.take(t, e)
	}
	return p
}

// Without its SYN a connection is opened where its hello was captured.
func TestHelloWithoutSYN(t *testing.T) {
	for _, name := range []string{"tls13-ccm", "tls12-dhe"} {
		r := readRecording(t, name)
		p := playMiddle(t, newDecrypter(t, Options{}, r.keys...), r.conns[0])
		checkPlain(t, p, fromClient, fromServer)
		if p.sealed != [2]int64{} {
			t.Errorf("%s: sealed %v %q", name, p.sealed, p.why)
		}
	}
}

// In the middle of a connection records are told by their headers, and nothing
// can be opened.
func TestMiddle(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	late := r.conns[0][3:]
	for _, x := range []struct {
		name   string
		chunks []chunk
		why    string
	}{
		{"at a record", late, reasonNoHandshake},
		{"inside a record", append([]chunk{{side: late[0].side, data: slices.Concat([]byte("inside a record"), late[0].data, late[0].data, late[0].data)}}, late[1:]...), reasonNoHandshake},
	} {
		p := playMiddle(t, newDecrypter(t, Options{}, r.keys...), x.chunks)
		checkPlain(t, p, "", "")
		if p.facts == nil || p.facts.Why != x.why || p.sealed[0] == 0 || p.sealed[1] == 0 {
			t.Errorf("%s: facts %+v, sealed %v %q", x.name, p.facts, p.sealed, p.why)
		}
	}
}

// In the middle of a plain connection nothing is taken for TLS.
func TestMiddleOfPlain(t *testing.T) {
	chunks := []chunk{{side: 0, data: bytes.Repeat([]byte("a payload \x17\x03\x03"), 100)}, {side: 1, data: []byte("\x00\x00\x00\x06\x00\x00")}, {side: 0, data: []byte("\x17\x03\x03\x00\x00")}}
	p := playMiddle(t, newDecrypter(t, Options{}), chunks)
	if p.facts != nil || !bytes.Equal(p.plain[0], slices.Concat(chunks[0].data, chunks[2].data)) {
		t.Errorf("facts %+v, %q", p.facts, p.plain)
	}
}

// A server that answers TLS in clear text.
func TestAnswerInClear(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	p := play(t, newDecrypter(t, Options{}), []chunk{r.conns[0][0], {side: 1, data: []byte("HTTP/1.1 400 Bad Request\r\n\r\n")}})[0]
	checkPlain(t, p, "", "")
	if p.facts.Why != reasonNoTLS || p.sealed[1] != 28 {
		t.Errorf("facts %+v, sealed %v", p.facts, p.sealed)
	}
}

// What waits for a secret is bounded, of a direction and in all.
func TestWaitingLimit(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	record := append([]byte{contentApplication, 3, 3, 1, 0}, make([]byte, 256)...)
	chunks := slices.Clone(r.conns[0][:2])
	for range 100 {
		chunks = append(chunks, chunk{side: 0, data: record})
	}
	for _, l := range []Limits{{Waiting: 5000}, {WaitingInAll: 5000}} {
		d := newDecrypter(t, Options{Limits: l, Secrets: func() [][]byte { return nil }})
		p := play(t, d, chunks)[0]
		if p.sealed[0] != 100*261 || p.facts.Why != reasonNoSecret || d.Counters().WaitingLimit != 1 || d.held != 0 {
			t.Errorf("%+v: sealed %v, %q, limit hit %d times, %d bytes left", l, p.sealed, p.facts.Why, d.Counters().WaitingLimit, d.held)
		}
	}
}

// Handshake messages that are too long are passed over, whatever follows is
// read.
func TestLongHandshakeMessage(t *testing.T) {
	r := readRecording(t, "tls12-dhe")
	d := newDecrypter(t, Options{Limits: Limits{HandshakeMessage: 300}}, r.keys...)
	p := play(t, d, r.conns[0])[0]
	checkPlain(t, p, fromClient, fromServer)
	if p.facts.Certificate != nil || d.Counters().LongHandshakes == 0 {
		t.Errorf("certificate %+v, %d long messages", p.facts.Certificate, d.Counters().LongHandshakes)
	}
}

// The reader may go at any event.
func TestReaderGoes(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	for stop := range 12 {
		n := 0
		for range newDecrypter(t, Options{}, r.keys...).Events(connections(r.conns)) {
			if n++; n > stop {
				break
			}
		}
	}
}
