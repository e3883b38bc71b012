package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/internal/testkit"
)

// until waits for something that a process ought to do at once.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no " + what)
		}
	}
}

var metricsAt = regexp.MustCompile(`metrics are at (http://\S+)`)

// scrape gives the values of metrics by name and labels, as they are written.
func scrape(t *testing.T, url string) map[string]float64 {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	out := map[string]float64{}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		line := lines.Text()
		at := strings.LastIndexByte(line, ' ')
		if value, err := strconv.ParseFloat(line[at+1:], 64); err == nil && line[0] != '#' {
			out[line[:at]] = value
		}
	}
	return out
}

// countsOf is what metrics of a capture have to be, by its records: all that does
// not come of its end.
func countsOf(t *testing.T, capture string) map[string]float64 {
	t.Helper()
	b, err := exec.Command(program(t), "events", "--no-findings", capture).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{}
	for line := range strings.Lines(string(b)) {
		var r struct {
			Kind, Dir, Type, Exchange, Result, Topic string
			Size                                     float64
			Messages                                 float64
			Latency                                  *float64 `json:"latency_ns"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Kind == "frame":
			want[fmt.Sprintf("pulsar_dissect_frames_total{direction=%q,type=%q}", r.Dir, r.Type)]++
			want[fmt.Sprintf("pulsar_dissect_frame_bytes_total{direction=%q,type=%q}", r.Dir, r.Type)] += r.Size
		case r.Kind == "exchange" && r.Result == "ok":
			want[fmt.Sprintf("pulsar_dissect_exchanges_total{kind=%q,result=%q}", r.Exchange, r.Result)]++
			if r.Exchange == "ack" {
				want[fmt.Sprintf("pulsar_dissect_acknowledged_messages_total{topic=%q}", r.Topic)] += r.Messages
			}
			if r.Latency != nil {
				want[fmt.Sprintf("pulsar_dissect_exchange_seconds_count{kind=%q}", r.Exchange)]++
			}
		}
	}
	return want
}

// sumOf adds up a metric over its labels.
func sumOf(all map[string]float64, name string) (sum float64) {
	for labelled, value := range all {
		if strings.HasPrefix(labelled, "pulsar_dissect_"+name+"{") {
			sum += value
		}
	}
	return sum
}

// The metrics of what comes on a pipe are the counts of the records of the same
// capture.
func TestMetrics(t *testing.T) {
	file := []string{"captures", "flow", "flow.pcap"}
	want := countsOf(t, filepath.Join(append([]string{testkit.Root(t), "testdata"}, file...)...))
	if len(want) < 30 {
		t.Fatalf("%d counts", len(want))
	}
	p := startLive(t, "sniff", "--face", "diagnose", "-o", "json", "--metrics", "127.0.0.1:0", "-")
	if _, err := p.in.Write(testkit.Testdata(t, file...)); err != nil {
		t.Fatal(err)
	}
	until(t, "address", func() bool { return metricsAt.MatchString(p.errors.String()) })
	url := metricsAt.FindStringSubmatch(p.errors.String())[1]
	var got map[string]float64
	until(t, "metrics of all packets", func() bool {
		got = scrape(t, url)
		return got["pulsar_dissect_packets_total"] == 742
	})
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
	if got, want := sumOf(got, "deliveries_total"), got[`pulsar_dissect_frames_total{direction="s2c",type="MESSAGE"}`]; got != want || got == 0 {
		t.Errorf("%v deliveries, %v MESSAGEs", got, want)
	}
	told := sumOf(got, "findings_total")
	p.in.Close()
	out, _ := io.ReadAll(p.out)
	if n := float64(strings.Count(string(out), `"kind":"finding"`)); told == 0 || told > n {
		t.Errorf("%v findings in metrics, %v told", told, n)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.errors.String())
	}
	if _, err := http.Get(url); err == nil {
		t.Error("metrics are served although the run is over")
	}
}

// An address that is taken ends the run before it has begun.
func TestMetricsAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, address := range []string{l.Addr().String(), "nonsense"} {
		out, err := exec.Command(program(t), "sniff", "--metrics", address, "-").CombinedOutput()
		exit, ok := err.(*exec.ExitError) //nolint:errorlint // as exec gives it
		if !ok || exit.ExitCode() != statusUse || !strings.HasPrefix(string(out), "pulsar-dissect: metrics cannot be served: listen tcp") {
			t.Errorf("%s: %v, %s", address, err, out)
		}
	}
}
