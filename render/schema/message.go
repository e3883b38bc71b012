package schema

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
)

var messageType = field{"type", oneOf("SEND", "MESSAGE"), "", required}

// codecs are the names of CompressionType; an unknown one is its number.
var codecs = orText(codec.None.String(), codec.LZ4.String(), codec.Zlib.String(), codec.Zstd.String(), codec.Snappy.String())

var variants = oneOf(codec.VariantLZ4Frame, codec.VariantLZ4LengthPrefix, codec.VariantSnappyFraming, codec.VariantZlibUnterminated)

// payloadSchema names the schema of a payload.
var payloadSchema = structure("",
	field{"type", text, "", required},
	field{"version", object{{"anyOf", []any{uint64s, hex}}}, "the number, or the hash in hexadecimal", optional},
	field{"name", text, "of its outermost type, or as registered", optional},
)

// message are the fields of a single message.
var message = []field{
	{"topic", text, "", optional},
	{"topic_inferred", truth, "the frame that names the topic was not captured; others gave it away", optional},
	{"subscription", text, "of the consumer that it goes to", optional},
	{"broker_entry_metadata", reference(string(brokerEntryMetadata.Name())), "that the broker shows with the entry", optional},
	{"broker_delay", int64s, "ms from publish_time to broker_timestamp: by two clocks, that of the producer and that of the broker", optional},
	{"producer_name", text, "", optional},
	{"message_id", reference("message_id"), "only of a MESSAGE; that of a SEND is in its exchange", optional},
	{"read_entry", elsewhere, "of a MESSAGE: the latest read of a bookie that brought the broker its entry", optional},
	{"index", count, "in the batch", optional},
	{"batch_size", integer, "messages in the batch, as stated", optional},
	{"sequence_id", uint64s, "", optional},
	{"publish_time", uint64s, "ms since the Unix epoch", optional},
	{"event_time", uint64s, "ms since the Unix epoch", optional},
	{"key", text, "", optional},
	{"key_b64", text, "the key as on the wire, where it is marked as base64", optional},
	{"ordering_key_b64", base64, "", optional},
	{"properties", object{{"type", "object"}, {"additionalProperties", object{{"anyOf", []any{text, listOf(text)}}}}}, "a key that occurs again has a list", optional},
	{"null_value", always, "", optional},
	{"compacted_out", always, "", optional},
	{"schema_version", base64, "", optional},
	{"replicated_from", text, "the cluster that a replicator brought it from", optional},
	{"replicate_to", listOf(text), "the clusters that it may go to, all if there is none; __local__: none", optional},
	{"txn", entryID, "transaction, most:least; of a MESSAGE whose metadata does not name it, as its SEND did", optional},
	{"marker", object{{"type", "object"}, {"properties", object{{"type", text}}}, {"required", []string{"type"}}}, "what a broker wrote for brokers: its type and fields", optional},
	{"acked", always, "already acknowledged, by the ack_set of the MESSAGE", optional},
	{"redelivery_count", count, "", optional},
	{"codec", codecs, "", optional},
	{"codec_variant", variants, "where the payload is compressed in another form than the protocol says", optional},
	{"encrypted", always, "", optional},
	{"size", count, "bytes of the payload, decompressed", optional},
	{"sha256", object{{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}, "of the payload", optional},
	{"payload_text", text, "of the payload, where it is text", optional},
	{"payload_b64", base64, "of the payload, where it is not text", optional},
	{"payload_cut", always, "there is more of it than is shown", optional},
	{"value", object{}, "the payload as its schema reads it", optional},
	{"value_error", text, "where the payload does not fit its schema: the field, and why", optional},
	{"schema", payloadSchema, "by which the value was read", optional},
	{"state", oneOf(names(decode.StateIncomplete)...), "how far it could be read", required},
	{"fault", text, "why not further", optional},
}

// chunked are the fields that only a message put together has.
var chunked = []field{
	{"uuid", text, "", required},
	{"chunks", integer, "as stated", required},
	{"total_size", integer, "bytes, as stated", required},
	{"complete", truth, "", required},
	{"missing", listOf(integer), "chunks that were not seen", optional},
	{"chunk_ids", listOf(reference("message_id")), "where the chunks are stored", optional},
}
