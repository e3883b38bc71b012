package schema

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/proto/bookiepb"
)

// bookieRecord are the fields of a frame between a broker and a bookie.
func bookieRecord(d *definitions) record {
	own := []field{
		{"size", count, "bytes, with the length", required},
		{"version", object{{"enum", []int{2, 3}}}, "of the protocol", required},
		{"role", oneOf("request", "response"), "", required},
		{"op", bookieOp(), "OperationType of version 3; that of version 2 has the same names here", required},
		{"flags", listOf(oneOf("DO_FENCING", "RECOVERY_ADD", "HIGH_PRIORITY")), "of a request of version 2", optional},
		{"requestId", uint64s, "of a batched read of version 2", optional},
		{"txnId", uint64s, "of version 3", optional},
		{"ledgerId", int64s, "", optional},
		{"entryId", int64s, "-1: the last add confirmed", optional},
		{"rc", orText(bookie.Statuses()...), "StatusCode of version 3; that of version 2 has the same names here", optional},
		{"maxCount", int32s, "of a batched read of version 2", optional},
		{"maxSize", int64s, "bytes, of a batched read of version 2", optional},
		{"first_packet", count, "number of the packet with the first byte", required},
		{"first_time", moment, "of that packet", required},
		{"entries", listOf(structure("An entry as bookies store it", storedEntry(d)...)), "that travel in it", optional},
		{"resync", always, "first frame after a gap or skipped bytes", optional},
		{"incomplete", always, "the capture does not have all of it", optional},
		{"have", count, "bytes up to the first hole", optional},
		{"issues", listOf(text), "what is wrong with it", optional},
	}
	return record{"bookie", "A frame between a broker and a bookie", ofStream, append(own, operationFields(d)...), nil}
}

// operationFields are the fields of version 3 that stand in the record as they
// are, out of all operations.
func operationFields(d *definitions) (fields []field) {
	seen := map[string]bool{"ledgerId": true, "entryId": true, "status": true, "header": true, "requestContext": true}
	messages := bookiepb.File_bookkeeper_proto.Messages()
	for i := range messages.Len() {
		m := messages.Get(i)
		if m.Name() == "Request" || m.Name() == "Response" || m.Name() == "ContextPair" || m.Name() == "BKPacketHeader" {
			continue
		}
		for k := range m.Fields().Len() {
			f := m.Fields().Get(k)
			if name := string(f.Name()); !seen[name] {
				seen[name] = true
				fields = append(fields, field{name, d.value(m, f), "", optional})
			}
		}
	}
	return append(fields, field{"priority", uint32s, "", optional})
}

// storedEntry are the fields of an entry as bookies store it.
func storedEntry(d *definitions) []field {
	return []field{
		{"ledgerId", int64s, "", required},
		{"entryId", int64s, "", required},
		{"lastAddConfirmed", int64s, "as the writer knew it; -1: none", required},
		{"length", int64s, "bytes of all entries of the ledger up to this one", required},
		{"digest_type", oneOf(names(bookie.Dummy)...), "as its value shows: the wire does not name it", required},
		{"digest", oneOf(names(bookie.DigestUnverified)[1:]...), "verdict; none where the capture cut the entry", optional},
		{"size", count, "bytes of what a broker stored", optional},
		{"checksum", oneOf(names(decode.ChecksumAbsent)[1:]...), "verdict on the CRC32-C that the producer sent", optional},
		{"checksum_stored", hex, "where it is bad", optional},
		{"checksum_computed", hex, "where it is bad", optional},
		{"broker_entry_metadata", d.messageReference(brokerEntryMetadata), "", optional},
		{"broker_delay", int64s, "as in a message", optional},
		{"metadata", d.messageReference(messageMetadata), "", optional},
		{"payload_size", count, "bytes as stored", optional},
		{"messages", listOf(structure("A message, out of its batch and decompressed", message...)), "", optional},
		{"payload_text", text, "of an entry that is none of a message, where it is text", optional},
		{"payload_b64", base64, "of one that is not text", optional},
		{"payload_cut", always, "there is more of it than is shown", optional},
	}
}

// bookieOp is the name of an operation, or UNKNOWN(number).
func bookieOp() object {
	return object{{"anyOf", []any{oneOf(bookie.OpNames()...), object{{"type", "string"}, {"pattern", `^UNKNOWN\(\d+\)$`}}}}}
}

// elsewhere is a frame of another connection.
var elsewhere = structure("",
	field{"conn_id", count, "number of that connection in the run", required},
	field{"offset", integer, "of the frame in its direction's stream", required},
	field{"latency_ns", int64s, "of the exchange that it began", optional},
)
