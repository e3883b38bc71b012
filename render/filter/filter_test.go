package filter

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// each gives a filter that has begun all events of a capture.
func each(t testing.TB, path string, f *Filter, take func(*session.Event)) {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	f.Encode(render.NewJSON(render.JSONOptions{MaxPayload: 1024}).Append)
	f.Begin(firstPacketTime(t, path))
	asm := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	dec := decode.New(decode.Limits{}, nil)
	ses := session.New(session.Options{})
	for e, err := range ses.Events(dec.Events(asm.Events(source.Packets()))) {
		if err != nil {
			t.Fatal(err)
		}
		take(e)
	}
}

func firstPacketTime(t testing.TB, path string) int64 {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for p, err := range source.Packets() {
		if err != nil {
			t.Fatal(err)
		}
		return p.Time
	}
	return 0
}

// counts tells how many events of each kind match.
func counts(t *testing.T, path string, f *Filter) string {
	t.Helper()
	n := map[session.Kind]int{}
	each(t, path, f, func(e *session.Event) {
		if f.Match(e) {
			n[e.Kind]++
		}
	})
	var parts []string
	for k := session.FrameSeen; k <= session.ConnectionEnd; k++ {
		if n[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s:%d", render.KindName(k), n[k]))
		}
	}
	return strings.Join(parts, " ")
}

// parse reads flags as they stand on a command line, with "not" ahead of one.
func parse(t *testing.T, flags ...string) *Filter {
	t.Helper()
	f := &Filter{}
	for len(flags) > 0 {
		not := flags[0] == "not"
		if not {
			flags = flags[1:]
		}
		if err := f.Add(flags[0], flags[1], not); err != nil {
			t.Fatal(err)
		}
		flags = flags[2:]
	}
	return f
}

func base(t testing.TB) string {
	return filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
}

