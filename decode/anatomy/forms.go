package anatomy

import (
	"fmt"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/field"
)

// Form is what bytes can be.
type Form string

// The forms.
const (
	Frame     Form = "frame"      // whole frames, one or more
	Entry     Form = "entry"      // what bookies store: checksum, metadata and payload
	Batch     Form = "batch"      // the plain payload of an entry with several messages
	Command   Form = "command"    // a BaseCommand
	MessageID Form = "message-id" // a MessageIdData, as clients store positions
	Metadata  Form = "metadata"   // a MessageMetadata
)

// fitness says how well bytes fit a form.
type fitness uint8

const (
	unfit  fitness = iota
	partly         // the beginning fits, or something is missing
	fits
)

// form is a row of the table of forms.
type form struct {
	name Form
	what string // in words
	fit  func(data []byte) fitness
	read func(b *builder, data []byte)
}

// forms are tried in this order.
var forms = []form{
	{Frame, "a frame", fitFrames, (*builder).frames},
	{Entry, "an entry: checksum, metadata and payload", fitEntry, (*builder).storedEntry},
	{Batch, "the messages of a batch", fitBatch, (*builder).bareBatch},
	{Command, "a command (BaseCommand)", fitCommand, walking("command", wire.BaseCommand)},
	{MessageID, "a position (MessageIdData)", fitMessage(wire.MessageIDData), walking("message id", wire.MessageIDData)},
	{Metadata, "metadata (MessageMetadata)", fitMessage(wire.MessageMetadata), walking("metadata", wire.MessageMetadata)},
}

// Forms lists the names of all forms.
func Forms() (names []Form) {
	for i := range forms {
		names = append(names, forms[i].name)
	}
	return names
}

// Guess tells what bytes are. why says it in words, also what else they could
// be; ok is false where they fit no form.
func Guess(data []byte) (guess Form, why string, ok bool) {
	var best *form
	var others []string
	most := unfit
	for i := range forms {
		f := &forms[i]
		switch n := f.fit(data); {
		case n > most:
			best, most, others = f, n, nil
		case n == most && n != unfit:
			others = append(others, f.what)
		}
	}
	if best == nil {
		return "", "", false
	}
	why = "taken for " + best.what
	if most == partly {
		why += ", although not all of it fits"
	}
	if len(others) > 0 {
		why += "; it could as well be " + strings.Join(others, ", or ")
	}
	return best.name, why, true
}

// Of explains bytes as a form.
func Of(f Form, data []byte, o *Options) (*Anatomy, error) {
	for i := range forms {
		if forms[i].name == f {
			b := newBuilder(o, "bytes", data)
			forms[i].read(b, data)
			return b.anatomy, nil
		}
	}
	return nil, fmt.Errorf("there is no form %q", f)
}

// walking reads bytes as a message.
func walking(name string, t *wire.Table) func(*builder, []byte) {
	return func(b *builder, data []byte) {
		c := &cursor{b, 0, 0, &b.anatomy.Parts}
		p := c.take(name, len(data))
		p.Meaning = t.Name
		b.parsed(p, t)
	}
}

func fitMessage(t *wire.Table) func([]byte) fitness {
	return func(data []byte) fitness {
		var w wire.Walk
		switch err := w.Parse(t, data); {
		case len(w.Nodes) == 0, w.Found&wire.WrongWireType != 0:
			return unfit
		case err != nil && w.Nodes[0].Field == nil:
			return unfit
		case err != nil, w.Found&(wire.MissingRequired|wire.UnknownField|wire.UnknownEnum|wire.BadUTF8) != 0:
			return unfitIfStrange(&w)
		}
		return fits
	}
}

// unfitIfStrange takes bytes that do not fit a message in full for it, if more of
// their fields are known than not.
func unfitIfStrange(w *wire.Walk) fitness {
	known := 0
	for i := range w.Nodes {
		if w.Nodes[i].Field != nil {
			known++
		}
	}
	if 2*known > len(w.Nodes) && w.Found&wire.MissingRequired == 0 {
		return partly
	}
	return unfit
}

func fitCommand(data []byte) fitness {
	n := fitMessage(wire.BaseCommand)(data)
	if n != fits {
		return n
	}
	var w wire.Walk
	if w.Parse(wire.BaseCommand, data) != nil {
		return unfit
	}
	t, _ := w.Int32(wire.Top, field.BaseCommandType)
	if _, ok := w.Sub(wire.Top, t); !ok || proto.ByNumber(t) == nil {
		return partly
	}
	return fits
}

func fitBatch(data []byte) fitness {
	var u decode.Unpacker
	places, fault := u.LayOut(data, decode.AsMany)
	switch {
	case len(places) == 0:
		return unfit
	case fault != "":
		return partly
	}
	return fits
}

func (b *builder) bareBatch(data []byte) {
	b.anatomy.Parts = b.batch(&Part{End: len(data)}, decode.AsMany)
}
