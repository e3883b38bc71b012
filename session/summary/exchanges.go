package summary

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// Exchanges counts exchanges of one kind, or of one request.
type Exchanges struct {
	Results [session.Repeat + 1]uint64 // by Result
	Latency Latencies                  // of those that have one; of a cumulative ACK that of every delivery it covers
}

// Total is how many exchanges there were.
func (x *Exchanges) Total() (n uint64) {
	for _, r := range x.Results {
		n += r
	}
	return n
}

func (x *Exchanges) add(of *session.Exchange) {
	x.Results[of.Result]++
	if of.Cumulative {
		for i := range of.Covers {
			x.Latency.Add(of.Covers[i].Latency)
		}
		return
	}
	if ns, ok := of.Latency(); ok {
		x.Latency.Add(ns)
	}
}

// asked groups exchanges that went wrong alike.
type asked struct {
	request int32  // type of the request, -1 if there is none
	what    string // code of the error, or why there was no answer
}

func (s *Summary) exchange(e *session.Event) {
	x := e.Exchange
	s.Exchanges[x.Kind].add(x)
	if (x.Kind == session.Request || x.Kind == session.Bookie) && x.HasRequest {
		s.requests.row(x.Request.Type, 0).add(x)
	}
	switch x.Kind {
	case session.Send:
		s.answered(e)
	case session.Ack:
		s.acknowledged(e)
	}
	s.trouble(e)
}

// trouble takes an example of an exchange that is not as it should be.
func (s *Summary) trouble(e *session.Event) {
	x := e.Exchange
	if x.Result == session.OrphanResponse {
		s.orphans.row(x.Response.Type, 0).note(e, "")
	}
	if x.Result == session.Unanswered {
		n := s.unanswered.row(asked{x.Request.Type, x.Why}, len(x.Why))
		n.note(e, ids(x, n.Count < maxExamples))
	}
	if x.Result == session.Failed || x.Error != "" {
		k := asked{-1, x.Error}
		if x.HasRequest {
			k.request = x.Request.Type
		}
		s.errors.row(k, len(x.Error)).note(e, x.Text)
	}
}

// ids names an exchange by what ties it together.
func ids(x *session.Exchange, wanted bool) string {
	switch {
	case !wanted:
	case x.Kind == session.Request:
		return "request_id " + strconv.FormatUint(x.RequestID, 10)
	case x.Kind == session.Send:
		return "producer_id " + strconv.FormatUint(x.ProducerID, 10) + ", sequence_id " + strconv.FormatUint(x.SequenceID, 10)
	case x.Kind == session.Bookie && x.Ask.HasLedger:
		return strconv.FormatInt(x.Ask.Ledger, 10) + ":" + strconv.FormatInt(x.Ask.Entry, 10)
	case x.Kind == session.Watch:
		return "watch " + strconv.FormatUint(x.WatchID, 10)
	}
	return ""
}

// Request is what became of the requests of one type.
type Request struct {
	Type int32
	Name string
	Exchanges
}

// Requests gives the exchanges of kind request, or bookie, by type of the
// request.
func (s *Summary) Requests(kind session.ExchangeKind) (rows []Request) {
	s.requests.each(func(t int32, x *Exchanges) {
		if (t >= decode.BookieTypes) == (kind == session.Bookie) {
			rows = append(rows, Request{t, decode.TypeName(t), *x})
		}
	})
	slices.SortFunc(rows, func(a, b Request) int { return cmp.Compare(a.Type, b.Type) })
	return rows
}

// Trouble is a group of exchanges that went wrong alike.
type Trouble struct {
	Request string // type of the request, empty where there is none
	What    string // code of the error, or why there was no answer
	Noted
}

// Errors gives what peers answered with an error, by request and code: the text
// of an example is the one that came with it. The count of those without a row
// is in others.
func (s *Summary) Errors() (rows []Trouble, others uint64) {
	return troubles(&s.errors), s.errors.others.Count
}

// Unanswered gives the requests without an answer, by type and why.
func (s *Summary) Unanswered() (rows []Trouble, others uint64) {
	return troubles(&s.unanswered), s.unanswered.others.Count
}

// Orphans gives the responses without a request, by their type.
func (s *Summary) Orphans() (rows []Trouble) {
	s.orphans.each(func(t int32, n *Noted) { rows = append(rows, Trouble{What: decode.TypeName(t), Noted: *n}) })
	slices.SortFunc(rows, compareTroubles)
	return rows
}

func troubles(t *table[asked, Noted]) (rows []Trouble) {
	t.each(func(k asked, n *Noted) {
		row := Trouble{What: k.what, Noted: *n}
		if k.request >= 0 {
			row.Request = decode.TypeName(k.request)
		}
		rows = append(rows, row)
	})
	slices.SortFunc(rows, compareTroubles)
	return rows
}

func compareTroubles(a, b Trouble) int {
	return cmp.Or(strings.Compare(a.Request, b.Request), strings.Compare(a.What, b.What))
}
