package extract

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// longestName is how many bytes of a name from the wire go into that of a file.
const longestName = 120

// harmless makes a name from the wire part of a file's: letters, digits and a
// few signs stay.
func harmless(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "persistent://"), "public/default/")
	safe := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._-", r)) {
			return r
		}
		return '_'
	}, name)
	safe = strings.TrimLeft(safe, ".-")
	if safe == "" {
		return "unknown"
	}
	return safe[:min(len(safe), longestName)]
}

// extensions say what a payload is.
func extension(payload []byte) string {
	switch {
	case json.Valid(payload):
		return ".json"
	case len(payload) > 0 && utf8.Valid(payload) && !strings.ContainsFunc(string(payload), isControl):
		return ".txt"
	}
	return ".bin"
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }

// stored is the name of a message by its place: topic, ledger, entry, and the
// index in the batch if it is of one.
func stored(topic string, id *session.MessageID, m *session.Message) string {
	name := harmless(topic) + "-" + strconv.FormatInt(int64(id.Ledger), 10) + "-" + strconv.FormatInt(int64(id.Entry), 10)
	return name + index(m)
}

// sent is the name of a message whose place is not known: topic, producer,
// sequence id, and the index in the batch.
func sent(topic string, m *session.Message) string {
	producer, _ := m.Metadata.Text(wire.Top, field.MessageMetadataProducerName)
	sequence, _ := m.Metadata.Uint(wire.Top, field.MessageMetadataSequenceId)
	return harmless(topic) + "-" + harmless(string(producer)) + "-" + strconv.FormatInt(int64(sequence), 10) + index(m)
}

func index(m *session.Message) string {
	if m.Batched && m.State == decode.StateOK {
		return "-" + strconv.Itoa(m.Index)
	}
	return ""
}
