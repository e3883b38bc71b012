package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var idleConsumer = &Rule{
	Name:     "idle-consumer",
	Severity: Warning,
	Title:    "Consumer has never asked for messages",
	Meaning: "The client subscribed and the broker agreed, but no FLOW ever came: the broker may not send anything. " +
		"The subscription exists and its backlog grows all the same.",
	Advice: "Look whether the consumer was created paused, has a receiver queue of 0 and no receive() pending, or belongs to an application that " +
		"stopped after subscribing. Close it if nobody wants its messages.",
	Blind:  "A consumer without messages to get is told of as info, from 5 s on.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SUBSCRIBE},
	Kinds:  []session.Kind{Tick},
	Start: func(r *Reporter) Watch {
		var fresh []*dispatch.Consumer // that have not sent a FLOW
		return func(e *session.Event) {
			switch c := r.Dispatch().Of(e); {
			case e.Kind == Tick:
				fresh = slices.DeleteFunc(fresh, r.idleSoFar)
			case e.Kind == session.FrameSeen && c != nil && len(fresh) < earlyKept:
				fresh = append(fresh, c)
			}
		}
	},
	Follow: func(r *Reporter) {
		waited := map[*dispatch.Consumer]*dispatch.Stall{}
		r.Dispatch().Watch(dispatch.Watcher{
			Stalling: r.ifHeard(r.idleInStall),
			Stalled: func(s *dispatch.Stall) {
				for _, c := range s.Consumers {
					if old := waited[c]; c.Flows == 0 && (old == nil || old.Duration() < s.Duration()) {
						kept := *s
						waited[c] = &kept
					}
				}
			},
			Ended: func(c *dispatch.Consumer, v *dispatch.Verdict) {
				r.idle(c, v, waited[c])
				delete(waited, c)
			},
		})
	},
}

// idleSoFar tells of a consumer that has been idle for long, and says whether
// there is no more to be seen of it.
func (r *Reporter) idleSoFar(c *dispatch.Consumer) bool {
	if c.Flows > 0 || c.Entries > 0 || c.Closed.Known() || closed(c.Conn) || c.Sub == nil {
		return true
	}
	if !slices.Contains(c.Sub.Attached(), c) || r.now()-c.Since < int64(r.Thresholds.Starvation) || !gapless(c.Conn) || !bothWays(c.Conn) {
		return false
	}
	return r.Early(Finding{Severity: Info, Subject: aboutConsumer(c), Evidence: proofs(c.Subscribed),
		Detail: fmt.Sprintf("Subscribed at %s, it has sent no FLOW in %s.", clock(c.Since), lasting(r.now()-c.Since))})
}

// idleInStall does so where messages wait for it.
func (r *Reporter) idleInStall(s *dispatch.Stall) {
	if s.Duration() < r.Thresholds.Starvation {
		return
	}
	for _, c := range s.Consumers {
		if c.Flows == 0 && c.Entries == 0 && c.Known && gapless(c.Conn) && bothWays(c.Conn) {
			r.Early(Finding{Severity: Warning, Subject: aboutConsumer(c), Evidence: proofs(c.Subscribed),
				Detail: fmt.Sprintf("Subscribed at %s, it has sent no FLOW in %s, and %s came to wait for it.", clock(c.Since), lasting(r.now()-c.Since), waiting(s.Waiting))})
		}
	}
}

func (r *Reporter) idle(c *dispatch.Consumer, v *dispatch.Verdict, s *dispatch.Stall) {
	if c.Flows > 0 || c.Entries > 0 || !c.Known || v.At-c.Since < int64(r.Thresholds.Starvation) || !gapless(c.Conn) || !bothWays(c.Conn) {
		return
	}
	f := Finding{Severity: Info, Subject: aboutConsumer(c), Evidence: proofs(c.Subscribed, c.Closed),
		Detail: fmt.Sprintf("Subscribed at %s, it sent no FLOW in %s.", clock(c.Since), lasting(v.At-c.Since))}
	if s != nil && s.Duration() >= r.Thresholds.Starvation {
		f.Severity = Warning
		f.Detail += fmt.Sprintf(" %s came to wait for it meanwhile.", waiting(s.Waiting))
	}
	r.Report(f)
}
