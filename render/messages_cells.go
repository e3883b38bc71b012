package render

import (
	"strconv"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// maxPreview is how many bytes of a payload a line shows, and shownProperties
// how many properties.
const (
	maxPreview      = 80
	shownProperties = 4
)

// fill writes the cells of a message's row.
func (m *Messages) fill(r *messageRow, e *session.Event) {
	d := e.Message.Message
	m.readValue(e.Message)
	r.conn, r.dir = e.Conn.ID, e.Direction
	r.text = m.stamps.append(r.text, e.At.Time, e.At.TimeUnknown)
	r.close(rowTime)
	r.text = strconv.AppendUint(r.text, e.At.Packet, 10)
	r.close(rowPacket)
	r.text = appendTopic(r.text, e.Topic())
	r.close(rowTopic)
	r.text = appendOwnID(r.text, e)
	r.close(rowID)
	r.text = appendIndex(r.text, e)
	r.close(rowBatch)
	r.text = appendMessageSize(r.text, e)
	r.close(rowSize)
	if d.Metadata != nil && d.Codec != codec.None {
		r.text = append(r.text, d.Codec.String()...)
	}
	r.close(rowCodec)
	r.text = appendKey(r.text, d)
	r.close(rowKey)
	r.text = appendTrouble(r.text, e, m.misfit)
	r.close(rowTrouble)
	r.text = m.appendDetails(r.text, e)
	r.close(rowDetails)
	if m.options.WholePayload {
		r.text = m.whole(r.text, e)
	}
	r.close(rowWhole)
}

func appendOwnID(dst []byte, e *session.Event) []byte {
	switch {
	case e.Chunked != nil && len(e.Chunked.IDs) > 0:
		return appendEntryID(dst, &e.Chunked.IDs[len(e.Chunked.IDs)-1])
	case e.Message.HasID:
		return appendEntryID(dst, &e.Message.ID)
	}
	return append(dst, '-')
}

// appendIndex appends which of the messages of an entry it is, from 0 as in
// message ids; where the entry could not be read, how many there are.
func appendIndex(dst []byte, e *session.Event) []byte {
	d := e.Message.Message
	switch {
	case e.Kind == session.ChunkedMessage:
		return strconv.AppendInt(append(dst, "all/"...), int64(e.Chunked.Chunks), 10)
	case d.Batched && d.State == decode.StateOK:
		dst = strconv.AppendInt(dst, int64(d.Index), 10)
		return strconv.AppendInt(append(dst, '/'), int64(d.BatchSize), 10)
	case d.Batched:
		return strconv.AppendInt(append(dst, "-/"...), int64(d.BatchSize), 10)
	}
	return dst
}

func appendMessageSize(dst []byte, e *session.Event) []byte {
	switch {
	case e.Message.State == decode.StateOK:
		return appendSize(dst, int64(len(e.Message.Payload)))
	case e.Kind == session.ChunkedMessage:
		return appendSize(dst, e.Chunked.TotalSize)
	}
	return appendSize(dst, int64(len(e.Frame.Payload)))
}

// ownMetadata is where a message has its key and properties, if it has any of
// its own: those of a batch that could not be read are only one member's.
func ownMetadata(d *decode.Message) (*wire.Walk, *own) {
	switch {
	case d.Single != nil:
		return d.Single, &ofSingle
	case d.Metadata != nil && !d.Batched:
		return d.Metadata, &ofEntry
	}
	return nil, nil
}

func appendKey(dst []byte, d *decode.Message) []byte {
	w, names := ownMetadata(d)
	if w == nil {
		return dst
	}
	b, ok := w.Text(wire.Top, names.key)
	if !ok {
		return dst
	}
	if encoded, _ := w.Bool(wire.Top, names.keyB64); encoded {
		dst = append(dst, "base64:"...)
	}
	return appendName(dst, b)
}

// stateWords are the states of entries that could not be read.
var stateWords = map[decode.State]string{
	decode.StateEncrypted:       "ENCRYPTED",
	decode.StateDecompressError: "CANNOT BE DECOMPRESSED",
	decode.StateSizeMismatch:    "WRONG UNCOMPRESSED SIZE",
	decode.StateBatchError:      "BROKEN BATCH",
	decode.StateIncomplete:      "NOT CAPTURED WHOLE",
}

func appendTrouble(dst []byte, e *session.Event, misfit error) []byte {
	start := len(dst)
	if c := e.Chunked; c != nil && !c.Complete {
		return append(append(dst, missing(c)...), " missing"...)
	}
	dst = append(dst, stateWords[e.Message.State]...)
	if e.Message.Fault != "" {
		dst = appendVisible(append(dst, ": "...), e.Message.Fault)
	}
	if misfit != nil {
		dst = appendMisfit(separate(dst, start), misfit)
	}
	if e.Frame != nil && e.Frame.Checksum == decode.ChecksumBad {
		dst = append(separate(dst, start), "CHECKSUM BAD"...)
	}
	return dst
}

// details are the rest of a line, what is asked for most often first.
var details = []func(m *Messages, dst []byte, e *session.Event) []byte{
	func(_ *Messages, dst []byte, e *session.Event) []byte {
		if n := e.Message.RedeliveryCount; n > 0 {
			return strconv.AppendUint(append(dst, "redelivery "...), uint64(n), 10)
		}
		return dst
	},
	func(_ *Messages, dst []byte, e *session.Event) []byte {
		if e.Message.Acked {
			return append(dst, "acknowledged before"...)
		}
		return dst
	},
	func(_ *Messages, dst []byte, e *session.Event) []byte { return appendChunk(dst, e.Message.Message) },
	func(m *Messages, dst []byte, e *session.Event) []byte { return m.appendPayload(dst, e.Message.Message) },
	func(_ *Messages, dst []byte, e *session.Event) []byte {
		return appendProperties(dst, e.Message.Message)
	},
	func(_ *Messages, dst []byte, e *session.Event) []byte { return appendEventTime(dst, e.Message.Message) },
	func(_ *Messages, dst []byte, e *session.Event) []byte { return appendOrigin(dst, e.Message.Message) },
	func(_ *Messages, dst []byte, e *session.Event) []byte {
		if e.Consumer != nil && e.Consumer.Subscription != "" {
			return appendName(append(dst, "for "...), e.Consumer.Subscription)
		}
		return dst
	},
}

func (m *Messages) appendDetails(dst []byte, e *session.Event) []byte {
	start := len(dst)
	for _, detail := range details {
		before := len(dst)
		dst = separate(dst, start)
		apart := len(dst)
		if dst = detail(m, dst, e); len(dst) == apart {
			dst = dst[:before]
		}
	}
	return dst
}

func appendChunk(dst []byte, d *decode.Message) []byte {
	if d.State != decode.StateChunk || d.Metadata == nil {
		return dst
	}
	w := d.Metadata
	i, _ := w.Int32(wire.Top, field.MessageMetadataChunkId)
	n, _ := w.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg)
	dst = strconv.AppendInt(append(dst, "chunk "...), int64(i)+1, 10)
	return strconv.AppendInt(append(dst, " of "...), int64(n), 10)
}

