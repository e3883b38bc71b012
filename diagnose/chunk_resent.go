package diagnose

import (
	"fmt"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var chunkResent = &Rule{
	Name:     "chunk-resent",
	Severity: Info,
	Title:    "Chunk was sent again",
	Meaning: "A producer sent a chunk that it had sent before, as it does with all that was pending when its connection ended. Without deduplication the broker " +
		"may store it twice, and consumers that meet a chunk twice may throw the whole message away (warning).",
	Advice: "Enable deduplication on topics with chunked messages. Look at why the connection ended.",
	Blind:  "Whether the broker had stored the first one, unless a consumer gets both.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SEND, pb.BaseCommand_MESSAGE},
	Start: func(r *Reporter) Watch {
		w := &chunksSeen{Reporter: r, seen: map[chunkOf]dispatch.Position{}}
		return func(e *session.Event) {
			if e.Kind == session.FrameSeen && e.Frame.HasMetadata {
				w.chunk(e)
			}
		}
	},
}

// chunkOf names a chunk of a message.
type chunkOf struct {
	topic, subscription string // subscription: of a MESSAGE
	producer, uuid      string
	id                  int32
}

type chunksSeen struct {
	*Reporter
	seen  map[chunkOf]dispatch.Position // of a SEND nowhere
	order []chunkOf
}

// chunksKept bounds the chunks that are remembered.
const chunksKept = 20_000

func (w *chunksSeen) chunk(e *session.Event) {
	m := &e.Frame.Metadata
	n, _ := m.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg)
	id, ok := m.Int32(wire.Top, field.MessageMetadataChunkId)
	if n < 2 || !ok {
		return
	}
	uuid, _ := m.Text(wire.Top, field.MessageMetadataUuid)
	producer, _ := m.Text(wire.Top, field.MessageMetadataProducerName)
	k := chunkOf{uuid: string(uuid), producer: string(producer), id: id, topic: e.Topic()}
	at := dispatch.Position{}
	delivered := e.Consumer != nil // whoever sent it
	if delivered {
		x, _ := session.IDOf(e.Frame, field.CommandMessageMessageId)
		k.subscription, at = "/"+e.Consumer.Subscription, dispatch.Position{Ledger: x.Ledger, Entry: x.Entry}
	}
	before, again := w.seen[k]
	switch {
	case !again:
		w.keep(k, at)
	case !delivered:
		w.Warn(about(e), fmt.Sprintf("SEND of chunk %d of message %s again.", id, uuid), here(e))
	case before != at:
		w.Report(Finding{Severity: Warning, Title: "Chunk is stored twice", Subject: about(e), Evidence: []Evidence{here(e)},
			Detail: fmt.Sprintf("Chunk %d of message %s came as %s and as %s.", id, uuid, before, at)})
	}
}

func (w *chunksSeen) keep(k chunkOf, at dispatch.Position) {
	w.seen[k] = at
	w.order = append(w.order, k)
	if len(w.order) > chunksKept {
		delete(w.seen, w.order[0])
		w.order = w.order[1:]
	}
}
