package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// Entry is the position of an entry.
type Entry struct{ Ledger, Entry uint64 }

// String is like "12:3".
func (e Entry) String() string {
	return strconv.FormatUint(e.Ledger, 10) + ":" + strconv.FormatUint(e.Entry, 10)
}

func (e Entry) compare(o Entry) int {
	return cmp.Or(cmp.Compare(e.Ledger, o.Ledger), cmp.Compare(e.Entry, o.Entry))
}

// ParseEntry reads ledger and entry, "12:3"; what follows a second colon, as in
// ids that clients print, is passed over.
func ParseEntry(text string) (e Entry, err error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 {
		return e, errors.New("no LEDGER:ENTRY")
	}
	if e.Ledger, err = strconv.ParseUint(parts[0], 10, 64); err == nil {
		e.Entry, err = strconv.ParseUint(parts[1], 10, 64)
	}
	return e, err
}

// Want tells which messages are followed: those that fit all that is set.
type Want struct {
	ID       *Entry
	Key      string
	Producer string // with Sequence
	Sequence *uint64
	Property string // name, with Value
	Value    string
	Sum      *[sha256.Size]byte // of the payload
}

// Empty says whether nothing is set.
func (w *Want) Empty() bool {
	return w.ID == nil && w.byContent() == 0
}

// byContent is how many conditions look at the message itself.
func (w *Want) byContent() (n int) {
	for _, set := range []bool{w.Key != "", w.Sequence != nil, w.Property != "", w.Sum != nil} {
		if set {
			n++
		}
	}
	return n
}

// fits says whether a message has the content that is wanted.
func (w *Want) fits(m *session.Message) bool {
	if w.byContent() == 0 || m.Message == nil || m.Metadata == nil {
		return false
	}
	return (w.Key == "" || keyOf(m) == w.Key) &&
		(w.Sequence == nil || sequenceOf(m) == *w.Sequence && producerOf(m) == w.Producer) &&
		(w.Property == "" || propertyOf(m, w.Property) == w.Value) &&
		(w.Sum == nil || sha256.Sum256(m.Payload) == *w.Sum)
}

func keyOf(m *session.Message) string {
	b, ok := m.Metadata.Text(wire.Top, field.MessageMetadataPartitionKey)
	if m.Single != nil {
		b, ok = m.Single.Text(wire.Top, field.SingleMessageMetadataPartitionKey)
	}
	if !ok {
		return ""
	}
	return string(b)
}

func producerOf(m *session.Message) string {
	b, _ := m.Metadata.Text(wire.Top, field.MessageMetadataProducerName)
	return string(b)
}

// sequenceOf is the sequence id of a message; in a batch that of its own.
func sequenceOf(m *session.Message) uint64 {
	if m.Single != nil {
		if n, ok := m.Single.Uint(wire.Top, field.SingleMessageMetadataSequenceId); ok {
			return n
		}
	}
	n, _ := m.Metadata.Uint(wire.Top, field.MessageMetadataSequenceId)
	return n
}

// propertyOf is the value of a property, empty where there is none.
func propertyOf(m *session.Message, name string) string {
	w, number := m.Metadata, int32(field.MessageMetadataProperties)
	if m.Single != nil {
		w, number = m.Single, field.SingleMessageMetadataProperties
	}
	for i := range w.Each(wire.Top, number) {
		if key, _ := w.Text(i, field.KeyValueKey); string(key) == name {
			value, _ := w.Text(i, field.KeyValueValue)
			return string(value)
		}
	}
	return ""
}

// ParseSum reads a SHA-256 in hexadecimal.
func ParseSum(text string) (*[sha256.Size]byte, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != sha256.Size {
		return nil, errors.New("not 64 hexadecimal digits")
	}
	return (*[sha256.Size]byte)(b), nil
}
