package filter

import (
	"strings"
	"testing"

	"pulsar-dissect/session"
)

const record1 = `{"kind":"frame","type":"SEND","bytes":7,"packet":0,"issues":["a","b"],` +
	`"command":{"sequence_id":6,"request_id":18446744073709551615,"namespace":"x","score":1.5,"on":false}}`

// What an expression says of one record. A field that is not there is false.
func TestExpressions(t *testing.T) {
	for _, v := range []struct {
		expression string
		want       bool
		doubt      string // what it could not judge
	}{
		{`kind == "frame"`, true, ""},
		{`type == "SEND" && command.sequence_id > 5`, true, ""},
		{`bytes == 7 && packet == 0`, true, ""},
		{`result == "unanswered"`, false, ""},
		{`result != "ok"`, false, ""},
		{`incomplete`, false, ""},
		{`!incomplete`, true, ""},
		{`!!incomplete`, false, ""},
		{`!command.on`, true, ""},
		{`has(metadata.compression)`, false, ""},
		{`!has(metadata.compression)`, true, ""},
		{`has(command.namespace) && command.namespace == "x"`, true, ""},
		{`has(issues) && !has(incomplete)`, true, ""},
		{`!(metadata.x == 1)`, true, ""},
		{`metadata.x == 1 || type == "SEND"`, true, ""},
		{`metadata.x == 1 && type == "SEND"`, false, ""},
		{`!(metadata.x == 1 || type == "MESSAGE")`, true, ""},
		{`command.request_id == 18446744073709551615u`, true, ""},
		{`command.request_id == 18446744073709551614u`, false, ""},
		{`command.request_id > 9223372036854775807`, true, ""},
		{`command.score < 2`, true, ""},
		{`issues.exists(i, i == "b") && size(issues) == 2`, true, ""},
		{`!issues.exists(i, !(i == "a"))`, false, ""},
		{`issues[5] == "a"`, false, ""},
		{`type.startsWith("SE") && "a" in issues`, true, ""},
		{`record.kind == kind`, true, ""},
		{`command.sequence_id`, false, "neither true nor false"},
		{`type > 5`, false, "no such overload"},
		{`!(type > 5)`, false, "no such overload"},
		{nested(6), false, "cost limit"},
	} {
		f := &Filter{}
		f.Encode(func(dst []byte, _ *session.Event) []byte { return append(dst, record1...) })
		if err := f.Add("filter", v.expression, false); err != nil {
			t.Errorf("%s: %v", v.expression, err)
			continue
		}
		if got := f.Match(&session.Event{}); got != v.want {
			t.Errorf("%s: got %v", v.expression, got)
		}
		d := f.Doubts()
		if (d.Records > 0) != (v.doubt != "") || d.Records > 0 && !strings.Contains(d.First.Error(), v.doubt) {
			t.Errorf("%s: %d doubts, %v, want %q", v.expression, d.Records, d.First, v.doubt)
		}
	}
}

// nested is a loop over ten numbers, so many deep.
func nested(depth int) string {
	if depth == 0 {
		return "true"
	}
	return "[0,1,2,3,4,5,6,7,8,9].all(i" + strings.Repeat("i", depth) + ", " + nested(depth-1) + ")"
}

// The record is made once for an event, and not at all without an expression
// to ask for it.
func TestRecordIsMadeOnce(t *testing.T) {
	made := 0
	encode := func(dst []byte, _ *session.Event) []byte {
		made++
		return append(dst, record1...)
	}
	f := &Filter{}
	f.Encode(encode)
	for _, x := range []string{`kind == "gap"`, `kind == "frame"`} {
		if err := f.Add("filter", x, false); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		f.Match(&session.Event{})
	}
	if made != 3 {
		t.Errorf("3 events, %d records", made)
	}
	f = &Filter{}
	f.Encode(encode)
	if err := f.Add("dir", "s2c", false); err != nil {
		t.Fatal(err)
	}
	if f.Match(&session.Event{}); made != 3 {
		t.Error("a record was made for a flag that needs none")
	}
}

// A record that is no JSON is a doubt, not the end.
func TestBrokenRecord(t *testing.T) {
	f := &Filter{}
	f.Encode(func(dst []byte, _ *session.Event) []byte { return append(dst, `{"kind":`...) })
	if err := f.Add("filter", `kind == "frame"`, false); err != nil {
		t.Fatal(err)
	}
	if f.Match(&session.Event{}) || f.Doubts().Records != 1 {
		t.Errorf("%v", f.Doubts())
	}
}

// Whatever is given as an expression compiles or is explained.
func FuzzExpression(f *testing.F) {
	f.Add(`kind == "frame" && !has(metadata.x)`)
	f.Add(`a.b[`)
	f.Add("\n\n'")
	f.Add(`has(1)`)
	f.Add(`!!!x`)
	f.Fuzz(func(t *testing.T, text string) {
		x := &Filter{}
		x.Encode(func(dst []byte, _ *session.Event) []byte { return append(dst, record1...) })
		if err := x.Add("filter", text, false); err != nil {
			if err.Error() == "" {
				t.Error("no reason")
			}
			return
		}
		x.Match(&session.Event{})
	})
}

func BenchmarkExpression(b *testing.B) {
	f := &Filter{}
	f.Encode(func(dst []byte, _ *session.Event) []byte { return append(dst, record1...) })
	if err := f.Add("filter", `kind == "frame" && type == "SEND" && command.sequence_id > 5`, false); err != nil {
		b.Fatal(err)
	}
	e := &session.Event{}
	for b.Loop() {
		f.Match(e)
	}
}
