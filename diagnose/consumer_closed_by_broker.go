package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var consumerClosedByBroker = &Rule{
	Name:     "consumer-closed-by-broker",
	Severity: Info,
	Title:    "Broker closed a consumer",
	Meaning: "The broker closed the consumer, not the client: the topic is unloaded, moved to another broker or deleted, the subscription was set back or removed, " +
		"or the broker shuts down. Clients look the topic up and subscribe again.",
	Advice: "Nothing, if it came back soon. If this happens often, look at load balancing and at who unloads or deletes.",
	Blind:  "Why the broker did it. Whether it came back over a connection that is not in the capture.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_CLOSE_CONSUMER, pb.BaseCommand_SUBSCRIBE},
	Start: func(r *Reporter) Watch {
		r.Dispatch()
		w := &closings{Reporter: r, open: map[comeback]*closing{}}
		return w.event
	},
}

// comeback is how a consumer is known when it subscribes again.
type comeback struct{ client, topic, subscription, consumer string }

type closing struct {
	finding Finding
	at      int64
}

type closings struct {
	*Reporter
	open  map[comeback]*closing
	order []comeback
}

// closingsKept bounds those that are waited for.
const closingsKept = 10_000

func (w *closings) event(e *session.Event) {
	switch {
	case e.Kind == session.RunEnd:
		for len(w.order) > 0 {
			w.giveUp()
		}
	case e.Kind != session.FrameSeen || e.Consumer == nil:
	case e.Frame.Is(int32(pb.BaseCommand_CLOSE_CONSUMER)) && e.Direction == decode.ServerToClient:
		w.closed(e)
	case e.Frame.Is(int32(pb.BaseCommand_SUBSCRIBE)):
		w.tell(keyOfConsumer(e), fmt.Sprintf(" It subscribed again %s later (%s).", w.since(keyOfConsumer(e), e.At.Time), e.Conn.Name))
	}
}

func keyOfConsumer(e *session.Event) comeback {
	return comeback{clientHost(e.Conn), e.Consumer.Topic, e.Consumer.Subscription, e.Consumer.Name}
}

func (w *closings) since(k comeback, now int64) string {
	if c := w.open[k]; c != nil {
		return lasting(now - c.at)
	}
	return ""
}

func (w *closings) closed(e *session.Event) {
	k := keyOfConsumer(e)
	if len(w.order) >= closingsKept {
		w.giveUp()
	}
	detail := "CLOSE_CONSUMER from the broker at " + clock(e.At.Time)
	if to := e.Frame.Text(field.CommandCloseConsumerAssignedBrokerServiceUrl); len(to) > 0 {
		detail += fmt.Sprintf(", to go to %s", to)
	}
	if c := w.Dispatch().Of(e); c != nil && c.Sub != nil && soughtBy(c, e.At.Time) {
		detail += ", because of a SEEK"
	}
	w.open[k] = &closing{Finding{Severity: Info, Subject: about(e), Detail: detail + ".", Evidence: []Evidence{here(e)}}, e.At.Time}
	w.order = append(w.order, k)
}

// soughtBy says whether the subscription was set back just before.
func soughtBy(c *dispatch.Consumer, now int64) bool {
	s := c.Sub.Sought
	return s.Known() && now-s.Time < int64(seldom)
}

// giveUp no longer waits for the consumer that was closed first.
func (w *closings) giveUp() {
	w.tell(w.order[0], " It did not come back in the capture.")
	w.order = w.order[1:]
}

func (w *closings) tell(k comeback, then string) {
	c := w.open[k]
	if c == nil {
		return
	}
	delete(w.open, k)
	c.finding.Detail += then
	w.Report(c.finding)
}
