package schema

import "pulsar-dissect/session/dispatch"

var severities = oneOf("info", "warning", "error")

// subjectFields name whom a finding is about.
var subjectFields = []field{
	{"conn", text, "client_ip:port-server_ip:port; without ports where several connections are meant", optional},
	{"conn_id", count, "number of the connection in the run", optional},
	{"topic", text, "", optional},
	{"subscription", text, "", optional},
	{"producer", text, "its name, or its id where no name is known", optional},
	{"consumer", text, "its name, or its id where no name is known", optional},
	{"message_id", text, "ledger:entry", optional},
}

var evidenceFields = []field{
	{"packet", count, "number of the packet that completed it", required},
	{"file", text, "name of the file that the packet is in, where several were read", optional},
	{"time", moment, "of that packet", required},
	{"conn", text, "client_ip:port-server_ip:port", optional},
	{"conn_id", count, "number of the connection in the run", optional},
	{"dir", directions, "", optional},
	{"offset", integer, "in the direction's stream", required},
	{"type", text, "of the frame; absent where it is no frame", optional},
}

// ofFinding is where a finding belongs, as far as it belongs to one place.
var ofFinding = []field{
	{"time", moment, "of its first evidence", optional},
	{"packet", count, "of its first evidence", optional},
	{"file", text, "of its first evidence, where several were read", optional},
	{"conn", text, "that it is about: client_ip:port-server_ip:port", optional},
	{"conn_id", count, "number of that connection in the run", optional},
}

var finding = []field{
	{"rule", text, "'diagnose --explain RULE' tells of it", required},
	{"severity", severities, "", required},
	{"title", text, "in a few words", required},
	{"detail", text, "what happened", required},
	{"advice", text, "what to do", required},
	{"subject", structure("Whom it is about", subjectFields...), "", required},
	{"evidence", listOf(structure("A frame or a place that proves it", evidenceFields...)), "the first ones", required},
	{"count", count, "how often it was found", required},
	{"slice", text, "command that cuts its evidence out of the captures, where those are files", optional},
}

// ofConsumer is where a verdict belongs.
var ofConsumer = []field{
	{"time", moment, "of the verdict", required},
	{"packet", count, "that ended the consumer, or the last one of its connection", required},
	{"file", text, "that the packet is from, where several were read", optional},
	{"conn", text, "client_ip:port-server_ip:port", required},
	{"conn_id", count, "number of the connection in the run, from 0", required},
}

var consumer = []field{
	{"consumer_id", uint64s, "", required},
	{"consumer_name", text, "", optional},
	{"topic", text, "absent where its SUBSCRIBE was not captured", optional},
	{"subscription", text, "", optional},
	{"type", text, "of the subscription", optional},
	{"state", oneOf(names(dispatch.Closed)...), "how it is doing", required},
	{"state_before", oneOf(names(dispatch.Closed)...), "of a closed one: until then", optional},
	{"closed_by", text, "client, broker, connection or subscribed_again", optional},
	{"since", moment, "it is in this state", required},
	{"key", text, "blocked_key: that waits", optional},
	{"held_by", text, "blocked_key: consumer that has messages of the key", optional},
	{"permits", integer, "outstanding: granted less used", required},
	{"unacked", count, "messages delivered and not acknowledged", required},
	{"oldest_unacked", structure("", field{"id", entryID, "ledger:entry", required},
		field{"age_ns", int64s, "since its delivery", required}), "", optional},
	{"waiting", count, "entries that the subscription is known to wait for", required},
	{"delivered", integer, "messages", required},
	{"acked", integer, "messages", required},
	{"redelivered", integer, "of those delivered, messages that the subscription had got before", required},
}
