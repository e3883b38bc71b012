package decode

import (
	"strconv"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// Marker is what a broker writes into a topic for other brokers or for itself:
// a message that no consumer sees (marker_type of its metadata).
type Marker struct {
	Type int32
	Body *wire.Walk // fields of the payload, borrowed; nil where the type has none or they cannot be read
	// Fault says why the payload cannot be read, or is empty.
	Fault string
}

// markerBodies are the messages in the payloads of markers. Those of
// transactions have none: commit and abort are told by the type.
var markerBodies = map[pb.MarkerType]*wire.Table{
	pb.MarkerType_REPLICATED_SUBSCRIPTION_SNAPSHOT_REQUEST:  wire.SnapshotRequest,
	pb.MarkerType_REPLICATED_SUBSCRIPTION_SNAPSHOT_RESPONSE: wire.SnapshotResponse,
	pb.MarkerType_REPLICATED_SUBSCRIPTION_SNAPSHOT:          wire.Snapshot,
	pb.MarkerType_REPLICATED_SUBSCRIPTION_UPDATE:            wire.SubscriptionUpdate,
}

// Name is the name of the type, or UNKNOWN(number).
func (m *Marker) Name() string {
	if name := pb.MarkerType_name[m.Type]; name != "" {
		return name
	}
	return "UNKNOWN(" + strconv.Itoa(int(m.Type)) + ")"
}

// markerOf reads the payload of a marker; nil where the message is none.
func (u *Unpacker) markerOf(metadata *wire.Walk, payload []byte) *Marker {
	t, ok := metadata.Int32(wire.Top, field.MessageMetadataMarkerType)
	if !ok {
		return nil
	}
	m := &u.marker
	*m = Marker{Type: t}
	if body := markerBodies[pb.MarkerType(t)]; body != nil {
		if err := u.markerBody.Parse(body, payload); err != nil {
			m.Fault = err.Error()
		} else {
			m.Body = &u.markerBody
		}
	}
	return m
}
