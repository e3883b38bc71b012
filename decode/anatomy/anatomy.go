package anatomy

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/endtoend"
	"pulsar-dissect/decode/wire"
)

// MaxParts bounds the parts of one anatomy; an entry can hold a million
// messages.
const MaxParts = 50_000

// Options say how values are shown and what is known around the bytes.
type Options struct {
	ShowSecrets bool
	MaxText     int               // bytes of a value shown as text, 0: all
	MaxPayload  int               // bytes of a payload shown, 0: none
	Keys        *endtoend.Keys    // open payloads that clients encrypted; nil: none
	Names       map[string]string // what the numbers in fields of these names stand for
}

// Anatomy is what bytes consist of.
type Anatomy struct {
	Buffers []Buffer // the first one is that of the bytes themselves
	Parts   []Part
	Faults  []string // of the whole
}

// Buffer are bytes that parts lie in.
type Buffer struct {
	Name  string
	Bytes []byte
}

// Part is a stretch of bytes with what it means.
type Part struct {
	Name       string
	Number     int32  // field number, 0 where it is no field
	WireType   string // of the field
	Buffer     int    // index into Anatomy.Buffers
	Start, End int    // in the buffer
	ValueStart int    // first byte behind tag and length
	Value      string // for people; empty where the parts within tell
	JSON       string // the same for scripts
	Meaning    string // what the value says
	Faults     []string
	Hidden     bool // the bytes of the value are not to be shown
	Body       bool // the value is a payload, or a part of one
	Parts      []Part
}

// builder makes one anatomy.
type builder struct {
	options  *Options
	wire     wire.Options
	anatomy  *Anatomy
	unpacker decode.Unpacker
	parts    int
}

func newBuilder(o *Options, name string, b []byte) *builder {
	return &builder{options: o, wire: wire.Options{ShowSecrets: o.ShowSecrets, MaxText: o.MaxText},
		unpacker: decode.Unpacker{NoSum: true, Keys: o.Keys}, anatomy: &Anatomy{Buffers: []Buffer{{name, b}}}}
}

// full says whether there are as many parts as there may be.
func (b *builder) full() bool { return b.parts >= MaxParts }

// buffer adds bytes that parts can lie in.
func (b *builder) buffer(name string, data []byte) int {
	b.anatomy.Buffers = append(b.anatomy.Buffers, Buffer{name, data})
	return len(b.anatomy.Buffers) - 1
}

// cursor stands in a buffer and makes parts, one behind the other.
type cursor struct {
	*builder
	buffer, at int
	into       *[]Part
}

// take adds a part of the next n bytes.
func (c *cursor) take(name string, n int) *Part {
	c.parts++
	*c.into = append(*c.into, Part{Name: name, Buffer: c.buffer, Start: c.at, ValueStart: c.at, End: c.at + n})
	c.at += n
	return &(*c.into)[len(*c.into)-1]
}

// bytes are those of a part.
func (b *builder) bytes(p *Part) []byte { return b.anatomy.Buffers[p.Buffer].Bytes[p.ValueStart:p.End] }
