package diagnose

import (
	"fmt"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/session"
)

var batchMalformed = &Rule{
	Name:     "batch-malformed",
	Severity: Error,
	Title:    "Batch cannot be taken apart",
	Meaning: "The entry says that it holds a batch, but the sizes in it do not add up: the number of messages is wrong, the payload is not a batch at all, " +
		"or its bytes were changed. Consumers throw the whole entry away, or fail.",
	Advice: "It is a fault of the producer's client (or of what lies between): metadata says num_messages_in_batch for a payload that is no batch, or counts wrongly. " +
		"The finding says at which message it breaks off, and what stands there.",
	Blind: "Payloads that cannot be decrypted here.",
	Lint:  true,
	Kinds: []session.Kind{session.MessageSeen, session.ChunkedMessage},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if (e.Kind == session.MessageSeen || e.Kind == session.ChunkedMessage) && e.Message.State == decode.StateBatchError {
				r.brokenBatch(e)
			}
		}
	},
}

func (r *Reporter) brokenBatch(e *session.Event) {
	m := e.Message
	if strings.HasPrefix(m.Fault, decode.FaultBatchTooLarge) { // a limit of this program, not a fault
		return
	}
	detail := fmt.Sprintf("An entry of %d messages as declared%s: %s.", m.BatchSize, positionWords(m), m.Fault)
	if e.Frame != nil && m.Codec == codec.None {
		if name := looksCompressed(e.Frame.Payload); name != "" {
			detail += fmt.Sprintf(" The payload begins like %s, but the metadata says that it is not compressed.", name)
		}
	}
	r.Warn(about(e), detail, here(e))
}

// positionWords says where the entry of a MESSAGE is stored.
func positionWords(m *session.Message) string {
	if !m.HasID {
		return ""
	}
	return fmt.Sprintf(" (%d:%d)", m.ID.Ledger, m.ID.Entry)
}

// magics are how compressed data begins. ZLIB is left out: its two bytes are
// often there by chance.
var magics = []struct{ name, bytes string }{
	{"ZSTD", "\x28\xb5\x2f\xfd"},
	{"an LZ4 frame", "\x04\x22\x4d\x18"},
	{"Snappy's framing", "\xff\x06\x00\x00sNaPpY"},
	{"gzip", "\x1f\x8b\x08"},
}

// looksCompressed names the format that a payload begins like, or is empty.
func looksCompressed(payload []byte) string {
	for i := range magics {
		m := &magics[i]
		if len(payload) >= len(m.bytes) && payload[0] == m.bytes[0] && string(payload[:len(m.bytes)]) == m.bytes {
			return m.name
		}
	}
	return ""
}
