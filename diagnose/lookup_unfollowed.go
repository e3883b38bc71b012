package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var lookupUnfollowed = &Rule{
	Name:     "lookup-unfollowed",
	Severity: Info,
	Title:    "Lookup answered, but not followed",
	Meaning: "The broker told where the topic is, and the client did nothing with it that the capture shows: it neither used the topic nor " +
		"opened another connection later.",
	Advice: "See whether the client can reach the address that it was given (advertisedAddress, listeners, name resolution), or whether it merely asked.",
	Blind:  "Connections to brokers outside the capture, and clients that only wanted to know.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_CONNECT, pb.BaseCommand_PRODUCER, pb.BaseCommand_SUBSCRIBE,
		pb.BaseCommand_TC_CLIENT_CONNECT_REQUEST},
	Exchanges: exchangesWith(session.Request, session.OK),
	Start: func(r *Reporter) Watch {
		w := &unfollowedWatch{r: r}
		return w.see
	},
}

// unfollowedKept is how many answers wait for being followed.
const unfollowedKept = 10_000

type unfollowedWatch struct {
	r    *Reporter
	open []unfollowed
}

type unfollowed struct {
	client, topic, target string
	subject               Subject
	evidence              []Evidence
}

func (w *unfollowedWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		w.frame(e)
	case session.ExchangeSeen:
		w.answered(e)
	case session.RunEnd:
		for _, u := range w.open {
			w.r.Report(Finding{Subject: u.subject, Evidence: u.evidence,
				Detail: fmt.Sprintf("%s was told that %s is at %s, and did not go on.", u.client, u.topic, u.target)})
		}
	}
}

func (w *unfollowedWatch) frame(e *session.Event) {
	f := e.Frame
	switch pb.BaseCommand_Type(f.Type) {
	case pb.BaseCommand_CONNECT:
		client := clientHost(e.Conn)
		w.open = slices.DeleteFunc(w.open, func(u unfollowed) bool { return u.client == client })
	case pb.BaseCommand_PRODUCER:
		w.used(e, string(f.Text(field.CommandProducerTopic)))
	case pb.BaseCommand_SUBSCRIBE:
		w.used(e, string(f.Text(field.CommandSubscribeTopic)))
	case pb.BaseCommand_TC_CLIENT_CONNECT_REQUEST:
		coordinator, _ := f.Uint(field.CommandTcClientConnectRequestTcId)
		w.used(e, fmt.Sprintf("persistent://pulsar/system/transaction_coordinator_assign-partition-%d", coordinator))
	}
}

func (w *unfollowedWatch) used(e *session.Event, topic string) {
	client := clientHost(e.Conn)
	w.open = slices.DeleteFunc(w.open, func(u unfollowed) bool { return u.client == client && u.topic == topic })
}

// answered takes the answer to a LOOKUP, which is the frame at hand.
func (w *unfollowedWatch) answered(e *session.Event) {
	x, f := e.Exchange, e.Frame
	if x.Kind != session.Request || x.Result != session.OK || f == nil || !f.Is(int32(pb.BaseCommand_LOOKUP_RESPONSE)) {
		return
	}
	kind, _ := f.Uint(field.CommandLookupTopicResponseResponse)
	if int32(kind) != int32(pb.CommandLookupTopicResponse_Connect) || len(w.open) >= unfollowedKept {
		return
	}
	s := about(e)
	s.Topic = x.Topic
	w.open = append(w.open, unfollowed{clientHost(e.Conn), x.Topic,
		target(f.Text(field.CommandLookupTopicResponseBrokerServiceUrl), f.Text(field.CommandLookupTopicResponseBrokerServiceUrlTls)), s, sides(e.Conn, x)})
}
