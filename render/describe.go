package render

import (
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// describe appends the fields of a frame's command, and what its entry is.
func describe(dst []byte, e *session.Event, o *wire.Options) []byte {
	f := e.Frame
	start := len(dst)
	switch phrases, ok := nicer[pb.BaseCommand_Type(f.Type)]; {
	case ok && f.Sub >= 0:
		dst = appendPhrases(dst, phrases, f)
	case f.Sub >= 0:
		dst = f.Base.AppendText(dst, f.Sub, o)
	case f.Command == nil && f.Type >= 0:
		dst = f.Base.AppendText(dst, wire.Top, o)
	}
	if f.HasMetadata {
		dst = appendEntry(separate(dst, start), f)
	}
	return appendAbout(dst, start, e)
}

// separate appends a space unless nothing was appended since start.
func separate(dst []byte, start int) []byte {
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	return dst
}

func appendPhrases(dst []byte, phrases []phrase, f *decode.Frame) []byte {
	start := len(dst)
	for i := range phrases {
		p := &phrases[i]
		if f.Base.Find(f.Sub, p.number) < 0 {
			continue
		}
		undo := len(dst)
		dst = separate(dst, start)
		if p.before != "" {
			dst = append(append(dst, p.before...), ' ')
		}
		value := len(dst)
		if dst = p.show(dst, &f.Base, f.Sub, p.number); len(dst) == value {
			dst = dst[:undo]
		}
	}
	return dst
}

// opens are the commands that name their topic themselves.
var opens = map[pb.BaseCommand_Type]bool{pb.BaseCommand_PRODUCER: true, pb.BaseCommand_SUBSCRIBE: true}

// appendAbout appends topic and subscription behind the ids of a command.
func appendAbout(dst []byte, start int, e *session.Event) []byte {
	topic := e.Topic()
	if topic == "" || opens[pb.BaseCommand_Type(e.Frame.Type)] {
		return dst
	}
	dst = appendTopic(append(separate(dst, start), "on "...), topic)
	if e.TopicInferred() {
		dst = append(dst, " (inferred)"...)
	}
	if e.Producer == nil && e.Consumer.Subscription != "" {
		dst = appendName(append(dst, " / "...), e.Consumer.Subscription)
	}
	return dst
}

// appendEntry appends what the payload is: "8 messages, LZ4, 1.23 KiB".
func appendEntry(dst []byte, f *decode.Frame) []byte {
	m := &f.Metadata
	if f.Batched() {
		dst = append(dst, "batch of "...)
		dst = append(strconv.AppendInt(dst, int64(f.MessageCount()), 10), ", "...)
	}
	if n, _ := m.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg); n > 1 {
		i, _ := m.Int32(wire.Top, field.MessageMetadataChunkId)
		dst = strconv.AppendInt(append(dst, "chunk "...), int64(i)+1, 10)
		dst = strconv.AppendInt(append(dst, '/'), int64(n), 10)
		dst = append(dst, ", "...)
	}
	if c, _ := m.Int32(wire.Top, field.MessageMetadataCompression); codec.Codec(c) != codec.None {
		dst = append(append(dst, codec.Codec(c).String()...), ", "...)
	}
	if m.Find(wire.Top, field.MessageMetadataEncryptionKeys) >= 0 {
		dst = append(dst, "encrypted, "...)
	}
	if t, ok := m.Int32(wire.Top, field.MessageMetadataMarkerType); ok {
		dst = strconv.AppendInt(append(dst, "marker "...), int64(t), 10)
		dst = append(dst, ", "...)
	}
	if f.Incomplete {
		return append(dst, "payload cut"...)
	}
	return appendSize(dst, int64(len(f.Payload)))
}
