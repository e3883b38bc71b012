package session

import (
	"math"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
)

// A capture that begins in the middle of a connection lacks the commands that
// opened its producers and consumers, and so their topics. The wire gives some of
// them away: the entries of a ledger are all of one topic, and what a producer
// sends holds its name, which it keeps when it opens again. Both are told apart by
// broker, since other clusters have the same ledgers and names.

// inferences are the topics known so far.
type inferences struct {
	byLedger recent[ledgerKey, string]
	byName   recent[nameKey, string]
}

type ledgerKey struct {
	broker string
	ledger uint64
}

type nameKey struct {
	broker string
	name   string
}

func (t *inferences) limit(n int) { t.byLedger.limit, t.byName.limit = n, n }

// whereabouts is where a producer or consumer keeps its topic.
type whereabouts struct {
	topic    *string
	inferred *bool
	ledger   *uint64
}

func (p *Producer) whereabouts() whereabouts { return whereabouts{&p.Topic, &p.Inferred, &p.ledger} }

func (x *Consumer) whereabouts() whereabouts { return whereabouts{&x.Topic, &x.Inferred, &x.ledger} }

// stands notes that an entry is of the topic of a producer or consumer, or
// infers its topic from the entry's ledger.
func (s *Session) stands(c *Conn, w whereabouts, id MessageID) {
	ledger := id.Ledger + 1
	if ledger == *w.ledger && *w.topic != "" || id.Ledger == math.MaxUint64 {
		return
	}
	*w.ledger = ledger
	switch key := (ledgerKey{c.broker(), id.Ledger}); {
	case *w.topic == "":
		*w.topic, *w.inferred = s.inferences.byLedger.get(key)
	case !*w.inferred && !nonPersistent(*w.topic):
		s.letGoInference(s.inferences.byLedger.put(key, *w.topic))
	}
}

// sends notes the name of a producer that was not seen to open, and infers its
// topic from it.
func (s *Session) sends(c *Conn, p *Producer, f *decode.Frame) {
	if p.Known || p.Name != "" && p.Topic != "" || !f.HasMetadata {
		return
	}
	if p.Name == "" {
		p.Name, p.Inferred = metaText(f, field.MessageMetadataProducerName), true
	}
	if p.Topic == "" {
		p.Topic, _ = s.inferences.byName.get(nameKey{c.broker(), p.Name})
	}
}

// confirmed notes the topic of a producer whose name the broker confirmed.
func (s *Session) confirmed(c *Conn, p *Producer) {
	if p.Topic != "" && p.Name != "" && !p.Inferred {
		s.letGoInference(s.inferences.byName.put(nameKey{c.broker(), p.Name}, p.Topic))
	}
}

func (s *Session) letGoInference(letGo bool) {
	if letGo {
		s.counters.Inferences++
	}
}