// What each flag leaves of base.pcap, counted with another program in the JSON
// of all its events.
func TestFlags(t *testing.T) {
	const all = "frame:65 message:32 exchange:35 permits:11 connection:1"
	const topic = "persistent://public/default/orders-small-pd-59365"
	for _, v := range []struct {
		flags []string
		want  string
	}{
		{nil, all},
		{[]string{"type", "SEND"}, "frame:9 message:16 exchange:9"},
		{[]string{"type", "send"}, "frame:9 message:16 exchange:9"},
		{[]string{"type", "6"}, "frame:9 message:16 exchange:9"},
		{[]string{"type", "SEND*"}, "frame:18 message:16 exchange:9"},
		{[]string{"type", "LOOKUP, PING"}, "frame:4 exchange:4"},
		{[]string{"type", "LOOKUP", "type", "PING"}, "frame:4 exchange:4"},
		{[]string{"not", "type", "SEND*"}, "frame:47 message:16 exchange:26 permits:11 connection:1"},
		{[]string{"type", "SEND*", "not", "type", "SEND_RECEIPT"}, "frame:9 message:16"},
		{[]string{"type", "UNKNOWN(99)"}, ""},
		{[]string{"type", "SEND", "dir", "c2s"}, "frame:9 message:16"},
		{[]string{"request-id", "3"}, "frame:4 exchange:2"},
		{[]string{"dir", "c2s"}, "frame:30 message:16 exchange:9 permits:2"},
		{[]string{"not", "dir", "c2s"}, "frame:35 message:16 exchange:26 permits:9 connection:1"},
		{[]string{"dir", "c2s", "dir", "s2c"}, "frame:65 message:32 exchange:35 permits:11"},
		{[]string{"since", "+50ms"}, "frame:22 message:16 exchange:11 permits:2 connection:1"},
		{[]string{"until", "+50ms"}, "frame:43 message:16 exchange:24 permits:9 connection:1"},
		{[]string{"since", "17:22:45.3", "until", "2026-11-30T17:22:45.316525Z"}, "frame:14 message:7 exchange:12 permits:5 connection:1"},
		{[]string{"since", "17:22:46"}, ""},
		{[]string{"until", "2026-11-30"}, ""},
		{[]string{"since", "2026-11-30T18:22:45.3+01:00", "until", "2026-11-30 17:22:45.316525"}, "frame:14 message:7 exchange:12 permits:5 connection:1"},
		{[]string{"conn", "0"}, all},
		{[]string{"conn", "1"}, ""},
		{[]string{"conn", "10.99.0.7"}, all},
		{[]string{"conn", "10.99.0"}, all},
		{[]string{"conn", "10.99.0.70"}, ""},
		{[]string{"conn", "10.99.0.2:6650"}, all},
		{[]string{"conn", "10.99.0.7:6650"}, ""},
		{[]string{"conn", ":6650"}, all},
		{[]string{"conn", "::ffff:10.99.0.7"}, all},
		{[]string{"topic", topic, "type", "LOOKUP"}, "frame:4 exchange:4"},
		{[]string{"topic", topic, "type", "SEND"}, "frame:9 message:16 exchange:9"},
		{[]string{"topic", "orders-small-pd-59365", "type", "SEND"}, "frame:9 message:16 exchange:9"},
		{[]string{"topic", "public/default/orders-small-*", "type", "SEND"}, "frame:9 message:16 exchange:9"},
		{[]string{"topic", "orders"}, ""},
		{[]string{"topic", "default/orders-small-pd-59365"}, ""},
		{[]string{"producer", "prod-*", "type", "SEND"}, "frame:8 message:8 exchange:8"},
		{[]string{"producer", "1", "type", "SEND"}, "frame:1 message:8 exchange:1"},
		{[]string{"producer", "standalone-0-259", "type", "MESSAGE"}, "frame:1 message:8 permits:1"},
		{[]string{"consumer", "sub-dev", "type", "MESSAGE"}, "frame:9 message:16 exchange:9 permits:9"},
		{[]string{"consumer", "cons-*", "type", "FLOW"}, "frame:1 permits:1"},
		{[]string{"consumer", "1", "type", "FLOW"}, "frame:1 permits:1"},
		{[]string{"bad", "true"}, ""},
		{[]string{"not", "bad", "true"}, all},
		{[]string{"filter", `kind == "frame" && type == "SEND" && command.sequence_id > 5`}, "frame:2"},
		{[]string{"filter", `has(metadata.compression)`}, "frame:2"},
		{[]string{"filter", `latency_ns > 1000000`}, "exchange:20"},
		{[]string{"filter", `command.highest_sequence_id == 18446744073709551615u`}, "frame:9"},
		{[]string{"filter", `command.highest_sequence_id == 18446744073709551614u`}, ""},
		{[]string{"filter", `key == "key0"`, "filter", `metadata.num_messages_in_batch == 8`}, "frame:2 message:4"},
		{[]string{"not", "filter", `kind == "frame"`}, "message:32 exchange:35 permits:11 connection:1"},
		{[]string{"filter", `kind == "frame" && !has(metadata)`}, "frame:47"},
	} {
		f := parse(t, v.flags...)
		if got := counts(t, base(t), f); got != v.want {
			t.Errorf("%q: got %s, want %s", v.flags, got, v.want)
		}
		if d := f.Doubts(); d.Records > 0 {
			t.Errorf("%q: %v", v.flags, d)
		}
		if f.Empty() != (len(v.flags) == 0) {
			t.Errorf("%q: empty: %v", v.flags, f.Empty())
		}
	}
}

