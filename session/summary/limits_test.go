package summary

import (
	"strconv"
	"strings"
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// frameOf is the event of a frame without content.
func frameOf(t pb.BaseCommand_Type, d decode.Direction) *session.Event {
	f := &decode.Frame{Type: int32(t), Command: proto.ByNumber(int32(t)), Sub: -1, Direction: d}
	return &session.Event{Kind: session.FrameSeen, Conn: &session.Conn{Conn: &decode.Conn{Name: "a-b"}}, Direction: d, Frame: f}
}

func sendTo(topic string) *session.Event {
	e := frameOf(pb.BaseCommand_SEND, decode.ClientToServer)
	e.Producer = &session.Producer{Topic: topic}
	return e
}

// TestTopicsAreBounded holds that topics beyond the limit share a row, by
// number and by the bytes of their names, and that nothing is lost.
func TestTopicsAreBounded(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		topic  func(i int) string
		rows   int
		others uint64
	}{
		{"by number", Limits{Topics: 3}, func(i int) string { return "t" + strconv.Itoa(i) }, 3, 14},
		{"by bytes", Limits{NameBytes: 2500}, func(i int) string { return strings.Repeat("x", 1000) + strconv.Itoa(i) }, 2, 16},
	} {
		s := New(c.limits)
		for range 2 {
			for i := range 10 {
				s.Add(sendTo(c.topic(i)))
			}
		}
		rows, others, more := s.Produced()
		total := others.Entries.Entries
		for i := range rows {
			total += rows[i].Entries.Entries
		}
		if len(rows) != c.rows || others.Entries.Entries != c.others || more != c.others || total != 20 {
			t.Errorf("%s: %d rows, others %+v (%d times), %d in all; want %d rows, %d in others, 20 in all",
				c.name, len(rows), others, more, total, c.rows, c.others)
		}
		for _, h := range s.Hits() {
			if (h.Count > 0) != (h.Name == "summary_topics") {
				t.Errorf("%s: limit %s hit %d times", c.name, h.Name, h.Count)
			}
		}
	}
}

// TestUnknownCommandsAreBounded holds that types which the schema does not have
// are counted by number up to a limit.
func TestUnknownCommandsAreBounded(t *testing.T) {
	s := New(Limits{Groups: 2})
	for n := range pb.BaseCommand_Type(4) {
		s.Add(frameOf(500+n, decode.ClientToServer))
	}
	s.Add(frameOf(500, decode.ServerToClient))
	rows, others := s.Commands()
	if len(rows) != 2 || rows[0].Name != "UNKNOWN(500)" || rows[0].Count != [2]uint64{1, 1} || rows[1].Name != "UNKNOWN(501)" ||
		others != [2]uint64{2, 0} {
		t.Errorf("got %v and %v others", rows, others)
	}
	if s.UnknownCommands() != 5 {
		t.Errorf("%d unknown commands, want 5", s.UnknownCommands())
	}
}

// TestExamplesAreFewAndShort holds that only the first occurrences are kept,
// and of each a bounded text.
func TestExamplesAreFewAndShort(t *testing.T) {
	s := New(Limits{})
	e := frameOf(pb.BaseCommand_PING, decode.ClientToServer)
	e.Kind, e.Exchange = session.ExchangeSeen, &session.Exchange{Kind: session.Request, Result: session.Failed, HasRequest: true,
		Request: session.Ref{Type: int32(pb.BaseCommand_PRODUCER)}, Error: "ProducerBusy", Text: strings.Repeat("long ", 1000)}
	for i := range uint64(10) {
		e.At.Packet = 100 + i
		s.Add(e)
	}
	rows, others := s.Errors()
	if len(rows) != 1 || others != 0 || rows[0].Request != "PRODUCER" || rows[0].What != "ProducerBusy" || rows[0].Count != 10 {
		t.Fatalf("got %+v and %d others", rows, others)
	}
	examples := rows[0].Examples()
	if len(examples) != maxExamples || examples[0].Packet != 100 || examples[2].Packet != 102 || len(examples[0].Text) != maxExampleText {
		t.Errorf("got %d examples, the first %+v", len(examples), examples[0])
	}
}

// TestCumulativeAcknowledgements holds that each delivery that one closes has
// its latency.
func TestCumulativeAcknowledgements(t *testing.T) {
	s := New(Limits{})
	e := frameOf(pb.BaseCommand_ACK, decode.ClientToServer)
	e.Consumer = &session.Consumer{Topic: "t", Subscription: "s"}
	e.Kind, e.Exchange = session.ExchangeSeen, &session.Exchange{Kind: session.Ack, HasResponse: true, Cumulative: true, Messages: 5,
		Covers: []session.Cover{{Messages: 1, Latency: 100}, {Messages: 4, Latency: 300}}}
	s.Add(e)
	x := &s.Exchanges[session.Ack]
	if x.Results[session.OK] != 1 || x.Latency.Count != 2 || x.Latency.Min != 100 || x.Latency.Max != 300 {
		t.Errorf("got %+v", x)
	}
	if rows, _, _ := s.Consumed(); len(rows) != 1 || rows[0].Acked != 5 {
		t.Errorf("got %+v", rows)
	}
}

// How a subscription stands is told only of one that something was counted of,
// and the legs of a proxy are put together.
func TestStand(t *testing.T) {
	s := New(Limits{})
	e := frameOf(pb.BaseCommand_MESSAGE, decode.ServerToClient)
	e.Consumer = &session.Consumer{Topic: "t", Subscription: "s"}
	s.Add(e)
	if rows, _, _ := s.Consumed(); rows[0].Followed {
		t.Error("known before it is told")
	}
	s.Stand([]dispatch.Standing{{Topic: "t", Subscription: "s", Redelivered: 1, Unacked: 3}, {Topic: "t", Subscription: "s", Redelivered: 1, Unacked: 3}, {Topic: "x"}})
	rows, _, _ := s.Consumed()
	if len(rows) != 1 || !rows[0].Followed || rows[0].Redelivered != 2 || rows[0].Unacked != 6 {
		t.Errorf("got %+v", rows)
	}
}
