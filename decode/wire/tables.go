package wire

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
)

// The messages that are walked as such: the command of a frame, the metadata
// around a payload, ids, and the payloads of markers.
var (
	BaseCommand           = compile(&pb.BaseCommand{})
	MessageMetadata       = compile(&pb.MessageMetadata{})
	SingleMessageMetadata = compile(&pb.SingleMessageMetadata{})
	BrokerEntryMetadata   = compile(&pb.BrokerEntryMetadata{})
	MessageIDData         = compile(&pb.MessageIdData{}) // as clients store ids

	SnapshotRequest    = compile(&pb.ReplicatedSubscriptionsSnapshotRequest{})
	SnapshotResponse   = compile(&pb.ReplicatedSubscriptionsSnapshotResponse{})
	Snapshot           = compile(&pb.ReplicatedSubscriptionsSnapshot{})
	SubscriptionUpdate = compile(&pb.ReplicatedSubscriptionsUpdate{})
)

func compile(m protoreflect.ProtoMessage) *Table {
	return Compile(m.ProtoReflect().Descriptor(), proto.IsSecret)
}
