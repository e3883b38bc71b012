package session

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// BrokerDelay is the time in ms from the publish_time that a producer's clock
// gave a message to the broker_timestamp that the broker's clock gave its entry;
// below 0 where the producer's clock is ahead. There is none where the broker
// does not expose its entry metadata.
func BrokerDelay(f *decode.Frame) (ms int64, ok bool) {
	if f == nil || !f.HasBrokerEntry || !f.HasMetadata {
		return 0, false
	}
	stored, ok := f.BrokerEntry.Uint(wire.Top, field.BrokerEntryMetadataBrokerTimestamp)
	published, ok2 := f.Metadata.Uint(wire.Top, field.MessageMetadataPublishTime)
	return int64(stored - published), ok && ok2
}
