package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

type entriesRecord struct {
	Entries  uint64 `json:"entries"`
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
}

func entriesOf(e summary.Entries) entriesRecord {
	return entriesRecord{e.Entries, e.Messages, e.Bytes}
}

type producedRecord struct {
	Topic     wireText `json:"topic,omitempty"`
	Others    uint64   `json:"others,omitempty"` // no topic: how often one had no row
	Producers uint64   `json:"producers"`
	entriesRecord
	Receipts   uint64 `json:"receipts"`
	Errors     uint64 `json:"errors"`
	Unanswered uint64 `json:"unanswered"`
}

type consumedRecord struct {
	Topic        wireText `json:"topic,omitempty"`
	Subscription wireText `json:"subscription,omitempty"`
	Others       uint64   `json:"others,omitempty"`
	Type         wireText `json:"type,omitempty"`
	Consumers    uint64   `json:"consumers"`
	entriesRecord
	Redelivered *uint64 `json:"redelivered,omitempty"`
	Acked       uint64  `json:"acked"`
	Unacked     *uint64 `json:"unacked,omitempty"`
}

type codecRecord struct {
	Codec string `json:"codec"`
	entriesRecord
}

// topics takes messages by topic, subscription and codec. What had no row of
// its own comes last.
func (r *summaryRecord) topics(s *summary.Summary) {
	r.Produced, r.Consumed, r.Messages, r.Txns = []producedRecord{}, []consumedRecord{}, tally{}, tally{}
	produced, rest, more := s.Produced()
	for i := range produced {
		r.Produced = append(r.Produced, producedOf(&produced[i], 0))
	}
	if more > 0 {
		r.Produced = append(r.Produced, producedOf(&rest, more))
	}
	consumed, others, more := s.Consumed()
	for i := range consumed {
		r.Consumed = append(r.Consumed, consumedOf(&consumed[i], 0))
	}
	if more > 0 {
		r.Consumed = append(r.Consumed, consumedOf(&others, more))
	}
	for state := range s.States {
		r.Messages.add(decode.State(state).String(), s.States[state].Count)
	}
	for state, n := range s.Txns {
		r.Txns.add(session.TxnState(state).String(), n)
	}
	r.codecs(s)
}

func producedOf(p *summary.Produced, others uint64) producedRecord {
	return producedRecord{wireText(p.Topic), others, p.Openers, entriesOf(p.Entries), p.Receipts, p.Errors, p.Unanswered}
}

func consumedOf(c *summary.Consumed, others uint64) consumedRecord {
	r := consumedRecord{Topic: wireText(c.Topic), Subscription: wireText(c.Subscription), Others: others, Type: wireText(c.Type),
		Consumers: c.Openers, entriesRecord: entriesOf(c.Entries), Acked: c.Acked}
	if c.Followed {
		r.Redelivered, r.Unacked = &c.Redelivered, &c.Unacked
	}
	return r
}

func (r *summaryRecord) codecs(s *summary.Summary) {
	r.Codecs = map[string][]codecRecord{}
	for d, name := range map[decode.Direction]string{decode.ClientToServer: "SEND", decode.ServerToClient: "MESSAGE"} {
		list := []codecRecord{}
		rows, others := s.Codecs(d)
		for _, c := range rows {
			list = append(list, codecRecord{c.Codec.String(), entriesOf(c.Entries)})
		}
		if others.Entries > 0 {
			list = append(list, codecRecord{"others", entriesOf(others)})
		}
		r.Codecs[name] = list
	}
}

type exchangesRecord struct {
	Results tally                       `json:"results"`
	Latency *latencyRecord              `json:"latency_ns,omitempty"`
	ByType  map[string]*exchangesRecord `json:"by_request,omitempty"`
}

// latencyRecord is in ns. Percentiles have two significant digits, all else is
// exact.
type latencyRecord struct {
	Count    uint64 `json:"count"`
	Min      int64  `json:"min"`
	P50      int64  `json:"p50"`
	P90      int64  `json:"p90"`
	P99      int64  `json:"p99"`
	Max      int64  `json:"max"`
	Negative uint64 `json:"negative,omitempty"`
}

func (r *summaryRecord) exchanges(s *summary.Summary) {
	r.Exchanges, r.BrokerDelay = map[string]*exchangesRecord{}, brokerDelayOf(s)
	for kind := range s.Exchanges {
		if x := &s.Exchanges[kind]; x.Total() > 0 {
			r.Exchanges[session.ExchangeKind(kind).String()] = exchangesOf(x)
		}
	}
	for _, kind := range []session.ExchangeKind{session.Request, session.Bookie} {
		if all := r.Exchanges[kind.String()]; all != nil {
			all.ByType = map[string]*exchangesRecord{}
			for _, q := range s.Requests(kind) {
				all.ByType[q.Name] = exchangesOf(&q.Exchanges)
			}
		}
	}
	r.Errors = troublesOf(s.Errors())
	r.Unanswered = troublesOf(s.Unanswered())
	r.Orphans = tally{}
	for _, o := range s.Orphans() {
		r.Orphans.add(o.What, o.Count)
	}
}

func exchangesOf(x *summary.Exchanges) *exchangesRecord {
	r := &exchangesRecord{Results: tally{}}
	for result, n := range x.Results {
		r.Results.add(session.Result(result).String(), n)
	}
	if x.Latency.Count > 0 {
		r.Latency = latencyOf(&x.Latency)
	}
	return r
}

func latencyOf(l *summary.Latencies) *latencyRecord {
	return &latencyRecord{l.Count, l.Min, l.Percentile(50), l.Percentile(90), l.Percentile(99), l.Max, l.Negative}
}

type troubleRecord struct {
	Request  string          `json:"request,omitempty"`
	What     wireText        `json:"what,omitempty"`
	Count    uint64          `json:"count"`
	Examples []exampleRecord `json:"examples,omitempty"`
}

func troublesOf(rows []summary.Trouble, others uint64) []troubleRecord {
	list := []troubleRecord{}
	for i := range rows {
		t := &rows[i]
		list = append(list, troubleRecord{t.Request, wireText(t.What), t.Count, examplesOf(&t.Noted)})
	}
	if others > 0 {
		list = append(list, troubleRecord{What: "others", Count: others})
	}
	return list
}
