package trace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
	"pulsar-dissect/session/trace"
)

// follow gives the steps that a capture of testdata shows.
func follow(t *testing.T, name string, w trace.Want, l trace.Limits) (*trace.Trace, []trace.Step) {
	t.Helper()
	source, err := capture.Open([]string{filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	x := trace.New(w, l)
	streams := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(source.Packets())
	for e, err := range session.New(session.Options{NoSum: true}).Events(decode.New(decode.Limits{}, nil).Events(streams)) {
		if err != nil {
			t.Fatal(err)
		}
		x.Add(e)
	}
	return x, x.Steps()
}

// say is the steps of the first story, with entries where they are known.
func say(steps []trace.Step) string {
	words := []string{}
	for _, s := range steps {
		if s.Story > 0 {
			break
		}
		word := s.What
		if s.HasID {
			word += " " + s.ID.String()
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// The message that the application put off twice: the truth file of the capture
// says that it came once from the topic, twice from the retry topic, and ended
// on the dead-letter topic.
const putOff = "send, receipt 51:2, delivered 51:2, retry, receipt 52:0, acked 51:2, delivered 52:0, retry, receipt 52:2, acked 52:0, " +
	"delivered 52:2, dead_letter, receipt 55:0, acked 52:2, delivered 55:0, acked 55:0"

func TestByID(t *testing.T) {
	_, steps := follow(t, "ack", trace.Want{ID: &trace.Entry{Ledger: 51, Entry: 2}}, trace.Limits{})
	if got := say(steps); got != putOff {
		t.Errorf("got      %s\nexpected %s", got, putOff)
	}
	for i, s := range steps {
		if i > 0 && s.Time < steps[i-1].Time {
			t.Errorf("step %d is earlier than the one before", i)
		}
	}
}

// The SEND alone has the sequence id that is asked for; the rest follows from it.
func TestBySequence(t *testing.T) {
	n := uint64(2)
	_, steps := follow(t, "ack", trace.Want{Producer: "standalone-0-14", Sequence: &n}, trace.Limits{})
	if got := say(steps); got != putOff {
		t.Errorf("got      %s\nexpected %s", got, putOff)
	}
}

// A property that many messages have gives each its story.
func TestByProperty(t *testing.T) {
	_, steps := follow(t, "ack", trace.Want{Property: "REAL_TOPIC", Value: "persistent://public/default/ack-dlq"}, trace.Limits{})
	stories := map[int]bool{}
	for _, s := range steps {
		stories[s.Story] = true
	}
	if len(stories) < 2 || steps[0].What != "retry" {
		t.Errorf("%d stories, the first begins with %s", len(stories), steps[0].What)
	}
	if _, steps := follow(t, "ack", trace.Want{Property: "REAL_TOPIC", Value: "other"}, trace.Limits{}); len(steps) > 0 {
		t.Errorf("%d steps of a message that is not there", len(steps))
	}
}

func TestLimits(t *testing.T) {
	x, steps := follow(t, "ack", trace.Want{ID: &trace.Entry{Ledger: 51, Entry: 2}}, trace.Limits{Steps: 3})
	if len(steps) != 3 || x.LetGo < 10 {
		t.Errorf("%d steps, %d let go", len(steps), x.LetGo)
	}
	x, steps = follow(t, "ack", trace.Want{ID: &trace.Entry{Ledger: 51, Entry: 2}}, trace.Limits{Sends: 1})
	if len(steps) == 0 || x.LetGo == 0 {
		t.Errorf("%d steps, %d let go", len(steps), x.LetGo)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{"12:3": "12:3", "12:3:-1": "12:3", "12": "", "a:b": "", "1:x": "", "": ""} {
		e, err := trace.ParseEntry(text)
		if (err == nil) != (want != "") || err == nil && e.String() != want {
			t.Errorf("%q: %v, %v", text, e, err)
		}
	}
	for text, ok := range map[string]bool{strings.Repeat("0f", 32): true, strings.Repeat("0f", 31): false, strings.Repeat("xy", 32): false} {
		if sum, err := trace.ParseSum(text); (err == nil) != ok || ok && sum[31] != 0x0f {
			t.Errorf("%q: %v", text, err)
		}
	}
	if !(&trace.Want{}).Empty() || (&trace.Want{Key: "k"}).Empty() {
		t.Error("Empty is wrong")
	}
}

// What the consumer gave back twice came three times, and each delivery ends
// when the next begins.
func TestGivenBack(t *testing.T) {
	_, steps := follow(t, "py-nack", trace.Want{ID: &trace.Entry{Ledger: 283, Entry: 1}}, trace.Limits{})
	const want = "send, receipt 283:1, delivered 283:1, redelivery_asked 283:1, redelivered 283:1, delivered 283:1, " +
		"redelivery_asked 283:1, redelivered 283:1, delivered 283:1, acked 283:1"
	if got := say(steps); got != want {
		t.Fatalf("got      %s\nexpected %s", got, want)
	}
	if ended, next := steps[4], steps[5]; ended.Packet != next.Packet || ended.Time != next.Time {
		t.Errorf("ended in packet %d, delivered again in packet %d", ended.Packet, next.Packet)
	}
}

// On a topic that is not stored all entries are 0:0: no message is taken for
// another.
func TestNonPersistent(t *testing.T) {
	n := uint64(1)
	_, steps := follow(t, "py-misc", trace.Want{Producer: "standalone-0-194", Sequence: &n}, trace.Limits{})
	if got := say(steps); got != "send, receipt, delivered" || len(steps) != 3 || steps[2].Packet != 25 {
		t.Errorf("got %s of %d steps", got, len(steps))
	}
	if _, steps := follow(t, "py-misc", trace.Want{ID: &trace.Entry{}}, trace.Limits{}); len(steps) > 0 {
		t.Errorf("0:0 names %d steps", len(steps))
	}
}
