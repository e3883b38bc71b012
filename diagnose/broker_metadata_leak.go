package diagnose

import (
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var brokerMetadataLeak = &Rule{
	Name:     "broker-metadata-leak",
	Severity: Error,
	Title:    "Broker entry metadata sent to a client that did not ask for it",
	Meaning: "A MESSAGE carries the section 0x0e02, which brokers may send only to clients whose CONNECT says that they support it. Others take it for a checksum or for " +
		"metadata, and fail on the message.",
	Advice: "Look at the broker's exposingBrokerEntryMetadataToClientEnabled, and at a proxy that answers for the client. The client must set supports_broker_entry_metadata " +
		"if it can read the section.",
	Blind:  "Clients whose CONNECT was not captured.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_CONNECT, pb.BaseCommand_MESSAGE},
	Kinds:  []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		asked := map[int]bool{} // by connection; one that is not there was not captured
		return func(e *session.Event) {
			switch {
			case e.Kind == session.ConnectionEnd:
				delete(asked, e.Conn.ID)
			case e.Kind != session.FrameSeen:
			case e.Frame.Is(int32(pb.BaseCommand_CONNECT)):
				asked[e.Conn.ID] = asksForBrokerEntry(e)
			case e.Frame.HasBrokerEntry:
				if can, known := asked[e.Conn.ID]; known && !can {
					r.Warn(about(e), "The MESSAGE has the section, the CONNECT of this connection does not ask for it.", here(e))
				}
			}
		}
	},
}

func asksForBrokerEntry(e *session.Event) bool {
	node, ok := e.Frame.Base.Sub(e.Frame.Sub, field.CommandConnectFeatureFlags)
	if !ok {
		return false
	}
	can, _ := e.Frame.Base.Bool(node, field.FeatureFlagsSupportsBrokerEntryMetadata)
	return can
}
