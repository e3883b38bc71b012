package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var failoverFlapping = &Rule{
	Name:     "failover-flapping",
	Severity: Warning,
	Title:    "Active consumer of a Failover subscription changes to and fro",
	Meaning: "The broker made another consumer the active one several times within a short time. With each change delivery pauses, and what the former one had not " +
		"acknowledged comes again.",
	Advice: "Look for a consumer that connects and disconnects again and again (crash loop, keep-alive), and at the order of names and priorities: the broker prefers " +
		"the higher priority, then the name.",
	Blind:  "Changes that concern only consumers whose connections are not in the capture.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_ACTIVE_CONSUMER_CHANGE},
	Start: func(r *Reporter) Watch {
		r.Dispatch()
		of := map[*dispatch.Subscription]*changes{}
		return func(e *session.Event) {
			if e.Kind != session.FrameSeen {
				return
			}
			active, _ := e.Frame.Uint(field.CommandActiveConsumerChangeIsActive)
			c := r.Dispatch().Of(e)
			if active == 0 || c == nil || c.Sub == nil {
				return
			}
			x := of[c.Sub]
			if x == nil {
				x = &changes{}
				of[c.Sub] = x
			}
			r.activeNow(x, c, e)
		}
	},
}

// changes are the latest changes of the active consumer of a subscription.
type changes struct {
	active *dispatch.Consumer
	at     []Evidence
	names  []string
}

func (r *Reporter) activeNow(x *changes, c *dispatch.Consumer, e *session.Event) {
	was := x.active
	x.active = c
	if was == nil || was == c {
		return
	}
	x.at, x.names = append(x.at, here(e)), append(x.names, nameOf(c))
	n := r.Thresholds.FlappingCount
	if len(x.at) < n {
		return
	}
	x.at, x.names = x.at[len(x.at)-n:], x.names[len(x.names)-n:]
	if span := time.Duration(x.at[n-1].Time - x.at[0].Time); span <= r.Thresholds.FlappingWindow {
		r.Warn(aboutSubscription(c.Sub), fmt.Sprintf("%d changes within %s: to %s.", n, lasting(int64(span)), namesInTurn(x.names)), x.at...)
		x.at, x.names = nil, nil
	}
}

func namesInTurn(names []string) string {
	out := names[0]
	for _, n := range names[1:] {
		out += ", then " + n
	}
	return out
}
