package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var topicMigrated = &Rule{
	Name:     "topic-migrated",
	Severity: Info,
	Title:    "Topic has moved to another cluster",
	Meaning:  "The broker tells a producer or consumer that its cluster or namespace was migrated (blue-green), and where to go.",
	Advice:   "Nothing, if it was meant. The client connects there; messages left in the old cluster are consumed before consumers are sent away.",
	Blind:    "Whether all messages of the old cluster were consumed.",
	Frames:   []pb.BaseCommand_Type{pb.BaseCommand_TOPIC_MIGRATED},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.FrameSeen {
				r.moved(e)
			}
		}
	},
}

func (r *Reporter) moved(e *session.Event) {
	id, _ := e.Frame.Uint(field.CommandTopicMigratedResourceId)
	kind, _ := e.Frame.Uint(field.CommandTopicMigratedResourceType)
	at := *e
	if kind == uint64(pb.CommandTopicMigrated_Producer) {
		at.Producer = e.Conn.Producers[id]
	} else {
		at.Consumer = e.Conn.Consumers[id]
	}
	to := e.Frame.Text(field.CommandTopicMigratedBrokerServiceUrl)
	if len(to) == 0 {
		to = e.Frame.Text(field.CommandTopicMigratedBrokerServiceUrlTls)
	}
	r.Warn(about(&at), fmt.Sprintf("The broker sent it to %s at %s.", to, clock(e.At.Time)), here(e))
}
