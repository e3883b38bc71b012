package session

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// entry gives the messages of a SEND or MESSAGE.
func (s *Session) entry(c *Conn, f *decode.Frame) {
	if s.options.NoMessages {
		return
	}
	m := &s.text
	*m = Message{}
	if f.Is(int32(pb.BaseCommand_MESSAGE)) {
		if node, ok := f.Base.Sub(f.Sub, field.CommandMessageMessageId); ok {
			m.ID, m.HasID = messageID(&f.Base, node), true
			m.Read = s.readFrom(m.ID)
		}
		m.RedeliveryCount = uint32(first(f.Uint(field.CommandMessageRedeliveryCount)))
	}
	if m.Txn, m.InTxn = TxnOf(f); !m.InTxn && m.HasID {
		m.Txn, m.InTxn = s.txnOfEntry(s.event.Consumer, &m.ID)
	}
	m.Schema, m.goClient = s.schemaOf(c, f), c.speaksGo()
	if m.Schema == nil && s.options.OnlyValues {
		return
	}
	var part *chunkPart
	s.unpacker.Frame(f, func(d *decode.Message) {
		m.Message = d
		m.Acked = len(s.set) > 0 && d.State == decode.StateOK && !s.set.has(d.Index)
		if d.State == decode.StateChunk || d.State == decode.StateEncrypted && f.EntryOf().Chunk {
			part = &chunkPart{payload: d.Payload, sealed: d.State == decode.StateEncrypted, fault: d.Fault}
		}
		s.event.Message = m
		s.emitAbout(MessageSeen, f)
	})
	s.event.Message = nil
	if m.InTxn {
		s.markedEntry(c, f, m)
	}
	if part != nil {
		s.chunk(c, f, *part)
	}
}
