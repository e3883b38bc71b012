package render

import (
	"strings"

	"pulsar-dissect/session"
)

// shownTransactions is how many transactions an overview shows of those that
// somebody has to look after.
const shownTransactions = 10

// txnSum are the transactions of a run.
type txnSum struct {
	rows   []transactionRow
	left   uint64                // notable ones that rows has no room for
	all    uint64                // in all
	states [len(txnLooks)]uint64 // by state
	byTC   uint64                // ended by the coordinator of itself
}

// transaction counts a transaction, and keeps one that did not end as its client
// wanted.
func (a *Analyze) transaction(t *session.Transaction) {
	s := &a.txns
	s.all++
	s.states[t.State]++
	if t.EndedBy == session.EndedByCoordinator {
		s.byTC++
	}
	row := newTransactionRow(t)
	switch {
	case !a.terse() && !row.notable():
	case len(s.rows) == keptTransactions:
		s.left++
	default:
		s.rows = append(s.rows, row)
	}
}

// words say how many transactions there were: "3 transactions: 2 committed, 1
// aborted".
func (s *txnSum) words() string {
	var states []string
	for state, n := range s.states {
		if n > 0 {
			states = append(states, countText(n)+" "+txnLooks[state].words)
		}
	}
	words := plural(s.all, "transaction") + ": " + strings.Join(states, ", ")
	if s.byTC > 0 {
		words += "; " + countText(s.byTC) + " ended by the coordinator of itself"
	}
	return words
}

// transactions writes how many there were, and those that somebody has to look
// after.
func (a *Analyze) transactions(first int64) error {
	if a.txns.all == 0 {
		return nil
	}
	rows := a.txns.rows
	s := stamps{wall: a.options.WallClock}
	s.begin(first)
	if a.terse() {
		return transactionSheet("", rows, &s, true).print(a.w, &a.options)
	}
	more := uint64(len(rows)) + a.txns.left
	rows = rows[:min(len(rows), shownTransactions)]
	more -= uint64(len(rows))
	l := newLine(&a.options)
	l.begin()
	l.puts(heading, "TRANSACTIONS")
	text := append([]byte{'\n'}, l.end()...)
	l.begin()
	l.puts(plain, a.txns.words())
	text = append(text, l.end()...)
	l.begin()
	l.width = 0 // a command that is cut is of no use
	l.puts(faint, "look: "+a.options.command("txns"))
	if _, err := a.w.Write(append(text, l.end()...)); err != nil {
		return err
	}
	t := transactionSheet("TRANSACTIONS TO LOOK AT", rows, &s, false)
	if more > 0 {
		t.note = "and " + plural(more, "more")
	}
	return t.print(a.w, &a.options)
}
