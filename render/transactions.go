package render

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/session"
)

// keptTransactions is how many transactions a table shows at most.
const keptTransactions = 10_000

// shownParts is how many topics or subscriptions of a transaction a row names.
const shownParts = 4

// transactionRow is what a table shows of a transaction.
type transactionRow struct {
	id                    string
	conn                  int
	state                 session.TxnState
	by, why               string
	start                 int64 // ns since the Unix epoch
	opened                bool
	open, ending          string // durations, empty: not known
	topics, subscriptions string
	messages, acks        int64
	markers               int
	refused               string
}

func newTransactionRow(t *session.Transaction) transactionRow {
	r := transactionRow{
		id: t.ID.String(), conn: t.Conn.ID, state: t.State, by: t.EndedBy.String(), why: t.Why, start: t.First.Time, opened: t.Opened,
		topics: partNames(t, false), subscriptions: partNames(t, true), messages: t.Messages, acks: t.Acks, markers: len(t.Markers),
		refused: refusedWords(t),
	}
	if ns, ok := t.OpenFor(); ok {
		r.open = latencyText(ns)
	}
	if ns, ok := t.EndingFor(); ok {
		r.ending = latencyText(ns)
	}
	return r
}

// partNames names the topics or the subscriptions of a transaction.
func partNames(t *session.Transaction, subscriptions bool) string {
	var names []string
	more := 0
	for _, p := range t.Parts {
		switch {
		case p.IsSubscription != subscriptions:
		case len(names) == shownParts:
			more++
		case subscriptions:
			names = append(names, string(appendTopic(nil, p.Topic))+"/"+named(p.Subscription))
		default:
			names = append(names, string(appendTopic(nil, p.Topic)))
		}
	}
	if more > 0 {
		names = append(names, "+"+strconv.Itoa(more))
	}
	return strings.Join(names, " ")
}

// refusedWords name the refusals of a transaction: "ACK TransactionConflict".
func refusedWords(t *session.Transaction) string {
	if t.Refused == 0 {
		return ""
	}
	x := &t.Refusals[0]
	words := session.TypeName(&session.Ref{Type: x.Request}) + " " + visible(x.Error)
	if t.Refused > 1 {
		words += " +" + strconv.FormatUint(t.Refused-1, 10)
	}
	return words
}

// txnLooks are the states in words, and how they look.
var txnLooks = [...]struct {
	words string
	look  style
}{
	session.TxnUnknown:    {"unknown", faint},
	session.TxnOpen:       {"open", doubtful},
	session.TxnCommitting: {"committing", doubtful},
	session.TxnCommitted:  {"committed", good},
	session.TxnAborting:   {"aborting", doubtful},
	session.TxnAborted:    {"aborted", plain},
	session.TxnFailed:     {"end refused", wrong},
}

// whyOpen says why a transaction was not seen to end.
var whyOpen = map[string]string{
	"capture_end": "the capture ends", "conn_closed": "its connection was closed", "limit": "too many to follow", "number_used_anew": "its number was used anew",
}

// notes say for people why it was not seen to end, and what was refused.
func (r *transactionRow) notes() string {
	notes := whyOpen[r.why]
	switch {
	case r.refused == "":
		return notes
	case notes == "":
		return "refused: " + r.refused
	}
	return notes + "; refused: " + r.refused
}

// notable says whether somebody has to look after the transaction.
func (r *transactionRow) notable() bool {
	return r.why != "" || r.state == session.TxnFailed || r.by == session.EndedByCoordinator.String() || r.refused != ""
}

var transactionColumns = []sheetColumn{
	{title: "TXN", name: "txn"}, {title: "CONN", name: "conn"}, {title: "STATE", name: "state"}, {title: "BY", name: "by", spare: 2},
	{title: "START", name: "start", right: true}, {title: "OPEN", name: "open", right: true, spare: 1}, {title: "ENDING", name: "ending", right: true, spare: 4},
	{title: "MSGS", name: "messages", right: true}, {title: "ACKS", name: "acks", right: true}, {title: "MARKERS", name: "markers", right: true, spare: 3},
	{title: "TOPICS", name: "topics", least: 12}, {title: "SUBS", name: "subscriptions", least: 12}, {title: "NOTES", least: 12},
	{title: "UNFINISHED", name: "unfinished"}, {title: "REFUSED", name: "refused"},
}

func (r *transactionRow) cells(s *stamps, terse bool) []styled {
	look := &txnLooks[r.state]
	state, notes, why, refused := look.words, r.notes(), "", ""
	if terse {
		state, notes, why, refused = r.state.String(), "", r.why, r.refused
	}
	start, markers := string(s.append(nil, r.start, false)), ""
	if r.markers > 0 {
		markers = strconv.Itoa(r.markers)
	}
	if !r.opened && !terse {
		start = "<" + start
	}
	return []styled{
		{subject, r.id}, {plain, string(appendLabel(nil, r.conn))}, {look.look, state}, {plain, r.by}, {plain, start},
		{plain, r.open}, {plain, r.ending}, {plain, strconv.FormatInt(r.messages, 10)}, {plain, strconv.FormatInt(r.acks, 10)},
		{plain, markers}, {plain, r.topics}, {plain, r.subscriptions}, {doubtful, notes}, {doubtful, why}, {wrong, refused},
	}
}

// transactionSheet shows transactions in the order of their beginning.
func transactionSheet(title string, rows []transactionRow, s *stamps, terse bool) *sheet {
	slices.SortStableFunc(rows, func(a, b transactionRow) int { return int(min(max(a.start-b.start, -1), 1)) })
	t := &sheet{kind: "transaction", title: title, columns: transactionColumns}
	for i := range rows {
		t.rows = append(t.rows, rows[i].cells(s, terse))
	}
	if !terse && len(rows) > 0 {
		for _, title := range []string{"MARKERS", "NOTES", "UNFINISHED", "REFUSED"} {
			t.dropEmpty(title)
		}
	}
	return t
}

// Transactions is the face "txns": what became of each transaction. It writes
// all at the end.
type Transactions struct {
	w       io.Writer
	options Options
	rows    []transactionRow
	more    uint64 // beyond keptTransactions
}

// NewTransactions makes the face "txns".
func NewTransactions(w io.Writer, o Options) *Transactions { return &Transactions{w: w, options: o} }

// Event takes a transaction.
func (t *Transactions) Event(e *session.Event) error {
	switch {
	case e.Kind != session.TxnSeen:
	case len(t.rows) == keptTransactions:
		t.more++
	default:
		t.rows = append(t.rows, newTransactionRow(e.Txn))
	}
	return nil
}

// Close writes the table.
func (t *Transactions) Close(end *End) error {
	if len(t.rows) == 0 {
		return writeNothing(t.w, newLine(&t.options), end, "no transaction was seen")
	}
	s := stamps{wall: t.options.WallClock}
	s.begin(firstTime(end))
	sheet := transactionSheet("TRANSACTIONS", t.rows, &s, t.options.Format == Compact)
	sheet.first = true
	sheet.note = transactionNote(t.rows, &s)
	if t.more > 0 {
		sheet.note = "and " + plural(t.more, "more transaction") + ". " + sheet.note
	}
	return sheet.print(t.w, &t.options)
}

// transactionNote explains what the columns do not.
func transactionNote(rows []transactionRow, s *stamps) string {
	note := "Start: " + s.caption() + ".\nOpen: until its end was asked for; ending: from then until the answer."
	if slices.ContainsFunc(rows, func(r transactionRow) bool { return !r.opened }) {
		note += "\n<: it began before, its opening was not captured."
	}
	return note
}
