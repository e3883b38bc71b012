package render

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"pulsar-dissect/session"
	"pulsar-dissect/session/stats"
)

// StatsOptions says what the face "stats" counts.
type StatsOptions struct {
	stats.Options
	Sort  stats.Order
	Until func() int64 // ns since the Unix epoch: what comes later does not count; nil: everything does
}

// Stats is the face "stats": counts, rates and latencies, a row each. It writes
// all at the end.
type Stats struct {
	w       io.Writer
	options Options
	chosen  StatsOptions
	stats   *stats.Stats
}

// NewStats makes the face "stats".
func NewStats(w io.Writer, o Options, s StatsOptions) *Stats {
	return &Stats{w: w, options: o, chosen: s, stats: stats.New(s.Options)}
}

// Event counts an event.
func (s *Stats) Event(e *session.Event) error {
	if !s.chosen.late(e) {
		s.stats.Add(e)
	}
	return nil
}

// late says whether an event comes after the time up to which is counted.
func (o *StatsOptions) late(e *session.Event) bool {
	return o.Until != nil && stats.Until(e) > o.Until()
}

// Close writes the rows.
func (s *Stats) Close(end *End) error {
	rows := s.stats.Rows(s.chosen.Sort)
	switch {
	case s.options.Format.IsRecords():
		return s.records(rows)
	case len(rows) == 0:
		return writeNothing(s.w, newLine(&s.options), end, "nothing was there to be counted")
	}
	if len(rows) > 1 && s.options.Format == Table {
		rows = append(rows, s.total(rows))
	}
	sheet := s.sheet(rows, firstTime(end))
	sheet.first = true
	return sheet.print(s.w, &s.options)
}

// total is the sum of all rows.
func (s *Stats) total(rows []*stats.Row) *stats.Row {
	t := stats.Total(rows)
	t.Others = true
	t.Topic = allRows
	return t
}

const allRows = "(all)"

// statsNames are the columns that name a row, by grouping.
var statsNames = map[stats.By][]statsName{
	stats.ByTopic:        {statsTopic},
	stats.BySubscription: {statsTopic, statsSubscription},
	stats.ByProducer:     {statsTopic, {sheetColumn{title: "PRODUCER", name: "producer", least: 12, names: true}, func(r *stats.Row) string { return shown(cmp.Or(r.Name, r.Producer)) }}, statsConn},
	stats.ByConsumer:     {statsTopic, statsSubscription, {sheetColumn{title: "CONSUMER", name: "consumer", least: 10, names: true}, func(r *stats.Row) string { return shown(cmp.Or(r.Name, r.Consumer)) }}, statsConn},
	stats.ByConnection:   {statsConn},
	stats.ByClient:       {{sheetColumn{title: "CLIENT", name: "client", least: 16}, func(r *stats.Row) string { return cmp.Or(shown(r.Client), "(not seen)") }}},
	stats.ByCommand:      {{sheetColumn{title: "COMMAND"}, func(r *stats.Row) string { return r.Command }}},
}

type statsName struct {
	column sheetColumn
	of     func(*stats.Row) string
}

var (
	statsTopic        = statsName{sheetColumn{title: "TOPIC", least: 24, names: true}, func(r *stats.Row) string { return topicName(r.Topic) }}
	statsSubscription = statsName{sheetColumn{title: "SUBSCRIPTION", name: "subscription", least: 12, names: true}, func(r *stats.Row) string { return shown(r.Subscription) }}
	statsConn         = statsName{sheetColumn{title: "CONNECTION", name: "conn", least: 20, names: true, spare: 1}, func(r *stats.Row) string { return r.Conn }}
)

// shown is a name from the wire, fit for a terminal.
func shown(name string) string { return string(appendName(nil, name)) }

// measure is a column of numbers. of gives an empty text where a row has none.
type measure struct {
	column sheetColumn
	of     func(s *Stats, r *stats.Row) string
}

func numbers(title, name string, spare int, of func(*Stats, *stats.Row) string) measure {
	return measure{sheetColumn{title: title, name: name, right: true, spare: spare}, of}
}

