package render

import (
	"io"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// What the overview shows at most, so that it stays on one or two screens. A
// capture may hold more: -o compact shows all that is kept.
const (
	shownConnections   = 15
	shownTopics        = 20
	shownSubscriptions = 6 // of a topic
	shownProblems      = 20
	keptConnections    = 10_000
)

// Analyze is the overview of a run: files, connections, topics, exchanges, and
// what is wrong, with where to look next. It writes all of it at the end.
type Analyze struct {
	w           io.Writer
	options     Options
	summary     *summary.Summary
	connections []connectionRow
	more        uint64               // connections beyond keptConnections
	open        map[int]*exchangeSum // by number of an open connection
	foreign     map[foreignKey]*foreignRow
	alerts      map[string]*tlsRow // fatal alerts of TLS
	unopened    map[string]*tlsRow // TLS connections not opened, by why
	txns        txnSum

	diagnosed bool                // rules were run
	found     []*diagnose.Finding // most severe first
	hits      []summary.Hit       // limits of the diagnosis
	stuck     []consumerRow       // consumers that somebody has to look after
	moreStuck uint64              // beyond keptConsumers
}

// exchangeSum is what became of the exchanges of a connection.
type exchangeSum struct{ errors, unanswered uint64 }

// NewAnalyze makes the face "analyze".
func NewAnalyze(w io.Writer, o Options) *Analyze {
	return &Analyze{
		w: w, options: o, summary: summary.New(o.Limits.Summary), open: map[int]*exchangeSum{},
		foreign: map[foreignKey]*foreignRow{}, alerts: map[string]*tlsRow{}, unopened: map[string]*tlsRow{},
	}
}

// Event counts an event.
func (a *Analyze) Event(e *session.Event) error {
	a.summary.Add(e)
	switch e.Kind {
	case session.ExchangeSeen:
		a.exchange(e)
	case session.ConnectionEnd:
		a.connection(e.Conn)
	case session.TxnSeen:
		a.transaction(e.Txn)
	}
	return nil
}

func (a *Analyze) exchange(e *session.Event) {
	r := e.Exchange.Result
	if r != session.Failed && r != session.Unanswered {
		return
	}
	sum := a.open[e.Conn.ID]
	if sum == nil {
		sum = &exchangeSum{}
		a.open[e.Conn.ID] = sum
	}
	if r == session.Failed {
		sum.errors++
	} else {
		sum.unanswered++
	}
}

func (a *Analyze) connection(c *session.Conn) {
	sum := a.open[c.ID]
	delete(a.open, c.ID)
	a.encryption(c)
	switch {
	case c.Protocol != decode.Pulsar:
		a.foreigner(c)
	case len(a.connections) >= keptConnections:
		a.more++
	default:
		a.connections = append(a.connections, newConnectionRow(c, sum))
	}
}

// Close writes the overview.
func (a *Analyze) Close(end *End) error {
	a.summary.Finish(end.Totals)
	if err := a.head(); err != nil {
		return err
	}
	if err := a.diagnosis(firstTime(end)); err != nil {
		return err
	}
	if err := a.transactions(firstTime(end)); err != nil {
		return err
	}
	for _, s := range []*sheet{a.connectionSheet(), a.foreignSheet(), a.topicSheet(), a.exchangeSheet()} {
		if err := s.print(a.w, &a.options); err != nil {
			return err
		}
	}
	return a.printProblems()
}

// terse says whether the overview is one for grep.
func (a *Analyze) terse() bool { return a.options.Format == Compact }
