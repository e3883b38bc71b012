package decode_test

import (
	"testing"

	protobuf "google.golang.org/protobuf/proto"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/pb"
)

// entryWith gives an entry with the metadata of a marker.
func entryWith(t *testing.T, m *pb.MessageMetadata, payload []byte) decode.Entry {
	t.Helper()
	m.ProducerName, m.SequenceId, m.PublishTime = protobuf.String("pulsar.marker"), protobuf.Uint64(0), protobuf.Uint64(1)
	b, err := protobuf.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire.Walk{}
	if err := w.Parse(wire.MessageMetadata, b); err != nil {
		t.Fatal(err)
	}
	return decode.Entry{Metadata: w, Payload: payload}
}

func TestMarkers(t *testing.T) {
	at := &pb.MarkersMessageIdData{LedgerId: protobuf.Uint64(7), EntryId: protobuf.Uint64(8)}
	east := &pb.ClusterMessageId{Cluster: protobuf.String("east"), MessageId: at}
	const eastJSON = `{"cluster":"east","message_id":{"ledger_id":7,"entry_id":8}}`
	for _, c := range []struct {
		number int32
		body   protobuf.Message
		name   string
		json   string // of the body; empty where there is none
	}{
		{10, &pb.ReplicatedSubscriptionsSnapshotRequest{SnapshotId: protobuf.String("s"), SourceCluster: protobuf.String("west")},
			"REPLICATED_SUBSCRIPTION_SNAPSHOT_REQUEST", `{"snapshot_id":"s","source_cluster":"west"}`},
		{11, &pb.ReplicatedSubscriptionsSnapshotResponse{SnapshotId: protobuf.String("s"), Cluster: east},
			"REPLICATED_SUBSCRIPTION_SNAPSHOT_RESPONSE", `{"snapshot_id":"s","cluster":` + eastJSON + `}`},
		{12, &pb.ReplicatedSubscriptionsSnapshot{SnapshotId: protobuf.String("s"), LocalMessageId: at, Clusters: []*pb.ClusterMessageId{east}},
			"REPLICATED_SUBSCRIPTION_SNAPSHOT", `{"snapshot_id":"s","local_message_id":{"ledger_id":7,"entry_id":8},"clusters":[` + eastJSON + `]}`},
		{13, &pb.ReplicatedSubscriptionsUpdate{SubscriptionName: protobuf.String("sub"), Clusters: []*pb.ClusterMessageId{east}},
			"REPLICATED_SUBSCRIPTION_UPDATE", `{"subscription_name":"sub","clusters":[` + eastJSON + `]}`},
		{20, nil, "TXN_COMMITTING", ""},
		{21, nil, "TXN_COMMIT", ""},
		{22, nil, "TXN_ABORT", ""},
		{99, nil, "UNKNOWN(99)", ""},
	} {
		var payload []byte
		if c.body != nil {
			var err error
			if payload, err = protobuf.Marshal(c.body); err != nil {
				t.Fatal(err)
			}
		}
		var u decode.Unpacker
		u.Entry(entryWith(t, &pb.MessageMetadata{MarkerType: &c.number}, payload), func(m *decode.Message) {
			if m.Marker == nil || m.Marker.Name() != c.name || m.Marker.Fault != "" || m.Marker.Type != c.number {
				t.Fatalf("%d: %+v, expected %s", c.number, m.Marker, c.name)
			}
			got := ""
			if m.Marker.Body != nil {
				got = string(m.Marker.Body.AppendJSON(nil, wire.Top, nil))
			}
			if got != c.json {
				t.Errorf("%s: got %s\nexpected %s", c.name, got, c.json)
			}
		})
	}
}

// A marker that was cut keeps its name and says why it cannot be read; another
// message has no marker.
func TestMarkerFault(t *testing.T) {
	var u decode.Unpacker
	number := int32(pb.MarkerType_REPLICATED_SUBSCRIPTION_UPDATE)
	u.Entry(entryWith(t, &pb.MessageMetadata{MarkerType: &number}, []byte{0x0a, 9, 'x'}), func(m *decode.Message) {
		if m.Marker == nil || m.Marker.Body != nil || m.Marker.Fault == "" || m.State != decode.StateOK {
			t.Errorf("got %+v in state %s", m.Marker, m.State)
		}
	})
	u.Entry(entryWith(t, &pb.MessageMetadata{}, []byte{0x0a, 9, 'x'}), func(m *decode.Message) {
		if m.Marker != nil {
			t.Errorf("a message without marker_type has %+v", m.Marker)
		}
	})
}
