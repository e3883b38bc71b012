package render

import (
	"io"
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// Pairs is a line for every exchange, at the time of its response.
type Pairs struct {
	w       io.Writer
	grid    *grid
	line    line
	head    line
	stamps  stamps
	label   []byte
	scratch []byte
}

// The columns of pairs.
const (
	pairsTime = iota
	pairsConn
	pairsPackets
	pairsRequest
	pairsResponse
	pairsLatency
	pairsResult
	pairsDetails
)

// NewPairs makes the face "pairs".
func NewPairs(w io.Writer, o Options) *Pairs {
	request, response := 20, 29 // PARTITIONED_METADATA and its response
	narrow := o.Width > 0 && o.Width < wideWidth
	if narrow {
		request, response = 20, 13
	}
	return &Pairs{
		w: w, line: newLine(&o), head: newLine(&o), stamps: stamps{wall: o.WallClock, start: o.Start},
		grid: newGrid(&o, []column{
			pairsTime:     {title: "ASKED AT", width: timeWidth(&o), right: true},
			pairsConn:     {title: "CONN", width: 4},
			pairsPackets:  {title: "PACKETS", width: 11},
			pairsRequest:  {title: "REQUEST", width: request, cut: narrow},
			pairsResponse: {title: "RESPONSE", width: response, cut: narrow},
			pairsLatency:  {title: "LATENCY", width: 8, right: true},
			pairsResult:   {title: "RESULT", width: 10},
			pairsDetails:  {title: "DETAILS"},
		}),
	}
}

// Event writes the line of an exchange.
func (p *Pairs) Event(e *session.Event) error {
	if e.Kind != session.ExchangeSeen {
		return nil
	}
	if !p.stamps.begun {
		if err := p.begin(e); err != nil {
			return err
		}
	}
	_, err := p.w.Write(p.row(e))
	return err
}

// Close says so if there was no exchange.
func (p *Pairs) Close(end *End) error {
	if p.stamps.begun {
		return nil
	}
	return writeNothing(p.w, p.line, end, "no request was seen")
}

func (p *Pairs) begin(e *session.Event) error {
	p.stamps.begin(e.Conn.TCP.First.Time)
	if p.grid.terse {
		return nil
	}
	text := appendWrapped(nil, &p.line, faint, "", "Times are "+p.stamps.caption()+". Connections (c0, c1, ...): conn_id in -o json, analyze lists them.")
	_, err := p.w.Write(append(text, p.grid.head(&p.head)...))
	return err
}

var resultStyles = map[session.Result]style{
	session.OK: good, session.Failed: wrong, session.Unanswered: wrong, session.Intermediate: faint,
	session.OrphanResponse: doubtful, session.Unacked: doubtful, session.Redelivered: doubtful, session.Repeat: doubtful,
}

// resultNames are shorter where the column is narrow.
func resultName(r session.Result) string {
	if r == session.OrphanResponse {
		return "orphan"
	}
	return r.String()
}

func (p *Pairs) row(e *session.Event) []byte {
	x, l, g := e.Exchange, &p.line, p.grid
	l.begin()
	asked := &x.Request
	if !x.HasRequest {
		asked = &x.Response
	}
	g.cell(l, pairsTime, faint, p.stamps.append(p.scratch[:0], asked.Time, asked.TimeUnknown))
	g.cell(l, pairsConn, subject, appendLabel(p.label[:0], e.Conn.ID))
	g.cell(l, pairsPackets, faint, appendPackets(p.scratch[:0], x))
	g.cell(l, pairsRequest, plain, refName(x.HasRequest, &x.Request))
	g.cell(l, pairsResponse, plain, refName(x.HasResponse, &x.Response))
	p.scratch = p.scratch[:0]
	if ns, ok := x.Latency(); ok && !x.Cumulative {
		p.scratch = appendLatency(p.scratch, ns)
	}
	g.cell(l, pairsLatency, plain, p.scratch)
	g.cell(l, pairsResult, resultStyles[x.Result], []byte(resultName(x.Result)))
	p.scratch = appendExchange(p.scratch[:0], e)
	g.cell(l, pairsDetails, plain, p.scratch)
	return l.end()
}

func refName(there bool, r *session.Ref) []byte {
	if !there {
		return []byte("-")
	}
	return []byte(decode.TypeName(r.Type))
}

// appendPackets appends the packets of both sides.
func appendPackets(dst []byte, x *session.Exchange) []byte {
	if x.HasRequest {
		dst = strconv.AppendUint(dst, x.Request.Packet, 10)
	}
	if x.HasRequest && x.HasResponse {
		dst = append(dst, "→"...)
	}
	if x.HasResponse {
		dst = strconv.AppendUint(dst, x.Response.Packet, 10)
	}
	return dst
}

// appendExchange appends what there is to say of an exchange: error, why there
// was no answer, ids, topic.
func appendExchange(dst []byte, e *session.Event) []byte {
	x, start := e.Exchange, len(dst)
	if x.Error != "" {
		dst = append(dst, x.Error...)
	}
	if x.Text != "" {
		dst = append(appendError(append(separate(dst, start), '"'), x.Text), '"')
	}
	if x.Why != "" {
		dst = append(append(separate(dst, start), '('), reason(x.Why)...)
		dst = append(dst, ')')
	}
	if x.Kind != session.Connect {
		dst = exchangeIDs(separate(dst, start), x)
	}
	if topic := e.Topic(); topic != "" {
		dst = appendTopic(append(separate(dst, start), "on "...), topic)
	}
	if e.Producer == nil && e.Consumer != nil && e.Consumer.Subscription != "" {
		dst = appendName(append(dst, " / "...), e.Consumer.Subscription)
	}
	if p := x.Proxy; p != nil {
		dst = appendLatency(append(separate(dst, start), "proxy took "...), p.Request)
		dst = appendLatency(append(dst, " and "...), p.Response)
	}
	return dst
}

// idWords append the ids that tie an exchange together: one row a kind.
var idWords = map[session.ExchangeKind]func([]byte, *session.Exchange) []byte{
	session.Request: func(dst []byte, x *session.Exchange) []byte {
		return strconv.AppendInt(append(dst, "request "...), int64(x.RequestID), 10)
	},
	session.Send: func(dst []byte, x *session.Exchange) []byte {
		dst = strconv.AppendUint(append(dst, "producer "...), x.ProducerID, 10)
		dst = strconv.AppendInt(append(dst, " seq "...), int64(x.SequenceID), 10)
		if x.HasID {
			dst = appendEntryID(append(dst, " stored as "...), &x.ID)
		}
		if n := len(x.Stored); n > 0 {
			dst = append(append(dst, " on "...), plural(n, "bookie")...)
		}
		return dst
	},
	session.Ack:    ackWords,
	session.Bookie: askWords,
	session.Watch: func(dst []byte, x *session.Exchange) []byte {
		return strconv.AppendUint(append(dst, "watch "...), x.WatchID, 10)
	},
}

func exchangeIDs(dst []byte, x *session.Exchange) []byte {
	if words := idWords[x.Kind]; words != nil {
		return words(dst, x)
	}
	return dst
}

func ackWords(dst []byte, x *session.Exchange) []byte {
	dst = strconv.AppendUint(append(dst, "consumer "...), x.ConsumerID, 10)
	if x.Cumulative {
		dst = append(dst, " up to"...)
	}
	dst = appendEntryID(append(dst, ' '), &x.ID)
	if x.HasResponse && x.Messages != 1 {
		dst = append(append(dst, ", "...), plural(x.Messages, "message")...)
	}
	if x.Cumulative && len(x.Covers) > 0 {
		dst = append(append(dst, " of "...), plural(len(x.Covers), "delivery")...)
	}
	if x.Left > 0 {
		dst = append(strconv.AppendInt(append(dst, ", "...), int64(x.Left), 10), " left"...)
	}
	return dst
}
