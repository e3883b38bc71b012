package anatomy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/field"
)

// meanings say what the values of fields of these names mean; an empty text says
// nothing.
var meanings = map[string]func(w *wire.Walk, n *wire.Node, at int32) string{
	"publish_time":                  instant,
	"event_time":                    instant,
	"deliver_at_time":               instant,
	"broker_timestamp":              instant,
	"message_publish_time":          instant,
	"ledgerId":                      orNone,
	"entryId":                       orNone,
	"sequence_id":                   orNone,
	"highest_sequence_id":           orNone,
	"last_sequence_id":              orNone,
	"request_id":                    orNone,
	"partition":                     partition,
	"batch_index":                   batchIndex,
	"ack_set":                       openMessages,
	"schema_version":                version,
	"message_id":                    position,
	"start_message_id":              position,
	"first_chunk_message_id":        position,
	"last_message_id":               position,
	"consumer_mark_delete_position": position,
	"messagePermits":                func(*wire.Walk, *wire.Node, int32) string { return "messages that the consumer is ready to take" },
	"max_message_size":              size,
	"uncompressed_size":             size,
	"payload_size":                  size,
	"total_chunk_msg_size":          size,
	"type":                          commandType,
}

// meaning says what the value of node n, at index i, means.
func (b *builder) meaning(w *wire.Walk, n *wire.Node, i int32) string {
	if n.Field == nil {
		return ""
	}
	if name, ok := b.options.Names[n.Field.Name]; ok {
		return name
	}
	if f := meanings[n.Field.Name]; f != nil {
		if text := f(w, n, i); text != "" {
			return text
		}
	}
	if n.Field.Kind == wire.Enumeration {
		return "number " + strconv.FormatInt(n.Int64(), 10)
	}
	return ""
}

// instant reads milliseconds since the Unix epoch.
func instant(_ *wire.Walk, n *wire.Node, _ int32) string {
	if n.Value == 0 || n.Value > math.MaxInt64/1_000_000 {
		return ""
	}
	return time.UnixMilli(int64(n.Value)).UTC().Format("2006-01-02 15:04:05.000 UTC")
}

// orNone tells a -1 that is sent as an unsigned number.
func orNone(_ *wire.Walk, n *wire.Node, _ int32) string {
	if n.Field.Kind == wire.Uint64 && n.Value == math.MaxUint64 {
		return "-1: none"
	}
	return ""
}

func partition(_ *wire.Walk, n *wire.Node, _ int32) string {
	if n.Field.Kind == wire.Int32 && n.Int64() == -1 {
		return "of no partitioned topic"
	}
	return ""
}

func batchIndex(_ *wire.Walk, n *wire.Node, _ int32) string {
	if n.Int64() == -1 {
		return "the whole entry"
	}
	return ""
}

// openMessages reads a word of an ack_set: a bit that is set stands for a
// message that is not acknowledged. The word's place among its like is not
// known here, so that the first one counts from 0.
func openMessages(_ *wire.Walk, n *wire.Node, _ int32) string {
	var bits []string
	for i := range 64 {
		if n.Value>>i&1 != 0 {
			bits = append(bits, strconv.Itoa(i))
		}
	}
	if len(bits) == 0 {
		return "no bit set: all acknowledged"
	}
	return "bits set, not acknowledged: " + strings.Join(bits, " ")
}

// version reads a version of a schema: 8 bytes, big-endian.
func version(w *wire.Walk, n *wire.Node, _ int32) string {
	b := w.Bytes(n)
	if n.Field.Kind != wire.Bytes || len(b) != 8 {
		return ""
	}
	return "version " + strconv.FormatInt(int64(binary.BigEndian.Uint64(b)), 10)
}

// position reads an id as people write it.
func position(w *wire.Walk, n *wire.Node, at int32) string {
	if n.Field.Kind != wire.Message || n.Field.Message.Name != "MessageIdData" {
		return ""
	}
	ledger, _ := w.Uint(int(at), field.MessageIdDataLedgerId)
	entry, _ := w.Uint(int(at), field.MessageIdDataEntryId)
	return strconv.FormatInt(int64(ledger), 10) + ":" + strconv.FormatInt(int64(entry), 10)
}

func size(_ *wire.Walk, n *wire.Node, _ int32) string {
	switch v := float64(n.Value); {
	case v >= 1<<20 && v < math.MaxUint32:
		return fmt.Sprintf("bytes, %.3g MiB", v/(1<<20))
	case v >= 1<<10 && v < 1<<20:
		return fmt.Sprintf("bytes, %.3g KiB", v/(1<<10))
	}
	return "bytes"
}

// commandType says what belongs to the type of a command.
func commandType(w *wire.Walk, n *wire.Node, _ int32) string {
	if w.Table != wire.BaseCommand || n.Field.Enum == nil || n.Field.Enum.Name != "Type" {
		return ""
	}
	c := proto.ByNumber(int32(n.Value))
	if c == nil {
		return "no command of this number is known"
	}
	text := "number " + strconv.Itoa(int(c.Number))
	switch c.Sender {
	case proto.Client:
		text += ", from clients"
	case proto.Broker:
		text += ", from brokers"
	}
	if c.Payload {
		text += ", with metadata and payload"
	}
	return text
}
