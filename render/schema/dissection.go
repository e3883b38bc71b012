package schema

import "pulsar-dissect/decode/anatomy"

var dissection = []field{
	{"time", moment, "of the packet that completed the frame; absent with all that places it where the bytes are from no capture", optional},
	{"packet", count, "number of that packet", optional},
	{"file", text, "that the packet is from, where several were read", optional},
	{"conn", text, "client_ip:port-server_ip:port", optional},
	{"conn_id", count, "number of the connection in the run", optional},
	{"dir", directions, "", optional},
	{"offset", integer, "of the frame in the direction's stream", optional},
	{"size", count, "bytes", required},
	{"type", text, "of the command", optional},
	{"form", oneOf(formNames()...), "what bytes from no capture were taken for", optional},
	{"guess", text, "why, where it was guessed", optional},
	{"segments", listOf(structure("", field{"packet", count, "", required}, field{"time", moment, "of that packet", required},
		field{"start", count, "in the frame", required}, field{"end", count, "behind the last byte", required})), "in which the frame lies", optional},
	{"buffers", listOf(structure("", field{"name", text, "", required}, field{"bytes", hex, "", required})), "the bytes, and those that come out of them", required},
	{"parts", listOf(reference("part")), "", required},
	{"faults", listOf(text), "of the whole", optional},
}

func formNames() (names []string) {
	for _, f := range anatomy.Forms() {
		names = append(names, string(f))
	}
	return names
}
