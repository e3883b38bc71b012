package session_test

import (
	"fmt"
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

// topics gives the topic of each frame that has a producer or consumer.
func topics(t *testing.T, tape *wiremake.Tape) (said []string) {
	t.Helper()
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	s := session.New(session.Options{})
	for e, err := range s.Events(decode.New(decode.Limits{}, nil).Events(a.Events(wiremake.Overwriting(tape.Source())))) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != session.FrameSeen || e.Producer == nil && e.Consumer == nil {
			continue
		}
		line := fmt.Sprintf("%s %s", e.Frame.TypeName(), e.Topic())
		if e.TopicInferred() {
			line += " inferred"
		}
		if e.Producer != nil {
			line += " of " + e.Producer.Name
		}
		said = append(said, line)
	}
	return said
}

// A consumer whose SUBSCRIBE is not in the capture reads what a known producer
// of the same broker wrote: ledgers tell the topic, but those of other brokers
// do not.
func TestTopicOfLedger(t *testing.T) {
	tape := wiremake.NewTape()
	reader, writer := openTalk(tape, 40000), openTalk(tape, 40001)
	reader.broker(message(3, 7, 0, 0), message(3, 8, 0, 0))
	writer.client(connect(nil))
	writer.broker(connected(nil))
	writer.client(producer(1, 1, "persistent://a/b/c", "n"))
	writer.broker(producerSuccess(1, "n", nil))
	writer.client(send(1, 0))
	writer.broker(receipt(1, 0, 7, 1))
	reader.broker(message(3, 8, 1, 0), message(3, 7, 1, 0), message(3, 8, 2, 0))
	holds(t, "topics", topics(t, tape), []string{
		"MESSAGE ", "MESSAGE ", "PRODUCER persistent://a/b/c of n", "SEND persistent://a/b/c of n", "SEND_RECEIPT persistent://a/b/c of n",
		"MESSAGE ", "MESSAGE persistent://a/b/c inferred", "MESSAGE persistent://a/b/c inferred",
	})
}

// A producer that was not seen to open tells its name in what it sends, and
// opens again on another connection of the same broker: from then on the first
// has a topic too.
func TestTopicOfProducerName(t *testing.T) {
	tape := wiremake.NewTape()
	first, second := openTalk(tape, 40000), openTalk(tape, 40001)
	first.client(send(1, 0), send(1, 1))
	second.client(connect(nil))
	second.broker(connected(nil))
	second.client(producer(1, 1, "persistent://a/b/c", "p"))
	second.broker(producerSuccess(1, "p", nil))
	first.client(send(1, 2))
	holds(t, "topics", topics(t, tape), []string{
		"SEND  of p", "SEND  of p", "PRODUCER persistent://a/b/c of p", "SEND persistent://a/b/c inferred of p",
	})
}

// Entries of topics that are not stored all have the same id, which tells
// nothing.
func TestTopicOfNoLedger(t *testing.T) {
	tape := wiremake.NewTape()
	reader, writer := openTalk(tape, 40000), openTalk(tape, 40001)
	writer.client(connect(nil))
	writer.broker(connected(nil))
	writer.client(producer(1, 1, "non-persistent://a/b/c", "n"))
	writer.broker(receipt(1, 0, 0, 0))
	reader.broker(message(3, 0, 0, 0))
	holds(t, "topics", topics(t, tape), []string{"PRODUCER non-persistent://a/b/c of n", "SEND_RECEIPT non-persistent://a/b/c of n", "MESSAGE "})
}
