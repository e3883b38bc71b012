package diagnose

import (
	"time"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var ackSlow = &Rule{
	Name:     "ack-slow",
	Severity: Info,
	Title:    "Messages are acknowledged late",
	Meaning: "The time from the delivery of a message to its acknowledgement is long: waiting in the client's queue, processing, and grouping of " +
		"acknowledgements together.",
	Advice:    "Where that is not meant: a shorter receiver queue spreads messages better over consumers, and more consumers shorten the wait.",
	Blind:     "An application may hold messages on purpose. Waiting and processing cannot be told apart on the wire.",
	Exchanges: exchangesWith(session.Ack, session.OK),
	Start: func(r *Reporter) Watch {
		of := newPerConsumer[slowness](r)
		r.Dispatch().Watch(dispatch.Watcher{Ended: func(c *dispatch.Consumer, _ *dispatch.Verdict) {
			if s := of.at(c); s != nil && s.slow(r.Thresholds) {
				r.Warn(aboutConsumer(c), "Of its deliveries "+s.words(r.Thresholds)+" to be acknowledged.", s.evidence()...)
			}
		}})
		return func(e *session.Event) {
			if e.Kind != session.ExchangeSeen {
				return
			}
			if c := r.Dispatch().Of(e); c != nil && gapless(e.Conn) {
				r.ackTimes(of.of(c), e)
			}
		}
	},
}

func (r *Reporter) ackTimes(s *slowness, e *session.Event) {
	x := e.Exchange
	for i := range x.Covers {
		if ns := x.Covers[i].Latency; ns >= 0 {
			s.add(r.Thresholds, time.Duration(ns), e)
		}
	}
	if d, ok := latency(x); ok && !x.Cumulative {
		s.add(r.Thresholds, d, e)
	}
}