// --bad finds what is wrong, of every kind.
func TestBad(t *testing.T) {
	for name, want := range map[string]string{
		"cap-gap3.pcap":   "frame:2 message:2 exchange:1 gap:3 connection:1",
		"go-errors.pcap":  "exchange:3",
		"encryption.pcap": "message:109 chunked_message:4",
	} {
		if got := counts(t, testkit.Capture(t, name), parse(t, "bad", "true")); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestWrongValues(t *testing.T) {
	for _, v := range []struct{ flag, value, want string }{
		{"type", "SENDD", `there is no command "SENDD"; did you mean "SEND"?`},
		{"type", "SEND,", `there is no command ""`},
		{"type", "X*", `there is no command "X*"`},
		{"dir", "up", `"up" is no direction: c2s (client to server) or s2c (server to client)`},
		{"request-id", "-1", `"-1" is no request id: a number from 0 to 18446744073709551615`},
		{"conn", "", "an empty text names no connection"},
		{"since", "yesterday", `"yesterday" is no time: write 2026-01-31T10:00:00Z, 10:00:00 or +5s`},
		{"until", "+-5s", `"+-5s" is no time: write 2026-01-31T10:00:00Z, 10:00:00 or +5s`},
		{"bad", "false", "it takes no value; --not turns it round"},
		{"filter", `typ == "SEND"`, "line 1, column 1: undeclared reference to 'typ'; did you mean \"type\"?\n  typ == \"SEND\"\n  ^"},
		{"filter", `kind == "frame" &&`, "line 1, column 19: the expression ends where a value is expected\n"},
		{"filter", `(size > 1`, "line 1, column 10: the expression ends where ) is expected\n"},
		{"filter", `size > > 1`, "line 1, column 8: > stands where a value is expected\n"},
		{"filter", `size == 1 and packet == 2`, "line 1, column 11: and is too much: && or || joins conditions\n"},
		{"filter", `type == 'SEND`, "line 1, column 9: the quote is not closed\n"},
		{"filter", `type = "SEND"`, "line 1, column 6: = makes no sense here; is equal to is written ==\n"},
		{"filter", `type = "SEND"`, "; is equal to is written ==\n  type = \"SEND\"\n       ^"},
		{"filter", `packet == 18446744073709551615`, "invalid int literal; a number above 9223372036854775807 needs a u behind it"},
		{"filter", "true &&\n  packt == 1", "line 2, column 3: undeclared reference to 'packt'; did you mean \"packet\"?\n    packt == 1\n    ^"},
		{"filter", `1 + 1`, "1 + 1 gives a value of type int, not true or false"},
		{"colour", "red", `there is no filter "colour"`},
	} {
		err := (&Filter{}).Add(v.flag, v.value, false)
		if err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%s %s: got %v, want %s", v.flag, v.value, err, v.want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, v := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true}, {"abc", "abc", true}, {"abc", "abcd", false},
		{"a*", "abc", true}, {"a*", "ba", false}, {"*c", "abc", true}, {"a*c", "ac", true}, {"a*c", "abcb", false},
		{"a*b*c", "aXbYc", true}, {"a*b*c", "acb", false}, {"ab*ba", "aba", false}, {"**", "x", true}, {"a*a*a", "aa", false},
		{"a.c", "abc", false}, {"*/orders", "public/default/orders", true},
	} {
		if got := newGlob(v.pattern).match(v.text); got != v.want {
			t.Errorf("%q, %q: got %v", v.pattern, v.text, got)
		}
	}
}

func TestTopicForms(t *testing.T) {
	for _, v := range []struct {
		pattern, topic string
		want           bool
	}{
		{"orders", "persistent://public/default/orders", true},
		{"orders", "persistent://public/default/orders-partition-3", true},
		{"orders", "persistent://public/default/orders-partition-x", false},
		{"orders", "persistent://public/default/orders-2", false},
		{"orders-partition-3", "persistent://public/default/orders-partition-3", true},
		{"orders-partition-2", "persistent://public/default/orders-partition-3", false},
		{"public/default/orders", "non-persistent://public/default/orders", true},
		{"public/*", "persistent://public/default/orders", true},
		{"public/*", "persistent://other/public/orders", false},
		{"non-persistent://*", "persistent://public/default/orders", false},
		{"persistent://public/default/orders", "persistent://public/default/orders-partition-0", true},
		{"persistent://public/default/orders", "persistent://public/default/orders", true},
		{"*", "plain", true},
		{"plain", "plain", true},
	} {
		p, err := parseTopic(v.pattern)
		if err != nil {
			t.Fatal(err)
		}
		e := &session.Event{Kind: session.MessageSeen, Producer: &session.Producer{Topic: v.topic}}
		if got := p(&Filter{}, e); got != v.want {
			t.Errorf("%q, %q: got %v", v.pattern, v.topic, got)
		}
	}
}

// Frames and exchanges of bookies are of a type as those of Pulsar are.
func TestTypesOfBookies(t *testing.T) {
	path := filepath.Join(testkit.Root(t), "testdata", "captures", "bookkeeper", "bookkeeper.pcap")
	for _, v := range []struct{ pattern, want string }{
		{"ADD_ENTRY", "exchange:29 bookie:58"},
		{"read-entry", "exchange:35 bookie:70"},
		{"*_ENTRY", "exchange:64 bookie:128"},
		{"SEND,ADD_ENTRY", "frame:22 message:58 exchange:51 bookie:58"},
		{"FORCE_LEDGER", ""},
	} {
		if got := counts(t, path, parse(t, "type", v.pattern)); got != v.want {
			t.Errorf("%s: %s, expected %s", v.pattern, got, v.want)
		}
	}
}