// appendProperties appends the first properties: n=0 color=red.
func appendProperties(dst []byte, d *decode.Message) []byte {
	w, names := ownMetadata(d)
	if w == nil {
		return dst
	}
	n, start := 0, len(dst)
	for i := w.Find(wire.Top, names.properties); i >= 0; i = w.NextOf(i) {
		if n++; n > shownProperties {
			continue
		}
		k, _ := w.Text(i, field.KeyValueKey)
		v, _ := w.Text(i, field.KeyValueValue)
		dst = appendName(separate(dst, start), k)
		dst = appendName(append(dst, '='), v)
	}
	if n > shownProperties {
		dst = strconv.AppendInt(append(dst, " +"...), int64(n-shownProperties), 10)
	}
	return dst
}

func appendEventTime(dst []byte, d *decode.Message) []byte {
	if w, names := ownMetadata(d); w != nil {
		if t, ok := w.Uint(wire.Top, names.eventTime); ok && t > 0 {
			return appendMillis(append(dst, "event "...), t)
		}
	}
	return dst
}

// appendOrigin appends when and by whom a message was published.
func appendOrigin(dst []byte, d *decode.Message) []byte {
	start := len(dst)
	if d.Metadata == nil {
		return dst
	}
	if t, ok := d.Metadata.Uint(wire.Top, field.MessageMetadataPublishTime); ok {
		dst = appendMillis(append(dst, "published "...), t)
	}
	if b, ok := d.Metadata.Text(wire.Top, field.MessageMetadataProducerName); ok {
		dst = appendName(append(separate(dst, start), "by "...), b)
	}
	if v, ok := d.Metadata.Uint(wire.Top, field.MessageMetadataSequenceId); ok {
		dst = strconv.AppendInt(append(separate(dst, start), "seq "...), int64(v)+int64(d.Index), 10)
	}
	return dst
}

// appendMillis appends a time in ms since the Unix epoch.
func appendMillis(dst []byte, ms uint64) []byte {
	if ms > maxMillis {
		return strconv.AppendUint(dst, ms, 10)
	}
	return time.UnixMilli(int64(ms)).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
}

// maxMillis is the last year that is written with four digits.
const maxMillis = 253_402_300_799_999
