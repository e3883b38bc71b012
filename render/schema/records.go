package schema

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// record is a kind of record.
type record struct {
	name   string
	about  string
	place  []field // where it belongs, ahead of its own fields
	fields []field
	rules  []any // further ones
}

func (r *record) all() []field {
	all := []field{{"kind", object{{"const", r.name}}, "", required}}
	return append(append(all, r.place...), r.fields...)
}

func (r *record) schema() object {
	o := structure(r.about, r.all()...)
	if len(r.rules) > 0 {
		o = o.with("allOf", r.rules)
	}
	return o
}

// ofConnection are the fields that every record but the summary has.
var ofConnection = []field{
	{"time", moment, "of the packet that completed it, UTC", required},
	{"packet", count, "number of that packet, from 1, in reading order", required},
	{"file", text, "that the packet is from, where several were read", optional},
	{"conn", text, "client_ip:port-server_ip:port", required},
	{"conn_id", count, "number of the connection in the run, from 0", required},
}

// ofStream are those of a record about bytes of one direction.
var ofStream = append(ofConnection[:len(ofConnection):len(ofConnection)],
	field{"dir", directions, "client to server, or server to client", required},
	field{"offset", integer, "of the first byte in the direction's stream", required},
	timeUnknown,
)

var (
	directions  = oneOf(names(decode.ServerToClient)...)
	timeUnknown = field{"time_unknown", always, "the container gives the packet no time: it is that of the one before", optional}
)

// records is the table of all kinds.
func records(d *definitions) []record {
	return []record{
		frame(d),
		{"message", "One single message, out of its batch and decompressed", ofStream, append([]field{messageType}, message...), nil},
		{"exchange", "A request with its response", ofStream, exchange, nil},
		{"permits", "A consumer's permits after a FLOW or a MESSAGE", ofStream, permits, nil},
		{"chunked_message", "A message put together from its chunks", ofStream, append(chunked, message...), nil},
		{"gap", "Bytes that the capture does not have", ofStream, gap, nil},
		{"skipped", "Bytes in which no frame was found", ofStream, skipped, nil},
		{"conflict", "Bytes that came again with another content; the first stay", ofStream, []field{howMany}, nil},
		{"proxy", "Preface of the PROXY protocol", ofStream, proxy, nil},
		bookieRecord(d),
		{"finding", "What a rule found", ofFinding, finding, nil},
		{"consumer", "How a consumer was doing at its end, or at the end of the capture", ofConsumer, consumer, nil},
		{"transaction", "A transaction that has ended, or of which no more will be seen", ofTransaction, transaction, nil},
		{"stats", "What was counted under one name, in the whole run or in an interval", nil, stats, nil},
		{"step", "One thing that happened to a message that is followed", nil, step, nil},
		{"dissection", "Bytes and what each of them means", nil, dissection, nil},
		{"connection", "A connection, when nothing more will come of it", append(ofConnection, timeUnknown), connection, nil},
	}
}

func frame(d *definitions) record {
	return record{"frame", "One frame of the protocol, whole or cut by the capture", ofStream, []field{
		{"size", count, "bytes, with the size field", required},
		{"type", commandType(), "of the command", required},
		{"command", object{{"type", "object"}}, "fields of the command that stand on the wire", required},
		{"first_packet", count, "number of the packet with the first byte", required},
		{"first_time", moment, "of that packet", required},
		{"checksum", oneOf(names(decode.ChecksumAbsent)[1:]...), "verdict on the CRC32-C of a payload frame", optional},
		{"checksum_stored", hex, "where it is bad", optional},
		{"checksum_computed", hex, "where it is bad", optional},
		{"broker_entry_metadata", d.messageReference(brokerEntryMetadata), "", optional},
		{"metadata", d.messageReference(messageMetadata), "", optional},
		{"payload_size", count, "bytes as on the wire", optional},
		{"resync", always, "first frame after a gap or skipped bytes", optional},
		{"incomplete", always, "the capture does not have all of it", optional},
		{"have", count, "bytes up to the first hole", optional},
		{"issues", listOf(text), "what is wrong with it", optional},
	}, d.commandOfType()}
}

var howMany = field{"bytes", count, "how many", required}

var permits = []field{
	{"consumer_id", uint64s, "", required},
	{"event", oneOf("flow", "message"), "what changed them", required},
	{"n", integer, "permits granted, or used", required},
	{"outstanding", integer, "granted less used", required},
	{"baseline_known", truth, "the SUBSCRIBE was seen", required},
}

var gap = []field{
	howMany,
	{"acked", truth, "the peer had them: the capture lost them", required},
	{"cause", oneOf(names(reassembly.MemoryLimit)...), "", required},
}

var skipped = []field{
	howMany,
	{"reason", text, "", required},
}

var proxy = []field{
	{"version", object{{"enum", []int{1, 2}}}, "", required},
	{"command", text, "PROXY, LOCAL or UNKNOWN", required},
	{"source", text, "ip:port", optional},
	{"destination", text, "ip:port", optional},
	{"tlvs", listOf(structure("",
		field{"type", between("0", "255"), "", required},
		field{"value", base64, "", required},
	)), "", required},
}

var exchange = []field{
	{"exchange", oneOf(names(session.Watch)...), "what kind of request", required},
	{"topic", text, "", optional},
	{"topic_inferred", truth, "the frame that names the topic was not captured; others gave it away", optional},
	{"request", reference("side"), "", optional},
	{"response", reference("side"), "", optional},
	{"key", reference("key"), "ids that tie both together", required},
	{"latency_ns", int64s, "may be below 0 where the clock stepped back", optional},
	{"result", oneOf(names(session.Repeat)...), "", required},
	{"error", structure("", field{"code", text, "", required}, field{"text", text, "", optional}), "that the peer answered", optional},
	{"message_id", reference("message_id"), "of a SEND: where the entry was stored", optional},
	{"messages", integer, "of an ACK: how many it took as acknowledged", optional},
	{"left", count, "of an ACK: how many of the entry are still open", optional},
	{"covers", listOf(structure("",
		field{"id", entryID, "ledger:entry", required},
		field{"messages", integer, "", required},
		field{"latency_ns", int64s, "since the delivery", required},
	)), "of a cumulative ACK: the deliveries that it closed", optional},
	{"stored", listOf(elsewhere), "of a SEND: the AddEntry requests of its entry that bookies answered before", optional},
	{"twin", elsewhere, "the same on the other leg at a proxy, of an exchange on the front leg", optional},
	{"proxy_ns", structure("", field{"request", int64s, "from that on the front leg to that on the back", required},
		field{"response", int64s, "from that on the back leg to that on the front", required}), "the time that the proxy took", optional},
	{"send", elsewhere, "of an AddEntry: the SEND of the entry, where its receipt came before", optional},
	{"why", text, "of an unanswered one", optional},
}
