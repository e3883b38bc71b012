package render

import "strings"

// CellColumns are the columns of each listing as a table for other programs:
// names of fields of the JSON records, with dots where they lie in others; []
// stands behind a list.
var CellColumns = map[string][]string{
	"timeline": strings.Fields(`
		kind time packet file conn conn_id dir offset type topic subscription size checksum payload_size incomplete
		bytes cause reason issues command metadata`),
	"pairs": strings.Fields(`
		time packet file conn conn_id exchange topic result latency_ns error.code error.text why
		request.type request.time request.packet request.dir request.offset
		response.type response.time response.packet response.dir response.offset
		key.request_id key.producer_id key.sequence_id key.consumer_id key.id message_id.ledgerId message_id.entryId messages left`),
	"messages": strings.Fields(`
		kind time packet file conn conn_id dir offset type topic subscription producer_name
		message_id.ledgerId message_id.entryId message_id.partition message_id.batch_index index batch_size sequence_id
		publish_time event_time key key_b64 ordering_key_b64 properties redelivery_count acked codec encrypted schema_version txn
		uuid chunks complete size sha256 payload_text payload_b64 payload_cut value state fault`),
	"consumers": strings.Fields(`
		time packet file conn conn_id consumer_id consumer_name topic subscription type state state_before closed_by since
		permits unacked oldest_unacked.id oldest_unacked.age_ns waiting delivered acked redelivered`),
	"stats": strings.Fields(`
		by time seconds topic subscription producer consumer conn conn_id client_version command others frames frame_bytes
		sent.entries sent.messages sent.bytes sent.batches sent.largest_batch sent.batch_size sent.compression_ratio
		sent.messages_per_second sent.bytes_per_second
		delivered.entries delivered.messages delivered.bytes delivered.batches delivered.largest_batch delivered.batch_size
		delivered.compression_ratio delivered.messages_per_second delivered.bytes_per_second
		redelivered redelivery_rate acked ok errors unanswered
		latency_ns.send.count latency_ns.send.p50 latency_ns.send.p99 latency_ns.send.max
		latency_ns.ack.count latency_ns.ack.p50 latency_ns.ack.p99 latency_ns.ack.max
		latency_ns.request.count latency_ns.request.p50 latency_ns.request.p99 latency_ns.request.max`),
	"txns": strings.Fields(`
		time packet file conn conn_id txn_id coordinator state since start end ended_by unfinished why opened ttl_ns open_ns ending_ns
		messages acks topics[].topic subscriptions[].subscription refused refusals[].code`),
	"diagnose": strings.Fields(`
		severity rule title count time packet conn conn_id subject.topic subject.subscription subject.producer subject.consumer
		subject.message_id detail advice evidence[].packet`),
}