// measures are the columns of numbers. Those that are empty in all rows are
// left out.
var measures = []measure{
	numbers("FRAMES", "frames", 9, func(_ *Stats, r *stats.Row) string { return countText(r.Frames) }),
	numbers("BYTES", "bytes", 0, func(_ *Stats, r *stats.Row) string { return sizeText(int64(r.FrameBytes)) }),
	numbers("SENT", "sent", 0, func(_ *Stats, r *stats.Row) string { return some(r.In.Messages) }),
	numbers("/S", "sent_per_s", 3, func(s *Stats, r *stats.Row) string { return s.perSecond(r, r.In.Messages) }),
	numbers("BATCH", "batch", 4, func(_ *Stats, r *stats.Row) string { return factor(r.In.BatchSize()) }),
	numbers("RATIO", "ratio", 5, func(_ *Stats, r *stats.Row) string { return factor(r.In.Compression()) }),
	numbers("DELIVERED", "delivered", 0, func(_ *Stats, r *stats.Row) string { return some(r.Out.Messages) }),
	numbers("/S", "delivered_per_s", 3, func(s *Stats, r *stats.Row) string { return s.perSecond(r, r.Out.Messages) }),
	numbers("COUNT>0", "redelivered", 2, func(_ *Stats, r *stats.Row) string { return partly(r.RedeliveryRate()) }),
	numbers("ACKED", "acked", 0, func(_ *Stats, r *stats.Row) string { return some(r.Acked) }),
	numbers("ERRORS", "errors", 0, func(_ *Stats, r *stats.Row) string { return some(r.Errors) }),
	numbers("UNANSWERED", "unanswered", 0, func(_ *Stats, r *stats.Row) string { return some(r.Unanswered) }),
	latencyColumn("SEND", session.Send, 50, 6), latencyColumn("SEND", session.Send, 99, 0), latencyColumn("SEND", session.Send, 100, 7),
	latencyColumn("ACK", session.Ack, 50, 6), latencyColumn("ACK", session.Ack, 99, 0), latencyColumn("ACK", session.Ack, 100, 7),
	latencyColumn("REQUEST", session.Request, 50, 8), latencyColumn("REQUEST", session.Request, 99, 1), latencyColumn("REQUEST", session.Request, 100, 8),
}

// latencyColumn is a percentile of the exchanges of a kind; 100 is the longest.
func latencyColumn(title string, kind session.ExchangeKind, p float64, spare int) measure {
	which := "p" + strconv.Itoa(int(p))
	if p == 100 {
		which = "max"
	}
	return numbers(title+" "+which, kind.String()+"_"+which, spare, func(_ *Stats, r *stats.Row) string {
		if l := r.Latencies[kind]; l != nil {
			return percentile(l, p)
		}
		return ""
	})
}

// some is a count, or nothing where there is none.
func some(n uint64) string {
	if n == 0 {
		return ""
	}
	return countText(n)
}

func factor(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

func partly(part float64) string {
	if part == 0 {
		return ""
	}
	return strconv.FormatFloat(100*part, 'f', 1, 64) + "%"
}

func (s *Stats) perSecond(r *stats.Row, n uint64) string {
	seconds := s.stats.Seconds(r)
	if n == 0 || seconds <= 0 {
		return ""
	}
	return string(appendThree(nil, float64(n)/seconds, false))
}

// sheet lays the rows out. first is the time of the run's first packet.
func (s *Stats) sheet(rows []*stats.Row, first int64) *sheet {
	names := statsNames[s.stats.By()]
	t := &sheet{kind: string(s.stats.By()), title: "BY " + strings.ToUpper(string(s.stats.By()))}
	clock := stamps{wall: s.options.WallClock}
	clock.begin(first)
	if s.stats.Interval() > 0 {
		t.columns = append(t.columns, sheetColumn{title: "FROM", name: "from", right: true})
	}
	for _, n := range names {
		t.columns = append(t.columns, n.column)
	}
	for _, m := range measures {
		t.columns = append(t.columns, m.column)
	}
	for _, r := range rows {
		var cells []styled
		if s.stats.Interval() > 0 {
			cells = append(cells, styled{faint, startOf(&clock, r, first)})
		}
		for i, n := range names {
			cells = append(cells, nameCell(r, i, n.of))
		}
		for _, m := range measures {
			cells = append(cells, styled{plain, m.of(s, r)})
		}
		t.rows = append(t.rows, cells)
	}
	t.dropBlank(len(t.columns) - len(measures))
	if s.stats.Overflown > 0 {
		t.note = "Not everything has a row of its own: there is too much of it."
	}
	return t
}

// startOf is when the interval of a row begins, or the run where that is later.
func startOf(clock *stamps, r *stats.Row, first int64) string {
	if r.Others {
		return ""
	}
	return string(clock.append(nil, max(r.Start, first), false))
}

// nameCell is a name of a row; the first one tells of rows that are of others.
func nameCell(r *stats.Row, i int, of func(*stats.Row) string) styled {
	switch {
	case !r.Others:
		return styled{subject, of(r)}
	case i > 0:
		return styled{}
	case r.Topic == allRows:
		return styled{faint, allRows}
	}
	return styled{faint, "(others)"}
}

// dropBlank leaves out the columns from one on in which no row has anything.
func (s *sheet) dropBlank(from int) {
	for i := len(s.columns) - 1; i >= from; i-- {
		blank := true
		for _, row := range s.rows {
			blank = blank && row[i].text == ""
		}
		if blank {
			s.drop(i)
		}
	}
}
