package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/session"
)

var compressionMismatch = &Rule{
	Name:     "compression-mismatch",
	Severity: Error,
	Title:    "Payload is not compressed as its metadata says",
	Meaning: "The payload does not decompress with the codec that the metadata names, or comes out with another size than uncompressed_size. " +
		"Consumers throw such messages away. Where it is only another container of the same codec some clients can read it, and others cannot (info).",
	Advice: "It is a fault of the producer's client, or of an application that compresses by itself and sets the field. Pulsar's LZ4 and SNAPPY are raw blocks " +
		"without a frame; uncompressed_size is required.",
	Blind: "Payloads that cannot be decrypted here.",
	Lint:  true,
	Kinds: []session.Kind{session.MessageSeen, session.ChunkedMessage},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.MessageSeen || e.Kind == session.ChunkedMessage {
				r.compression(e)
			}
		}
	},
}

// containers are the variants worth a word, and what they are.
var containers = map[string]string{
	codec.VariantLZ4Frame: "an LZ4 frame, not a raw block", codec.VariantLZ4LengthPrefix: "an LZ4 block behind its length",
	codec.VariantSnappyFraming: "Snappy's framing format, not a raw block",
}

func (r *Reporter) compression(e *session.Event) {
	m := e.Message
	switch {
	case m.State == decode.StateDecompressError || m.State == decode.StateSizeMismatch:
		r.Warn(about(e), fmt.Sprintf("A payload%s of codec %s: %s.", positionWords(m), m.Codec, m.Fault), here(e))
	case m.State == decode.StateOK && m.Index == 0 && m.Variant != "" && containers[m.Variant] != "":
		r.Report(Finding{Severity: Info, Title: "Payload is in another container of its codec", Subject: about(e), Evidence: []Evidence{here(e)},
			Detail: fmt.Sprintf("A payload%s of codec %s is %s; it could be read.", positionWords(m), m.Codec, containers[m.Variant])})
	case m.State == decode.StateOK && m.Codec == codec.None && !m.Batched && !m.Encrypted:
		if name := looksCompressed(m.Payload); name != "" {
			r.Report(Finding{Severity: Info, Title: "Payload looks compressed but says that it is not", Subject: about(e), Evidence: []Evidence{here(e)},
				Detail: fmt.Sprintf("A payload%s begins like %s. If the application compresses by itself, that is as it should be.", positionWords(m), name)})
		}
	}
}
