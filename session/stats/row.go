package stats

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// Flow counts entries in one direction: those that were sent, or those that
// were delivered.
type Flow struct {
	summary.Entries
	Batches      uint64 // entries of batch layout
	LargestBatch uint64 // messages
	Compressed   uint64 // bytes of compressed payloads as on the wire
	Uncompressed uint64 // bytes of the same as their metadata say
}

// BatchSize is how many messages an entry holds on average, 0 without any.
func (f *Flow) BatchSize() float64 { return ratio(f.Messages, f.Entries.Entries) }

// Compression is how many times smaller compression made payloads, 0 where none
// was compressed.
func (f *Flow) Compression() float64 { return ratio(f.Uncompressed, f.Compressed) }

func ratio(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// add counts the entry of a frame.
func (f *Flow) add(x *decode.Frame) {
	messages, size := summary.Messages(x), uint64(len(x.Payload))
	f.Entries.Entries++
	f.Messages += messages
	f.Bytes += size
	if !x.HasMetadata {
		return
	}
	if x.Batched() {
		f.Batches++
	}
	f.LargestBatch = max(f.LargestBatch, messages)
	c, _ := x.Metadata.Int32(wire.Top, field.MessageMetadataCompression)
	if plain, ok := x.Metadata.Uint(wire.Top, field.MessageMetadataUncompressedSize); ok && codec.Codec(c) != codec.None && x.Payload != nil {
		f.Compressed += size
		f.Uncompressed += plain
	}
}

// Row is what was counted under a key.
type Row struct {
	Key
	Name   string // of the producer or consumer, where the row is of one and it is known
	Others bool   // it is of all that have no row of their own

	Frames     uint64
	FrameBytes uint64 // with their size fields
	In         Flow   // SENDs
	Out        Flow   // MESSAGEs

	Redelivered uint64 // entries that were delivered with a redelivery_count above 0
	Acked       uint64 // messages
	OK          uint64 // requests and SENDs answered well
	Errors      uint64 // answered by an error
	Unanswered  uint64

	// Latencies of exchanges, by kind: of SENDs until the receipt, of
	// deliveries until the acknowledgement, of requests until the answer; nil
	// where there were none.
	Latencies [session.Watch + 1]*summary.Latencies
}

// RedeliveryRate is the part of delivered entries whose redelivery_count is above 0.
func (r *Row) RedeliveryRate() float64 { return ratio(r.Redelivered, r.Out.Entries.Entries) }

// frame counts a frame.
func (r *Row) frame(f *decode.Frame) {
	r.Frames++
	r.FrameBytes += uint64(f.Size)
	switch {
	case f.Is(send):
		r.In.add(f)
	case f.Is(message):
		r.Out.add(f)
		if count, _ := f.Uint(field.CommandMessageRedeliveryCount); count > 0 {
			r.Redelivered++
		}
	}
}

// exchange counts the outcome of an exchange.
func (r *Row) exchange(x *session.Exchange) {
	if x.Kind == session.Ack {
		if x.Result == session.OK {
			r.Acked += uint64(x.Messages)
		}
		return
	}
	switch x.Result {
	case session.OK:
		r.OK++
	case session.Failed:
		r.Errors++
	case session.Unanswered:
		r.Unanswered++
	}
}

// Total puts all rows together.
func Total(rows []*Row) *Row {
	t := &Row{Key: Key{ConnID: -1}}
	for _, r := range rows {
		t.merge(r)
	}
	return t
}

func (r *Row) merge(o *Row) {
	r.Frames, r.FrameBytes = r.Frames+o.Frames, r.FrameBytes+o.FrameBytes
	r.In.merge(&o.In)
	r.Out.merge(&o.Out)
	r.Redelivered, r.Acked = r.Redelivered+o.Redelivered, r.Acked+o.Acked
	r.OK, r.Errors, r.Unanswered = r.OK+o.OK, r.Errors+o.Errors, r.Unanswered+o.Unanswered
	for k, l := range o.Latencies {
		if l == nil {
			continue
		}
		if r.Latencies[k] == nil {
			r.Latencies[k] = &summary.Latencies{}
		}
		r.Latencies[k].Merge(l)
	}
}

func (f *Flow) merge(o *Flow) {
	f.Entries.Entries, f.Messages, f.Bytes = f.Entries.Entries+o.Entries.Entries, f.Messages+o.Messages, f.Bytes+o.Bytes
	f.Batches, f.LargestBatch = f.Batches+o.Batches, max(f.LargestBatch, o.LargestBatch)
	f.Compressed, f.Uncompressed = f.Compressed+o.Compressed, f.Uncompressed+o.Uncompressed
}
