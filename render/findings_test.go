package render_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/summary"
)

var (
	someRule  = &diagnose.Rule{Name: "some-rule", Severity: diagnose.Error, Title: "Something is wrong", Meaning: "It means that.", Advice: "Do this.", Blind: "It cannot see that.", Lint: true}
	quietRule = &diagnose.Rule{Name: "quiet-rule", Severity: diagnose.Info, Title: "Something is said"}
)

// second is the time of the first packet, ns since the Unix epoch.
const second = int64(1_000_000_000)

// someFindings are an error with all that a finding may have, among it text that
// a terminal could obey, and an info with nothing but a title.
func someFindings() []*diagnose.Finding {
	return []*diagnose.Finding{
		{
			Rule: someRule, Severity: diagnose.Error, Title: someRule.Title, Detail: "It said \"\x1b[2J<&>\" 3 times.", Advice: someRule.Advice, Count: 3,
			Subject: diagnose.Subject{
				Conn: "10.0.0.1:4711-10.0.0.2:6650", ConnID: 3, Topic: "persistent://public/default/or\ners", Subscription: "audit log",
				Producer: "producer 7", Consumer: "c1", MessageID: "5:6",
			},
			Evidence: []diagnose.Evidence{
				{Conn: "10.0.0.1:4711-10.0.0.2:6650", ConnID: 3, Type: "SEND", Packet: 12, Time: second + 1_500_000, Offset: 4711, Dir: "c2s"},
				{Conn: "10.0.0.1:4711-10.0.0.2:6650", ConnID: 3, Packet: 14, Time: second + 2_500_000, Offset: -1, Dir: "s2c"},
			},
		},
		{Rule: quietRule, Severity: diagnose.Info, Title: quietRule.Title, Count: 1, Subject: diagnose.Subject{ConnID: -1}},
	}
}

// tell has a face show findings.
func tell(t *testing.T, face render.Diagnosed, found []*diagnose.Finding) {
	t.Helper()
	hits := []summary.Hit{{Name: "findings", What: "findings not kept", Count: 5}, {Name: "other", What: "others", Count: 0}}
	if err := face.Findings(&render.Diagnosis{Found: found, Hits: hits}); err != nil {
		t.Fatal(err)
	}
	end := &render.End{Totals: summary.Totals{Capture: capture.Stats{Files: []capture.FileStats{{Name: "x.pcap", Packets: 20, First: second, Last: 2 * second}}}}}
	if err := face.Close(end); err != nil {
		t.Fatal(err)
	}
}

const findingsText = `Times are in UTC, from 1970-01-01 on.

✗ error: Something is wrong (some-rule), 3 times
    topic or\ners, subscription audit log, producer 7, consumer c1, message 5:6, connection c3 10.0.0.1:4711-10.0.0.2:6650
    It said "\x1b[2J<&>" 3 times.
    To do: Do this.
    packet 12, 00:00:01.001500 c3 → SEND
    packet 14, 00:00:01.002500 c3

· info: Something is said (quiet-rule)

1 error, 1 for information. pulsar-dissect diagnose --explain some-rule tells more of a rule.
limit findings hit, 5 times: findings not kept
`

const findingsLines = `finding severity=error rule=some-rule count=3 conn=c3 topic=or\ners subscription="audit log" producer=7 consumer=c1 message=5:6 packets=12,14 Something is wrong: It said "\x1b[2J<&>" 3 times.
finding severity=info rule=quiet-rule count=1 Something is said
`

func TestFindings(t *testing.T) {
	for format, want := range map[render.Format]string{render.Table: findingsText, render.Compact: findingsLines} {
		var out bytes.Buffer
		tell(t, render.NewFindings(&out, render.Options{Format: format}), someFindings())
		if line, a, b := firstDifference(want, out.String()); line > 0 {
			t.Errorf("%s, line %d\nwant %s\ngot  %s", format, line, a, b)
		}
	}
}

