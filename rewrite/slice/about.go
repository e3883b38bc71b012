package slice

import (
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// About says whether an event is about an entry: its SEND with the receipt, its
// deliveries and acknowledgements, every command that names it, and what bookies
// are asked about it.
func About(e *session.Event, ledger, entry uint64) bool {
	switch e.Kind {
	case session.ExchangeSeen:
		return aboutExchange(e.Exchange, ledger, entry)
	case session.FrameSeen:
		return names(&e.Frame.Base, ledger, entry)
	case session.BookieSeen:
		p := e.Bookie.Packet
		return p.HasLedger && p.HasEntry && uint64(p.Ledger) == ledger && uint64(p.Entry) == entry
	}
	return false
}

func aboutExchange(x *session.Exchange, ledger, entry uint64) bool {
	if (x.HasID || x.Kind == session.Ack) && x.ID.Ledger == ledger && x.ID.Entry == entry {
		return true
	}
	for i := range x.Covers {
		if c := &x.Covers[i].ID; c.Ledger == ledger && c.Entry == entry {
			return true
		}
	}
	return false
}

// names says whether a command has the position somewhere.
func names(w *wire.Walk, ledger, entry uint64) bool {
	for i := range w.Nodes {
		n := &w.Nodes[i]
		if n.Field == nil || n.Field.Kind != wire.Message || n.Field.Message.Name != wire.MessageIDData.Name {
			continue
		}
		l, _ := w.Uint(i, field.MessageIdDataLedgerId)
		e, _ := w.Uint(i, field.MessageIdDataEntryId)
		if l == ledger && e == entry {
			return true
		}
	}
	return false
}
