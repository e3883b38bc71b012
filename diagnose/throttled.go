package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var throttled = &Rule{
	Name:     "throttled",
	Severity: Warning,
	Title:    "Broker delivers at a steady rate below the demand",
	Meaning: "Messages wait, the consumer has permits and owes nothing, and yet the broker sends in portions at even intervals: a dispatch rate limit. " +
		"On a producer: SENDs wait, and receipts come at even intervals: a publish rate limit.",
	Advice: "Compare the rate with the limits of topic, namespace and broker (dispatchRate, subscriptionDispatchRate, publishRate, resource groups). " +
		"Raise the limit or spread the load over more partitions.",
	Blind:     "A storage that happens to work at an even pace looks the same.",
	Exchanges: exchangesWith(session.Send, session.OK),
	Start: func(r *Reporter) Watch {
		pulses := map[*dispatch.Subscription]*pulse{}
		r.Dispatch().Watch(dispatch.Watcher{
			Stalled: func(s *dispatch.Stall) { r.pulsed(s, pulses) },
			Ended:   func(c *dispatch.Consumer, _ *dispatch.Verdict) { delete(pulses, c.Sub) },
		})
		paces := newPerProducer[pace](r)
		return func(e *session.Event) {
			if e.Kind == session.ExchangeSeen && e.Producer != nil && e.Exchange.HasRequest && !e.Exchange.Response.TimeUnknown {
				r.paced(e, paces.of(e))
			}
		}
	},
}

// even says whether a time is within a quarter of another.
func even(a, b time.Duration) bool { return a >= b*3/4 && a <= b*5/4 }

// pulse is what is known of the portions that a subscription gets.
type pulse struct {
	stalls int // in a row, of even length
	first  dispatch.Ref
	total  time.Duration
}

// pulsesTold is how many even pauses make a rate.
const pulsesTold = 3

func (r *Reporter) pulsed(s *dispatch.Stall, pulses map[*dispatch.Subscription]*pulse) {
	p := pulses[s.Sub]
	if s.Cause != dispatch.CauseBroker || s.Duration() < r.Thresholds.Dispatch || !followed(s) {
		delete(pulses, s.Sub)
		return
	}
	if p == nil || !even(s.Duration(), p.total/time.Duration(p.stalls)) {
		p = &pulse{first: s.Before}
		pulses[s.Sub] = p
	}
	p.stalls++
	p.total += s.Duration()
	if p.stalls == pulsesTold {
		r.Warn(aboutSubscription(s.Sub), fmt.Sprintf("From %s on messages came in portions every %s, while %s waited and the consumer had %d permits.",
			clock(p.first.Time), lasting(int64(p.total)/pulsesTold), waiting(s.Waiting), s.Consumer.Outstanding()), proofs(p.first, s.Before, s.After)...)
	}
}

// pace is what is known of the receipts that a producer gets.
type pace struct {
	last  int64 // of the last receipt
	n     int   // even intervals in a row
	total time.Duration
	first session.Ref
}

// Receipts of one producer at even intervals, while SENDs waited, make a rate.
const (
	pacesTold    = 15
	shortestPace = 10 * time.Millisecond
)

func (r *Reporter) paced(e *session.Event, p *pace) {
	x := e.Exchange
	interval := time.Duration(x.Response.Time - p.last)
	waited := p.last != 0 && x.Request.Time < p.last
	p.last = x.Response.Time
	if !waited || interval < shortestPace || p.n > 0 && !even(interval, p.total/time.Duration(p.n)) {
		p.n, p.total, p.first = 0, 0, x.Response
		return
	}
	p.n++
	p.total += interval
	if p.n == pacesTold && gapless(e.Conn) {
		r.receiptsPaced(e, p)
	}
}

func (r *Reporter) receiptsPaced(e *session.Event, p *pace) {
	ns, _ := e.Exchange.Latency()
	every := int64(p.total) / int64(p.n)
	r.Report(Finding{Severity: Warning, Title: "Receipts come at a steady rate below the demand", Subject: about(e),
		Detail: fmt.Sprintf("From %s on receipts came every %s, %.3g a second, although SENDs were waiting: the latest for %s.",
			clock(p.first.Time), lasting(every), 1e9/float64(every), lasting(ns)),
		Evidence: append([]Evidence{frame(e.Conn, &p.first)}, sides(e.Conn, e.Exchange)...)})
}
