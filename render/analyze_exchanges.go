package render

import (
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// exchangeRows are the kinds of exchanges in the order of the overview. One
// without a name stands for a row for each type of request.
var exchangeRows = []struct {
	kind session.ExchangeKind
	name string
}{
	{session.Connect, "CONNECT"},
	{session.Auth, "AUTH_CHALLENGE"},
	{session.Request, ""},
	{session.Watch, "watches"},
	{session.Send, "SEND"},
	{session.Ack, "MESSAGE → ACK"},
	{session.Ping, "PING"},
	{session.Bookie, ""},
}

// exchangeSheet shows how requests went, and how long they took.
func (a *Analyze) exchangeSheet() *sheet {
	s := &sheet{kind: "exchange", title: "REQUESTS AND HOW LONG THEY TOOK", columns: []sheetColumn{
		{title: "REQUEST", least: 20}, {title: "COUNT", name: "count", right: true}, {title: "OK", name: "ok", right: true},
		{title: "ERROR", name: "error", right: true}, {title: "NO ANSWER", name: "unanswered", right: true}, {title: "OTHER", name: "other", right: true, spare: 2},
		{title: "P50", name: "p50", right: true}, {title: "P90", name: "p90", right: true, spare: 1},
		{title: "P99", name: "p99", right: true}, {title: "MAX", name: "max", right: true},
	}}
	for _, row := range exchangeRows {
		if row.name != "" {
			s.addExchanges(row.name, &a.summary.Exchanges[row.kind])
			continue
		}
		for _, q := range a.summary.Requests(row.kind) {
			s.addExchanges(q.Name, &q.Exchanges)
		}
	}
	s.addBrokerDelay(&a.summary.BrokerDelay)
	return s
}

func (s *sheet) addExchanges(name string, x *summary.Exchanges) {
	total := x.Total()
	if total == 0 {
		return
	}
	ok, failed := x.Results[session.OK], x.Results[session.Failed]
	open := x.Results[session.Unanswered] + x.Results[session.Unacked]
	row := []styled{
		{subject, name}, {plain, countText(total)}, {plain, countText(ok)}, alarming(failed, wrong), alarming(open, doubtful),
		alarming(total-ok-failed-open, plain),
	}
	for _, p := range []float64{50, 90, 99} {
		row = append(row, styled{plain, percentile(&x.Latency, p)})
	}
	s.rows = append(s.rows, append(row, styled{plain, percentile(&x.Latency, 100)}))
}

func percentile(l *summary.Latencies, p float64) string {
	switch {
	case l.Count == 0:
		return ""
	case p == 100:
		return latencyText(l.Max)
	}
	return latencyText(l.Percentile(p))
}

// addBrokerDelay adds the row of the delay to the sheet of exchanges, and the
// warning below it.
func (s *sheet) addBrokerDelay(l *summary.Latencies) {
	if l.Count == 0 {
		return
	}
	row := []styled{{subject, "publish → broker"}, {plain, countText(l.Count)}, {}, {}, {}, {}}
	for _, p := range []float64{50, 90, 99, 100} {
		row = append(row, styled{plain, percentile(l, p)})
	}
	s.rows = append(s.rows, row)
	s.note = bothClocks
}