// Lines fit the terminal, and colour adds nothing but looks.
func TestFindingsFitTheTerminal(t *testing.T) {
	for _, width := range []int{40, 80, 132} {
		var plain, coloured bytes.Buffer
		tell(t, render.NewFindings(&plain, render.Options{Format: render.Table, Width: width}), someFindings())
		tell(t, render.NewFindings(&coloured, render.Options{Format: render.Table, Width: width, Color: true}), someFindings())
		for _, line := range strings.Split(plain.String(), "\n") {
			if n := runewidth.StringWidth(line); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
		if !strings.Contains(coloured.String(), "\x1b[") || escapes.ReplaceAllString(coloured.String(), "") != plain.String() {
			t.Errorf("width %d: with colour\n%s", width, coloured.String())
		}
	}
}

func TestFindingRecords(t *testing.T) {
	var out bytes.Buffer
	tell(t, render.NewRecords(&out, render.Options{}).WithSummary(), someFindings())
	want := `{"kind":"finding","time":"1970-01-01T00:00:01.001500000Z","packet":12,"conn":"10.0.0.1:4711-10.0.0.2:6650","conn_id":3,` +
		`"rule":"some-rule","severity":"error","title":"Something is wrong","detail":"It said \"\u001b[2J<&>\" 3 times.","advice":"Do this.",` +
		`"subject":{"conn":"10.0.0.1:4711-10.0.0.2:6650","conn_id":3,"topic":"persistent://public/default/or\ners","subscription":"audit log",` +
		`"producer":"producer 7","consumer":"c1","message_id":"5:6"},` +
		`"evidence":[{"packet":12,"time":"1970-01-01T00:00:01.001500000Z","conn":"10.0.0.1:4711-10.0.0.2:6650","conn_id":3,"dir":"c2s","offset":4711,"type":"SEND"},` +
		`{"packet":14,"time":"1970-01-01T00:00:01.002500000Z","conn":"10.0.0.1:4711-10.0.0.2:6650","conn_id":3,"dir":"s2c","offset":-1}],"count":3}`
	lines := strings.Split(out.String(), "\n")
	if lines[0] != want {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
	if want := `{"kind":"finding","rule":"quiet-rule","severity":"info","title":"Something is said","detail":"","advice":"","subject":{},"evidence":[],"count":1}`; lines[1] != want {
		t.Errorf("got %s", lines[1])
	}
	if !strings.Contains(lines[2], `"findings":{"quiet-rule":1,"some-rule":1}`) || !strings.Contains(lines[2], `"limits":{"acknowledged_ids":0,"batch_messages":0,"findings":5,`) {
		t.Errorf("summary: %s", lines[2])
	}
}

// The summary tells "none found" from "not looked for".
func TestSummaryWithoutFindings(t *testing.T) {
	var none, notLooked bytes.Buffer
	tell(t, render.NewRecords(&none, render.Options{}).WithSummary(), nil)
	if err := render.NewRecords(&notLooked, render.Options{}).WithSummary().Close(&render.End{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(none.String(), `"findings":{}`) || strings.Contains(notLooked.String(), `"findings"`) {
		t.Errorf("%s%s", none.String(), notLooked.String())
	}
}

var someReport = render.Report{
	Rules: []*diagnose.Rule{quietRule, someRule, {Name: "silent-rule", Title: "Nothing is said"}}, FailOn: diagnose.Warning, Version: "v1.2.3",
}

func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	tell(t, render.NewJUnit(&out, render.Options{Files: []string{"x.pcap"}}, someReport), someFindings())
	var d struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Class   string `xml:"classname,attr"`
				Output  string `xml:"system-out"`
				Failure *struct {
					Type    string `xml:"type,attr"`
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	s := d.Suite
	if s.Tests != 3 || s.Failures != 1 || len(s.Cases) != 3 {
		t.Fatalf("got %s", out.String())
	}
	if c := s.Cases[0]; c.Class != "quiet-rule" || c.Failure != nil || !strings.HasPrefix(c.Output, "info: Something is said") {
		t.Errorf("an info: %+v", c)
	}
	f := s.Cases[1].Failure
	if f == nil || f.Type != "error" || f.Message != `It said "\x1b[2J<&>" 3 times.` || !strings.Contains(f.Text, "packet 12, c3 c2s at byte 4711: SEND\n") {
		t.Errorf("an error: %+v", f)
	}
	if c := s.Cases[2]; c.Class != "silent-rule" || c.Failure != nil || c.Output != "" {
		t.Errorf("nothing found: %+v", c)
	}
}

func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	tell(t, render.NewSARIF(&out, render.Options{Files: []string{"a b/x.pcap"}}, someReport), someFindings())
	type message struct{ Text string }
	type location struct {
		Message  message
		Physical struct {
			Artifact struct{ URI string } `json:"artifactLocation"`
		} `json:"physicalLocation"`
	}
	var d struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID   string
						Help message
					}
				}
			}
			Results []struct {
				RuleID                      string
				RuleIndex, OccurrenceCount  int
				Level                       string
				Message                     message
				Locations, RelatedLocations []location
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	run := d.Runs[0]
	if d.Version != "2.1.0" || run.Tool.Driver.Version != "v1.2.3" || len(run.Tool.Driver.Rules) != 3 || run.Tool.Driver.Rules[0].Help.Text != "Something is said" {
		t.Errorf("got %+v", d)
	}
	r := run.Results[0]
	if r.RuleID != "some-rule" || r.RuleIndex != 1 || r.Level != "error" || r.OccurrenceCount != 3 || r.Locations[0].Physical.Artifact.URI != "a%20b/x.pcap" ||
		len(r.RelatedLocations) != 2 || r.RelatedLocations[0].Message.Text != "packet 12, c3 c2s at byte 4711: SEND" || !strings.HasSuffix(r.Message.Text, "3 times., 3 times") {
		t.Errorf("an error: %+v", r)
	}
	if r := run.Results[1]; r.Level != "note" || r.RuleIndex != 0 {
		t.Errorf("an info: %+v", r)
	}
}

// Nothing found is a document too.
func TestReportsOfNothing(t *testing.T) {
	var junit, sarif bytes.Buffer
	tell(t, render.NewJUnit(&junit, render.Options{}, someReport), nil)
	tell(t, render.NewSARIF(&sarif, render.Options{}, someReport), nil)
	if !strings.Contains(junit.String(), `tests="3" failures="0"`) || !strings.Contains(sarif.String(), `"results": []`) {
		t.Errorf("%s%s", junit.String(), sarif.String())
	}
}

func TestExplainRule(t *testing.T) {
	var out bytes.Buffer
	if err := render.ExplainRule(&out, someRule, []string{"--threshold-x 5s: so long"}); err != nil {
		t.Fatal(err)
	}
	want := `some-rule (error): Something is wrong

What it means:
    It means that.

What to do:
    Do this.

What it cannot tell:
    It cannot see that.

Thresholds:
    --threshold-x 5s: so long

It is about keeping to the protocol: lint looks for it too.
`
	if line, a, b := firstDifference(want, out.String()); line > 0 {
		t.Errorf("line %d\nwant %s\ngot  %s", line, a, b)
	}
}

// verdicts are one that waits for permits and one that gets on.
func verdicts() []*dispatch.Verdict {
	conn := &session.Conn{Conn: &decode.Conn{Name: "10.0.0.1:4711-10.0.0.2:6650", ID: 3}}
	c := &dispatch.Consumer{Conn: conn, ID: 1, Topic: "persistent://public/default/orders", Subscription: "audit", Name: "c1", Type: "Shared", Delivered: 10, Acked: 4}
	other := &dispatch.Consumer{Conn: conn, ID: 2, Topic: "persistent://public/default/orders", Subscription: "audit", Type: "Shared"}
	return []*dispatch.Verdict{
		{Consumer: other, At: 9 * second, State: dispatch.Flowing, Since: second, Permits: 1000},
		{Consumer: c, At: 9 * second, State: dispatch.NoPermits, Since: 2 * second, Unacked: 6, Oldest: dispatch.Position{Ledger: 5, Entry: 6}, HasAge: true, Age: 7 * second, Waiting: 8},
	}
}

func TestConsumers(t *testing.T) {
	show := func(make func(io.Writer) render.Diagnosed) string {
		var out bytes.Buffer
		face := make(&out)
		for _, v := range verdicts() {
			if err := face.Consumer(v, decode.Position{Packet: 77}); err != nil {
				t.Fatal(err)
			}
		}
		tell(t, face, nil)
		return out.String()
	}
	compact := render.Options{Format: render.Compact}
	waits := "consumer consumer=c1 conn=c3 topic=orders subscription=audit type=Shared state=no_permits since=1.000000 permits=0 unacked=6 oldest_unacked=\"5:6 (7.00 s)\" waiting=8 delivered=10 acked=4 redelivered=0\n"
	flows := "consumer consumer=#2 conn=c3 topic=orders subscription=audit type=Shared state=flowing since=0.000000 permits=1000 unacked=0 waiting=0 delivered=0 acked=0 redelivered=0\n"
	if got := show(func(w io.Writer) render.Diagnosed { return render.NewConsumers(w, compact) }); got != waits+flows {
		t.Errorf("got  %s\nwant %s%s", got, waits, flows)
	}
	got := show(func(w io.Writer) render.Diagnosed { return render.NewAnalyze(w, compact) })
	ofDay := strings.Replace(waits, "since=1.000000", "since=00:00:02.000000", 1) // the clock of findings
	if !strings.Contains(got, ofDay) || strings.Contains(got, flows) {
		t.Errorf("the overview: %s", got)
	}
	record := `{"kind":"consumer","time":"1970-01-01T00:00:09.000000000Z","packet":77,"conn":"10.0.0.1:4711-10.0.0.2:6650","conn_id":3,"consumer_id":1,"consumer_name":"c1",` +
		`"topic":"persistent://public/default/orders","subscription":"audit","type":"Shared","state":"no_permits","since":"1970-01-01T00:00:02.000000000Z","permits":0,"unacked":6,` +
		`"oldest_unacked":{"id":"5:6","age_ns":7000000000},"waiting":8,"delivered":10,"acked":4,"redelivered":0}`
	got = show(func(w io.Writer) render.Diagnosed { return render.NewRecords(w, render.Options{}) })
	if lines := strings.Split(got, "\n"); len(lines) != 3 || lines[1] != record {
		t.Errorf("got  %s\nwant %s", got, record)
	}
}
