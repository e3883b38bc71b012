package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/render/report"
)

// charts is what of the charts the tests look at.
type charts struct {
	Width  int64     `json:"bin_ns"`
	Bounds []float64 `json:"buckets_ns"`
	Frames struct{ C2S, S2C []uint64 }
	Kept   map[string]struct{ Shown, Of uint64 }
	Topics []struct {
		Topic               string
		Produced, Delivered struct{ Messages, Bytes []uint64 }
	}
	Latency []struct {
		Exchange, Request string
		Cells             [][3]uint64
	}
	Permits []struct {
		ConnID     int    `json:"conn_id"`
		ConsumerID uint64 `json:"consumer_id"`
		Points     [][4]int64
	}
}

func (m *made) charts(t *testing.T) (c charts) {
	t.Helper()
	if err := json.Unmarshal([]byte(m.block(t, "charts")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The records of the page are those of the JSON output, in its order, without the
// folders of the files.
func TestRecordsAreThoseOfJSON(t *testing.T) {
	m := ackPage(t, report.Limits{})
	var want, events, rest []string
	folder := filepath.Dir(testkit.Capture(t, "ack.pcap")) + "/"
	for i, line := range m.lines {
		want = append(want, strings.ReplaceAll(strings.ReplaceAll(line, folder, ""), "<", `\u003c`))
		switch m.records[i]["kind"] {
		case "connection", "consumer", "finding", "summary":
			rest = append(rest, want[i])
		default:
			events = append(events, want[i])
		}
	}
	for id, lines := range map[string][]string{"events": events, "records": rest} {
		if got, want := m.block(t, id), "[\n"+strings.Join(lines, ",\n")+"\n]"; got != want {
			t.Errorf("the block %s has %d bytes, want %d, those of the records", id, len(got), len(want))
		}
	}
}

// What is left out is told, and charts and counts are of everything all the same.
func TestMaxEvents(t *testing.T) {
	whole, cut := ackPage(t, report.Limits{}), ackPage(t, report.Limits{Events: 10})
	if got := strings.Count(cut.block(t, "events"), `"kind"`); got != 10 {
		t.Errorf("%d events, want 10", got)
	}
	if got, want := cut.charts(t).Kept["events"], whole.charts(t).Kept["events"]; got.Shown != 10 || got.Of != want.Of || want.Shown != want.Of {
		t.Errorf("kept %+v, and without a limit %+v", got, want)
	}
	if whole.block(t, "records") != cut.block(t, "records") {
		t.Error("the limit of events changes other records")
	}
	a, b := whole.charts(t), cut.charts(t)
	a.Kept, b.Kept = nil, nil
	one, _ := json.Marshal(a)
	two, _ := json.Marshal(b)
	if string(one) != string(two) {
		t.Error("the limit of events changes the charts")
	}
}

func total(lists ...[]uint64) (n uint64) {
	for _, l := range lists {
		for _, v := range l {
			n += v
		}
	}
	return n
}

// Charts add up to what the summary says.
func TestChartsAddUp(t *testing.T) {
	for _, name := range []string{"ack.pcap", "chunking.pcap", "bookkeeper.pcap", "lossy.pcap"} {
		t.Run(name, func(t *testing.T) {
			m := makePage(t, testkit.Capture(t, name), report.Limits{})
			c, s := m.charts(t), m.summary()
			if got, want := total(c.Frames.C2S, c.Frames.S2C), len(m.of("frame"))+len(m.of("bookie")); got != uint64(want) {
				t.Errorf("%d frames, want %d", got, want)
			}
			for side, rows := range map[string]any{"produced": s["produced"], "delivered": s["consumed"]} {
				var messages, bytes, wantMessages, wantBytes uint64
				for _, x := range c.Topics {
					n := x.Produced
					if side == "delivered" {
						n = x.Delivered
					}
					messages, bytes = messages+total(n.Messages), bytes+total(n.Bytes)
				}
				list, _ := rows.([]any)
				for _, r := range list {
					row := r.(map[string]any)
					wantMessages += uint64(row["messages"].(float64))
					wantBytes += uint64(row["bytes"].(float64))
				}
				if messages != wantMessages || bytes != wantBytes {
					t.Errorf("%s: %d messages of %d bytes, want %d of %d", side, messages, bytes, wantMessages, wantBytes)
				}
			}
			checkLatencies(t, &c, s["exchanges"].(map[string]any))
		})
	}
}

func checkLatencies(t *testing.T, c *charts, exchanges map[string]any) {
	t.Helper()
	for _, l := range c.Latency {
		of := exchanges[l.Exchange].(map[string]any)
		if l.Request != "" {
			of = of["by_request"].(map[string]any)[l.Request].(map[string]any)
		}
		latency := of["latency_ns"].(map[string]any)
		var n, lowest, highest uint64
		lowest = 1000
		for _, cell := range l.Cells {
			n, lowest, highest = n+cell[2], min(lowest, cell[1]), max(highest, cell[1])
		}
		if float64(n) != latency["count"] {
			t.Errorf("%s %s: %d latencies, want %v", l.Exchange, l.Request, n, latency["count"])
		}
		for name, bucket := range map[string]uint64{"min": lowest, "max": highest} {
			if v := latency[name].(float64); v < c.Bounds[bucket] || v >= c.Bounds[bucket+1] {
				t.Errorf("%s %s: the %s %v is not in its bucket, from %v to %v", l.Exchange, l.Request, name, v, c.Bounds[bucket], c.Bounds[bucket+1])
			}
		}
	}
}

// The last permits of each consumer are those of its last record.
func TestPermits(t *testing.T) {
	m := ackPage(t, report.Limits{})
	type key struct{ conn, consumer float64 }
	last := map[key]float64{}
	for _, r := range m.of("permits") {
		last[key{r["conn_id"].(float64), r["consumer_id"].(float64)}] = r["outstanding"].(float64)
	}
	c := m.charts(t)
	if len(c.Permits) != len(last) || len(last) == 0 {
		t.Errorf("%d consumers, want %d", len(c.Permits), len(last))
	}
	for _, p := range c.Permits {
		if got, want := p.Points[len(p.Points)-1][3], last[key{float64(p.ConnID), float64(p.ConsumerID)}]; float64(got) != want {
			t.Errorf("consumer %d ends with %d permits, want %v", p.ConsumerID, got, want)
		}
	}
}

// The policy allows the script and the style sheet of the page, by their hashes,
// and nothing else.
func TestPolicy(t *testing.T) {
	m := makePage(t, evilCapture(t), report.Limits{})
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(m.html)
	if policy == nil {
		t.Fatal("there is no policy")
	}
	hashOf := func(element string) string {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(m.html, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements %s, want 1", len(found), element)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; script-src " + hashOf("script") + "; style-src " + hashOf("style") + "; base-uri 'none'; form-action 'none'"
	if policy[1] != want {
		t.Errorf("got  %s\nwant %s", policy[1], want)
	}
}

// Nothing from the wire, nor the name of the file, is markup.
func TestNothingIsMarkup(t *testing.T) {
	m := makePage(t, evilCapture(t), report.Limits{})
	for _, id := range []string{"events", "records", "charts"} {
		b := m.block(t, id)
		if strings.Contains(b, "<") || !json.Valid([]byte(b)) {
			t.Errorf("the block %s holds a < or is no JSON", id)
		}
		if id != "charts" && !strings.Contains(b, `\u003c/script>`) {
			t.Errorf("the block %s lacks what the test is about", id)
		}
	}
	if strings.Contains(m.html, "<img") || !strings.Contains(m.html, "<title>&lt;img src=x onerror=alert(1)&gt;.pcap</title>") {
		t.Error("the name of the file is markup")
	}
}

// The script has no way to make markup of text, nor to ask for anything.
func TestScriptMakesNoMarkup(t *testing.T) {
	files, err := filepath.Glob("page/*")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, word := range []string{
		"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function", "srcdoc", "createContextualFragment", "DOMParser", "setHTML",
		"fetch(", "XMLHttpRequest", "WebSocket", "import(", "localStorage", "http:", "https:", "javascript:",
	} {
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(b), "http://www.w3.org/2000/svg", "")
			if strings.Contains(text, word) {
				t.Errorf("%s has %s", file, word)
			}
		}
	}
}

// A capture without anything in it gives a page, too.
func TestEmpty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "empty.pcap")
	if err := os.WriteFile(file, []byte("\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := makePage(t, file, report.Limits{})
	if got := m.block(t, "events"); got != "[]" {
		t.Errorf("events %q, want []", got)
	}
}
