package diagnose

import (
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var endOfTopic = &Rule{
	Name:     "end-of-topic",
	Severity: Info,
	Title:    "Topic is terminated, the consumer has got all of it",
	Meaning:  "The topic takes no more messages (it was terminated), and the broker tells the consumer that it has got the last one.",
	Advice:   "Nothing, if it was meant. The consumer will never get anything again and may be closed.",
	Blind:    "Who terminated the topic: that goes over the admin interface.",
	Frames:   []pb.BaseCommand_Type{pb.BaseCommand_REACHED_END_OF_TOPIC},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.FrameSeen {
				r.Warn(about(e), "The broker said so at "+clock(e.At.Time)+".", here(e))
			}
		}
	},
}
