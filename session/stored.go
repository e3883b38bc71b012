package session

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
)

// entryKey is the position of an entry.
type entryKey struct{ ledger, entry uint64 }

// storedTable ties what brokers and bookies say about an entry to what brokers
// and clients say: by ledger and entry id. It takes nothing before the first
// frame of a bookie.
type storedTable struct {
	seen     bool // a frame of a bookie was seen
	added    recent[entryKey, []Elsewhere]
	read     recent[entryKey, Elsewhere]
	receipts recent[entryKey, Elsewhere] // SENDs, by what their receipts say
}

func (t *storedTable) limit(n int) { t.added.limit, t.read.limit, t.receipts.limit = n, n, n }

// mostBookies bounds the bookies that are listed of one entry. Ledgers are
// written to a handful.
const mostBookies = 16

// linkStored notes that a bookie has an entry, and finds the SEND of an entry
// whose receipt came first.
func (s *Session) linkStored(c *Conn, f *decode.BookieFrame, x *Exchange) {
	if x.Result != OK || !x.Ask.HasEntry {
		return
	}
	at := Elsewhere{Conn: c.ID, Offset: x.Request.Offset}
	at.Latency, at.HasLatency = x.Latency()
	switch f.Op {
	case bookie.AddEntry:
		k := entryKey{uint64(x.Ask.Ledger), uint64(x.Ask.Entry)}
		if send, ok := s.stored.receipts.get(k); ok {
			x.Sent = &send
		}
		if list, _ := s.stored.added.take(k); len(list) < mostBookies {
			s.letGoStored(s.stored.added.put(k, append(list, at)))
		}
	case bookie.ReadEntry, bookie.BatchReadEntry:
		for i := range f.Stored {
			e := &f.Stored[i]
			s.letGoStored(s.stored.read.put(entryKey{uint64(e.Ledger), uint64(e.Entry)}, at))
		}
	}
}

func (s *Session) letGoStored(letGo bool) {
	if letGo {
		s.counters.Stored++
	}
}

// linkSend finds the bookies that have the entry of a SEND, and remembers the
// SEND for those that say so later.
func (s *Session) linkSend(x *Exchange) {
	if !s.stored.seen || x.Result != OK || !x.HasID {
		return
	}
	k := entryKey{x.ID.Ledger, x.ID.Entry}
	x.Stored, _ = s.stored.added.take(k)
	s.letGoStored(s.stored.receipts.put(k, Elsewhere{Conn: s.event.Conn.ID, Offset: x.Request.Offset}))
}

// readFrom says where the broker read the entry of a MESSAGE from a bookie, nil
// where that was not seen.
func (s *Session) readFrom(id MessageID) *Elsewhere {
	if !s.stored.seen {
		return nil
	}
	if at, ok := s.stored.read.get(entryKey{id.Ledger, id.Entry}); ok {
		found := at // only what is found has to be allocated
		return &found
	}
	return nil
}

// Stored is an entry on its way to or from a bookie.
type Stored struct {
	*bookie.Stored
	Frame *decode.Frame // the entry, read as that of a SEND is; nil where it is none of a message
}

// EachStored gives the entries of a frame between a broker and a bookie; what it
// gives is valid until the next one.
func (e *Event) EachStored(take func(*Stored)) {
	for i := range e.Bookie.Stored {
		x := Stored{Stored: &e.Bookie.Stored[i]}
		if f, ok := e.Bookie.ReadStored(i); ok {
			x.Frame = f
		}
		take(&x)
	}
}

// EachMessage gives the messages in an entry as of a SEND.
func (e *Event) EachMessage(x *Stored, take func(*Message)) {
	s := e.session
	if x.Frame == nil || s == nil || s.options.NoMessages {
		return
	}
	m := Message{}
	m.Txn, m.InTxn = TxnOf(x.Frame)
	s.unpacker.Frame(x.Frame, func(d *decode.Message) {
		m.Message = d
		take(&m)
	})
}
