package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var lookupFailed = &Rule{
	Name:     "lookup-failed",
	Severity: Warning,
	Title:    "Lookup refused",
	Meaning: "The broker did not say where the topic is, how many partitions it has, or which topics a namespace has. The client cannot open " +
		"producers or consumers of it; most errors are tried again until the operation times out.",
	Advice: "TopicNotFound: create the topic or allow its automatic creation. ServiceNotReady, MetadataError: look at the state of brokers and metadata " +
		"store, and at the listener name. AuthorizationError: grant the role the permission. TooManyRequests: see lookup-storm.",
	Blind:     "Whether the client expected the error, as one that asks whether a topic exists does.",
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_PARTITIONED_METADATA},
	Exchanges: exchangesOf(session.Request),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &lookupFailures{r: r, questions: perConn[map[uint64]bool]{}}
		return w.see
	},
}

type lookupFailures struct {
	r         *Reporter
	questions perConn[map[uint64]bool] // by request_id: asks whether the topic exists, without making it
}

func (w *lookupFailures) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		if make, ok := e.Frame.Uint(field.CommandPartitionedTopicMetadataMetadataAutoCreationEnabled); ok && make == 0 {
			w.question(e)
		}
	case session.ExchangeSeen:
		if x := e.Exchange; x.Kind == session.Request && isLookup(x) {
			asked := deref(w.questions[e.Conn.ID])
			if x.Result == session.Failed && (gapless(e.Conn) || x.Response.Type != int32(pb.BaseCommand_ERROR)) {
				w.failed(e, asked[x.RequestID])
			}
			delete(asked, x.RequestID)
		}
	case session.ConnectionEnd:
		w.questions.end(e.Conn)
	}
}

func (w *lookupFailures) question(e *session.Event) {
	id, _ := e.Frame.Uint(field.CommandPartitionedTopicMetadataRequestId)
	asked := w.questions.of(e.Conn)
	if *asked == nil {
		*asked = map[uint64]bool{}
	}
	if len(*asked) < questionsKept {
		(*asked)[id] = true
	}
}

// questionsKept is how many open questions of a connection are known.
const questionsKept = 10_000

func (w *lookupFailures) failed(e *session.Event, question bool) {
	x := e.Exchange
	code := x.Error
	if code == "" {
		code = "no error code"
	}
	f := Finding{Severity: Warning, Title: fmt.Sprintf("%s refused: %s", session.TypeName(&x.Request), code), Subject: pair(e.Conn), Evidence: sides(e.Conn, x)}
	f.Subject.Topic = x.Topic
	f.Detail = fmt.Sprintf("%s answered %s of %s%s with %s%s.", server(e.Conn), session.TypeName(&x.Request), clientHost(e.Conn), forTopic(x.Topic), code,
		quoted(x.Text))
	if question && code == "TopicNotFound" {
		f.Severity, f.Title = Info, "Client asked for a topic that is not there"
		f.Detail += " The client asked without having it made."
	}
	w.r.Report(f)
}

// lookups are the requests by which a client finds topics.
var lookups = map[pb.BaseCommand_Type]bool{
	pb.BaseCommand_LOOKUP: true, pb.BaseCommand_PARTITIONED_METADATA: true, pb.BaseCommand_GET_TOPICS_OF_NAMESPACE: true,
	pb.BaseCommand_WATCH_TOPIC_LIST: true,
}

func isLookup(x *session.Exchange) bool { return lookups[pb.BaseCommand_Type(x.Request.Type)] }

func forTopic(topic string) string {
	if topic == "" {
		return ""
	}
	return " for " + topic
}
