package schema

import st "pulsar-dissect/session/stats"

var ratio = object{{"type", "number"}, {"minimum", 0}}

// flowFields are what was sent, or delivered.
var flowFields = []field{
	{"entries", count, "frames", required},
	{"messages", count, "a chunked one once", required},
	{"bytes", count, "of payload as on the wire", required},
	{"batches", count, "entries of batch layout", required},
	{"largest_batch", count, "messages", required},
	{"batch_size", ratio, "messages of an entry on average", required},
	{"compression_ratio", ratio, "how many times smaller compressed payloads became", optional},
	{"messages_per_second", ratio, "", required},
	{"bytes_per_second", ratio, "", required},
}

// percentileFields are of latencies, in ns.
var percentileFields = []field{
	{"count", count, "", required}, {"min", integer, "", required}, {"p50", integer, "", required}, {"p90", integer, "", required},
	{"p99", integer, "", required}, {"p99.9", integer, "", required}, {"max", integer, "", required},
	{"negative", count, "below 0, since the clock of the capture stepped back", optional},
}

var stats = []field{
	{"by", oneOf(words(st.Groupings)...), "what has a row", required},
	{"time", moment, "when the interval begins, or the first event of the run where that is later", required},
	{"seconds", ratio, "length of the interval, as far as it lies in the run", required},
	{"topic", text, "", optional},
	{"subscription", text, "", optional},
	{"producer", text, "its name, or its id where no name is known", optional},
	{"consumer", text, "its name, or its id where no name is known", optional},
	{"conn", text, "client_ip:port-server_ip:port", optional},
	{"conn_id", count, "number of the connection in the run", optional},
	{"client_version", text, "that CONNECT states; absent where it was not captured", optional},
	{"command", text, "type; exchanges belong to that of the request", optional},
	{"others", always, "all that has no row of its own, since there is too much", optional},
	{"frames", count, "", required},
	{"frame_bytes", count, "with their size fields", required},
	{"sent", structure("SENDs", flowFields...), "", optional},
	{"delivered", structure("MESSAGEs", flowFields...), "", optional},
	{"redelivered", count, "entries delivered with a redelivery_count above 0", required},
	{"redelivery_rate", ratio, "part of the entries delivered", required},
	{"acked", count, "messages", required},
	{"ok", count, "requests and SENDs answered well", required},
	{"errors", count, "requests and SENDs answered by an error", required},
	{"unanswered", count, "requests and SENDs without an answer", required},
	{"latency_ns", object{{"type", "object"}, {"additionalProperties", structure("Latencies of exchanges of a kind", percentileFields...)}},
		"by kind of exchange; of ack: from the delivery to the acknowledgement", optional},
}

// words are the values of a type of text.
func words[T ~string](list []T) (out []string) {
	for _, w := range list {
		out = append(out, string(w))
	}
	return out
}
