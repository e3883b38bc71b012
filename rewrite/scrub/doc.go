// Package scrub replaces what a capture holds of its owner: payloads, tokens,
// keys, values of properties, addresses, and names where that is asked for.
//
// In: the events of decode, and the bytes of TLS from decrypt, from which it makes
// the streams anew (Streams), then the packets once more (Copy). Out: packets with the same segments, of which only
// such bytes differ. Everything keeps its size: frames, messages, and compressed
// entries, too; checksums that were right are right, those that were wrong are
// wrong. The same text always becomes the same text.
//
//	names        texts and addresses, and what becomes of them
//	fields       which fields hold what
//	frame        the bytes of a frame
//	entry        payloads: batches, codecs
//	fit          compressed bytes of an exact size
//	bookie       frames between brokers and bookies, and digests of entries
//	tls          records of TLS, whose bodies go
//	hello        handshakes of TLS, of which versions, ciphers and sizes stay
//	certificate  certificates for other names
//	spool        the streams, in a temporary file
//	packets      the packets
//
// What is in no frame is overwritten. Packets other than TCP segments are left
// out, and so is everything around a segment but a VLAN number: tunnels, MAC
// addresses, options.
//
// To be changed here: what is replaced, a row in fields.go.
package scrub
