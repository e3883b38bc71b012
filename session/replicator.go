package session

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// A replicator's receipts are of another kind where both sides have
// supports_repl_dedup_by_lid_and_eid: they name the SEND by its position in
// the source cluster, ledger in sequence_id and entry in highest_sequence_id.
// Receipts of markers carry leastHighest and the sequence id of the SEND.
const (
	replicatorPrefix = "pulsar.repl"
	leastHighest     = 1 << 63 // the least int64, as the wire's uint64
	sourceProperty   = "__MSG_PROP_REPL_SOURCE_POSITION"
)

func (p *Producer) replicator() bool { return p.Named && strings.HasPrefix(p.Name, replicatorPrefix) }

// replDedups says whether receipts on the connection may name source positions.
// A CONNECT or CONNECTED that was not captured counts as saying so.
func (c *Conn) replDedups() bool { return c.replDedup[0] >= 0 && c.replDedup[1] >= 0 }

// receipted finds the SEND that a SEND_RECEIPT answers.
func (c *Conn) receipted(p *Producer, f *decode.Frame, sequence uint64) (send, bool) {
	highest, ok := f.Uint(field.CommandSendReceiptHighestSequenceId)
	if !ok || !c.replDedups() || p.Named && (!p.replicator() || nonPersistent(p.Topic)) {
		return p.sends.bySequence(sequence)
	}
	if p.Named || p.sends.relayed > 0 {
		if x, ok := p.bySource(sequence, highest); ok {
			return x, true
		}
	}
	if !p.Named {
		return p.sends.bySequence(sequence)
	}
	return p.sends.first(func(x *send) bool { return highest != leastHighest && !x.marker && x.cut })
}

// bySource takes out the SEND of a message from the given source position, or
// the marker that was sent under the sequence id.
func (p *Producer) bySource(sequence, highest uint64) (send, bool) {
	return p.sends.first(func(x *send) bool {
		switch {
		case !p.Named && !x.relayed:
			return false
		case highest == leastHighest:
			return x.marker && x.sequence == sequence
		}
		return !x.marker && x.hasSource && x.source == position{sequence, highest}
	})
}

// sourcePosition reads the position in the source cluster that a replicator
// puts into the properties of what it sends.
func sourcePosition(m *wire.Walk) (p position, ok bool) {
	for i := range m.Each(wire.Top, field.MessageMetadataProperties) {
		if key, _ := m.Text(i, field.KeyValueKey); string(key) != sourceProperty {
			continue
		}
		value, _ := m.Text(i, field.KeyValueValue)
		ledger, entry, _ := bytes.Cut(value, []byte(":"))
		l, err := strconv.ParseUint(string(ledger), 10, 64)
		e, err2 := strconv.ParseUint(string(entry), 10, 64)
		return position{l, e}, err == nil && err2 == nil && l < math.MaxUint64
	}
	return p, false
}
