package diagnose

import (
	"fmt"

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
	Blind: "Whether the client expected the error, as one that asks whether a topic exists does.",
	Kinds: []session.Kind{session.ExchangeSeen},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			x := e.Exchange
			if e.Kind != session.ExchangeSeen || x.Kind != session.Request || x.Result != session.Failed || !isLookup(x) {
				return
			}
			code := x.Error
			if code == "" {
				code = "no error code"
			}
			s := pair(e.Conn)
			s.Topic = x.Topic
			r.Report(Finding{Severity: Warning, Title: fmt.Sprintf("%s refused: %s", session.TypeName(&x.Request), code), Subject: s, Evidence: sides(e.Conn, x),
				Detail: fmt.Sprintf("%s answered %s of %s%s with %s%s.", server(e.Conn), session.TypeName(&x.Request), clientHost(e.Conn), forTopic(x.Topic), code,
					quoted(x.Text))})
		}
	},
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
