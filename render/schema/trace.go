package schema

import "pulsar-dissect/session/trace"

var step = []field{
	{"time", moment, "", required},
	{"packet", count, "number of the packet", required},
	{"conn", text, "client_ip:port-server_ip:port", required},
	{"conn_id", count, "number of the connection in the run", required},
	{"message", count, "number of the message in the output, from 1", required},
	{"step", oneOf(trace.Whats...), "what happened", required},
	{"since_ns", integer, "since the step before, 0 for the first", required},
	{"topic", text, "", optional},
	{"who", text, "producer, or subscription and consumer", optional},
	{"entry", structure("Where it is stored", field{"ledgerId", uint64s, "", required}, field{"entryId", uint64s, "", required}), "", optional},
	{"redelivery_count", count, "", optional},
	{"latency_ns", integer, "since what the step answers", optional},
	{"note", text, "an error, or why", optional},
}
