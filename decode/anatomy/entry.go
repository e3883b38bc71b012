package anatomy

import (
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// entry makes parts of what is in a payload: of the same bytes where it is
// plain, else of those that come out of them.
func (b *builder) entry(payload *Part, m *wire.Walk) {
	data := b.bytes(payload)
	payload.Body, payload.Hidden = true, b.options.MaxPayload <= 0
	if n, _ := m.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg); n > 1 {
		payload.Meaning += ", a chunk of a larger message"
		return
	}
	plain, variant, err := b.unpacker.Plain(decode.Entry{Metadata: m, Payload: data})
	if err != nil {
		payload.Faults = append(payload.Faults, err.Error())
		return
	}
	within := *payload
	within.Start = within.ValueStart
	if kind := transformed(m, variant); kind != "" {
		within = Part{Buffer: b.buffer("payload, "+kind, plain), End: len(plain)}
		payload.Meaning += ", " + kind + " " + strconv.Itoa(len(plain)) + " bytes below"
	}
	payload.Parts = b.plain(&within, m)
	if payload.Parts == nil {
		payload.Value, payload.JSON = b.text(plain)
	}
}

// transformed says how the plain bytes come out of the payload; empty where they
// are the same.
func transformed(m *wire.Walk, variant string) (kind string) {
	if m.Find(wire.Top, field.MessageMetadataEncryptionKeys) >= 0 {
		kind = "decrypted"
	}
	if c, _ := m.Int32(wire.Top, field.MessageMetadataCompression); codec.Codec(c) != codec.None {
		if kind != "" {
			kind += " and "
		}
		kind += "decompressed from " + codec.Codec(c).String()
	}
	if variant != "" {
		kind += " (" + variant + ")"
	}
	return kind
}

// plain makes parts of the plain bytes of an entry: the messages of a batch, or
// the one message where they are no part yet.
func (b *builder) plain(whole *Part, m *wire.Walk) (parts []Part) {
	n, batched := m.Int32(wire.Top, field.MessageMetadataNumMessagesInBatch)
	switch {
	case batched:
		return b.batch(whole, b.inBatch(whole, m, int(n)))
	case whole.Buffer > 0:
		c := &cursor{b, whole.Buffer, whole.Start, &parts}
		b.body(c.take("message", whole.End-whole.Start))
	}
	return parts
}

// inBatch is how many messages a batch has that its metadata says to have n:
// those that compaction kept.
func (b *builder) inBatch(whole *Part, m *wire.Walk, n int) int {
	kept := 0
	for range m.Each(wire.Top, field.MessageMetadataCompactedBatchIndexes) {
		kept++
	}
	if kept > 0 {
		if _, fault := b.unpacker.LayOut(b.anatomy.Buffers[whole.Buffer].Bytes[whole.Start:whole.End], n); fault != "" {
			return kept
		}
	}
	return n
}

// batch makes parts of the messages of a batch, as far as it can be read.
func (b *builder) batch(whole *Part, n int) (parts []Part) {
	data := b.anatomy.Buffers[whole.Buffer].Bytes[whole.Start:whole.End]
	places, fault := b.unpacker.LayOut(data, n)
	c := &cursor{b, whole.Buffer, whole.Start, &parts}
	for i := range places {
		if b.full() {
			p := c.take(strconv.Itoa(len(places)-i)+" more messages", places[len(places)-1].End-(c.at-whole.Start))
			p.Body, p.Hidden = true, b.options.MaxPayload <= 0
			break
		}
		p := c.take("message "+strconv.Itoa(i), places[i].End-(c.at-whole.Start))
		b.single(p, &places[i], whole.Start)
	}
	if rest := whole.End - c.at; rest > 0 || fault != "" {
		p := c.take("not readable", rest)
		p.Faults, p.Body, p.Hidden = []string{fault}, true, b.options.MaxPayload <= 0
	}
	return parts
}

// single makes the parts of one message of a batch that begins at start.
func (b *builder) single(p *Part, place *decode.Place, start int) {
	c := &cursor{b, p.Buffer, p.Start, &p.Parts}
	c.number("metadata size", "bytes")
	b.parsed(c.take("metadata", place.Payload-place.Metadata), wire.SingleMessageMetadata)
	b.body(c.take("payload", start+place.End-c.at))
}

// body shows the payload of a message.
func (b *builder) body(p *Part) {
	p.Body, p.Hidden = true, b.options.MaxPayload <= 0
	p.Meaning = strconv.Itoa(p.End-p.ValueStart) + " bytes"
	p.Value, p.JSON = b.text(b.bytes(p))
}
