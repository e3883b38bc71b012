package session

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
)

// Ask is what ties a response of a bookie to its request, and what it is about.
type Ask struct {
	Ledger, Entry       int64 // entry -1: the last add confirmed
	HasLedger, HasEntry bool
	TxnID               uint64 // of version 3, request_id of a batched read
	HasTxn              bool
}

func askOf(p *bookie.Packet) *Ask {
	return &Ask{p.Ledger, p.Entry, p.HasLedger, p.HasEntry, p.TxnID, p.HasTxn}
}

// or fills in what only the request says: a response of version 3 that tells of
// an error need not repeat the ids.
func (a *Ask) or(of *Ask) {
	if !a.HasLedger {
		a.Ledger, a.HasLedger = of.Ledger, of.HasLedger
	}
	if !a.HasEntry {
		a.Entry, a.HasEntry = of.Entry, of.HasEntry
	}
}

// bookieKey ties a response to its request. In version 2 that is the ids, but
// for batched reads; AUTH has none.
type bookieKey struct {
	op            bookie.Op
	ledger, entry int64
	txn           uint64
}

func bookieKeyOf(p *bookie.Packet) (k bookieKey, ok bool) {
	k.op = p.Op
	switch {
	case p.HasTxn:
		k.txn = p.TxnID
	case p.HasLedger && p.HasEntry:
		k.ledger, k.entry = p.Ledger, p.Entry
	default:
		return k, p.Version == 2 && p.Op == bookie.Auth
	}
	return k, true
}

// bookieRequest waits for its response.
type bookieRequest struct {
	Ref
	ask *Ask
}

func bookieRef(f *decode.BookieFrame) Ref {
	return Ref{f.Type(), f.Direction, f.Last.TimeUnknown, f.Last.Packet, f.Last.Time, f.Offset}
}

// bookie takes a frame between a broker and a bookie.
func (s *Session) bookie(c *Conn, f *decode.BookieFrame) {
	s.stored.seen = true
	s.event.Bookie = f
	s.emit(BookieSeen)
	s.markedAtBookie(c, f)
	k, ok := bookieKeyOf(f.Packet)
	switch {
	case !ok:
	case f.Role == bookie.Request:
		s.askBookie(c, k, bookieRequest{bookieRef(f), askOf(f.Packet)})
	default:
		s.bookieAnswers(c, k, f)
	}
}

func (s *Session) askBookie(c *Conn, k bookieKey, r bookieRequest) {
	if c.bookieRequests == nil {
		c.bookieRequests = map[bookieKey][]bookieRequest{}
	}
	if len(c.bookieRequests) >= s.limits.RequestsPerConnection {
		s.dropBookieRequest(c)
	}
	c.bookieRequests[k] = append(c.bookieRequests[k], r)
}

// dropBookieRequest lets the oldest open request go.
func (s *Session) dropBookieRequest(c *Conn) {
	var oldest bookieKey
	var first *bookieRequest
	for k, open := range c.bookieRequests {
		if r := &open[0]; first == nil || r.before(&first.Ref) {
			oldest, first = k, r
		}
	}
	s.counters.Requests++
	s.give(Exchange{Kind: Bookie, Result: Unanswered, HasRequest: true, Request: first.Ref, Ask: first.ask, Why: "limit"})
	delete(c.bookieRequests, oldest)
}

// bookieAnswers finds the request that a response answers.
func (s *Session) bookieAnswers(c *Conn, k bookieKey, f *decode.BookieFrame) {
	x := Exchange{Kind: Bookie, HasResponse: true, Response: bookieRef(f), Ask: askOf(f.Packet)}
	if f.HasStatus && f.Status != bookie.OK {
		x.Result, x.Error = Failed, f.Status.String()
	}
	if r, ok := c.askedBookie(k); ok {
		x.HasRequest, x.Request = true, r.Ref
		x.Ask.or(r.ask)
	} else {
		x.Result = OrphanResponse
	}
	s.linkStored(c, f, &x)
	s.give(x)
}

// askedBookie takes out the oldest request of a key.
func (c *Conn) askedBookie(k bookieKey) (r bookieRequest, ok bool) {
	open := c.bookieRequests[k]
	switch len(open) {
	case 0:
		return r, false
	case 1:
		delete(c.bookieRequests, k)
		return open[0], true
	}
	r = open[0]
	c.bookieRequests[k] = append(open[:0], open[1:]...)
	return r, true
}

// unansweredBookie gives the requests that have no response.
func (c *Conn) unansweredBookie(take func(Exchange, Ref)) {
	for _, open := range c.bookieRequests {
		for _, r := range open {
			take(Exchange{Kind: Bookie, Ask: r.ask}, r.Ref)
		}
	}
	c.bookieRequests = nil
}
