package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var staleEpoch = &Rule{
	Name:     "stale-epoch",
	Severity: Info,
	Title:    "Messages of an earlier epoch of the consumer",
	Meaning: "When a client asks to have all unacknowledged messages again, it begins a new epoch; messages of the earlier one that are on their way it throws " +
		"away. That is normal for those that were under way. Where they come behind messages of the new epoch the broker mixes them up, and clients that do not look at the " +
		"epoch process them out of order, twice.",
	Advice: "Nothing for those under way. Else look for a broker with a known fault, and for clients (consumers of several topics) that do not check the epoch.",
	Blind:  "What the client did with them.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SUBSCRIBE, pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES, pb.BaseCommand_MESSAGE},
	Kinds:  []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		of := perConn[map[*session.Consumer]*epoch]{}
		return func(e *session.Event) {
			switch {
			case e.Kind == session.ConnectionEnd:
				of.end(e.Conn)
			case e.Kind == session.FrameSeen && e.Consumer != nil:
				r.epochOf(e, of)
			}
		}
	},
}

// epoch is that of a consumer.
type epoch struct {
	asked uint64 // by the client
	begun bool   // a message of it has come
	from  Evidence
}

// epochField is the field of a command that carries an epoch.
func epochField(f *decode.Frame) int32 {
	switch pb.BaseCommand_Type(f.Type) {
	case pb.BaseCommand_SUBSCRIBE:
		return field.CommandSubscribeConsumerEpoch
	case pb.BaseCommand_MESSAGE:
		return field.CommandMessageConsumerEpoch
	}
	return field.CommandRedeliverUnacknowledgedMessagesConsumerEpoch
}

func (r *Reporter) epochOf(e *session.Event, conns perConn[map[*session.Consumer]*epoch]) {
	n, ok := e.Frame.Uint(epochField(e.Frame))
	if !ok {
		return
	}
	of := conns.of(e.Conn)
	if *of == nil {
		*of = map[*session.Consumer]*epoch{}
	}
	x := (*of)[e.Consumer]
	switch {
	case !e.Frame.Is(int32(pb.BaseCommand_MESSAGE)):
		if x == nil || n != x.asked {
			(*of)[e.Consumer] = &epoch{asked: n, from: here(e)}
		}
	case x == nil || n > x.asked:
	case n == x.asked:
		x.begun = true
	default:
		r.stale(e, x, n)
	}
}

func (r *Reporter) stale(e *session.Event, x *epoch, n uint64) {
	f := Finding{Severity: Info, Subject: about(e), Evidence: []Evidence{x.from, here(e)},
		Detail: fmt.Sprintf("Epoch %d, while the client had begun epoch %d %s before; it was under way and is thrown away.", n, x.asked, lasting(e.At.Time-x.from.Time))}
	if x.begun && gapless(e.Conn) {
		f.Severity, f.Title = Warning, "Messages of an earlier epoch behind those of the new one"
		f.Detail = fmt.Sprintf("Epoch %d came %s after the client had begun epoch %d, of which messages had come already.", n, lasting(e.At.Time-x.from.Time), x.asked)
	}
	r.Report(f)
}
