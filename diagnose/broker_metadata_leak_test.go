package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestBrokerMetadataLeak(t *testing.T) {
	for _, c := range []struct {
		asks, leaks bool
		want        []string
	}{
		{false, true, []string{"error c | sub"}},
		{true, true, nil},
		{false, false, nil},
	} {
		s := newScene(t)
		k := s.tcp(4000)
		hello := connectCommand(21)
		hello.Connect.FeatureFlags.SupportsBrokerEntryMetadata = proto.Bool(c.asks)
		k.client(hello)
		k.broker(connectedCommand(21))
		k.consumer(2, shared, "c")
		f := messageFrame(2, 0, 0)
		if c.leaks {
			f.BrokerEntry = &pb.BrokerEntryMetadata{Index: proto.Uint64(4)}
		}
		k.Send(wiremake.Server, f.Frame())
		s.finds(brokerMetadataLeak, c.want...)
	}
}

// TestBrokerMetadataUnknown: the CONNECT was not captured.
func TestBrokerMetadataUnknown(t *testing.T) {
	s := newScene(t)
	c := s.tcp(4000)
	c.consumer(2, shared, "c")
	f := messageFrame(2, 0, 0)
	f.BrokerEntry = &pb.BrokerEntryMetadata{Index: proto.Uint64(4)}
	c.Send(wiremake.Server, f.Frame())
	s.finds(brokerMetadataLeak)
}
