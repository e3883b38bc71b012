package schema

import "pulsar-dissect/session"

var txnName = object{{"type", "string"}, {"pattern", `^\d+:\d+$`}}

// ofTransaction is where a transaction belongs.
var ofTransaction = []field{
	{"time", moment, "of the latest frame about it", required},
	{"packet", count, "of that frame", required},
	{"file", text, "that the packet is from, where several were read", optional},
	{"conn", text, "to its coordinator; where that was not seen, the first that named it", required},
	{"conn_id", count, "number of that connection in the run, from 0", required},
	timeUnknown,
}

// txnPart are the fields that topics and subscriptions of a transaction share.
var txnPart = []field{
	{"added", truth, "the coordinator agreed to it", required},
	{"action", text, "COMMIT or ABORT: that the coordinator told its broker", optional},
	{"done", truth, "the broker has agreed to that", optional},
	{"latency_ns", int64s, "that it took", optional},
}

var transaction = []field{
	{"txn_id", txnName, "most:least", required},
	{"coordinator", uint64s, "number of its coordinator", required},
	{"state", oneOf(names(session.TxnFailed)...), "failed: its end was refused", required},
	{"since", moment, "it is in this state", required},
	{"start", moment, "of its opening, or of the first frame that names it", required},
	{"end", moment, "absent where it is unfinished", optional},
	{"ended_by", oneOf(names(session.EndedByCoordinator)[1:]...), "coordinator: the client had not asked for it", optional},
	{"unfinished", always, "its end was not seen", optional},
	{"why", oneOf("capture_end", "conn_closed", "limit", "number_used_anew"), "it is unfinished", optional},
	{"opened", truth, "its opening was captured", required},
	{"ttl_ns", int64s, "time to live that the client asked for", optional},
	{"open_ns", int64s, "from its opening until its end was asked for", optional},
	{"ending_ns", int64s, "from then until the end was answered", optional},
	{"messages", integer, "sent in it and not refused", required},
	{"acks", integer, "ids acknowledged in it and not refused", required},
	{"topics", listOf(structure("", append([]field{
		{"topic", text, "", required},
		{"messages", integer, "sent to it and not refused", required},
	}, txnPart...)...)), "that it writes to", required},
	{"subscriptions", listOf(structure("", append([]field{
		{"topic", text, "", required},
		{"subscription", text, "", required},
		{"acks", integer, "ids acknowledged in it and not refused", required},
	}, txnPart...)...)), "that it acknowledges in", required},
	{"markers", listOf(structure("",
		field{"type", text, "TXN_COMMIT or TXN_ABORT", required},
		field{"time", moment, "", required},
		field{"packet", count, "", required},
		field{"conn_id", count, "", required},
		field{"topic", text, "where it is known", optional},
		field{"id", entryID, "ledger:entry", optional},
	)), "that brokers wrote into topics", required},
	{"refused", count, "requests in it that were refused", required},
	{"refusals", listOf(structure("",
		field{"type", text, "of the request", required},
		field{"time", moment, "of the answer", required},
		field{"packet", count, "of the answer", required},
		field{"code", text, "", required},
		field{"text", text, "that came with it", optional},
	)), "the first of these", required},
	{"connections", listOf(count), "numbers of those that took part", required},
}
