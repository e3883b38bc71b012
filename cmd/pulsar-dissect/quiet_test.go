package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/internal/testkit"
)

// sendWaits is the number of packets of base.pcap up to a SEND, before its receipt.
const sendWaits = 28

// A SEND without an answer is told while nothing comes, as it stands. In the end
// nothing is told twice: the receipt came.
func TestQuiet(t *testing.T) {
	p := startLive(t, "sniff", "--face", "diagnose", "--rules", "send-unanswered", "--threshold-slow-one", "10ms", "-o", "compact", "-")
	if _, err := p.in.Write(firstPackets(t, sendWaits)); err != nil {
		t.Fatal(err)
	}
	if line := string(p.line(t)); !strings.Contains(line, "rule=send-unanswered") || !strings.Contains(line, " so_far=true ") || !strings.Contains(line, "A SEND has had no answer for ") {
		t.Errorf("told %s", line)
	}
	if _, err := p.in.Write(testkit.Testdata(t, "captures", "base", "base.pcap")[len(firstPackets(t, sendWaits)):]); err != nil {
		t.Fatal(err)
	}
	p.in.Close()
	rest, _ := io.ReadAll(p.out)
	if err := p.Wait(); err != nil || len(rest) > 0 {
		t.Errorf("%v: told %s, %s", err, rest, p.errors.String())
	}
}

// Records are those of the file, however long nothing came. What is told meanwhile
// is counted, once.
func TestQuietEqualsFile(t *testing.T) {
	for _, face := range []string{"events", "diagnose"} {
		file := filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
		flags := []string{"-o", "json", "--threshold-slow-one", "10ms"}
		whole := exec.Command(program(t), append([]string{"sniff", "--face", face, "-"}, flags...)...)
		whole.Stdin = strings.NewReader(string(testkit.Testdata(t, "captures", "base", "base.pcap")))
		want, err := whole.Output()
		if err != nil {
			t.Fatal(file, err)
		}
		p := startLive(t, append([]string{"sniff", "--face", face, "--metrics", "127.0.0.1:0", "-"}, flags...)...)
		if _, err := p.in.Write(firstPackets(t, sendWaits)); err != nil {
			t.Fatal(err)
		}
		all := make(chan []byte, 1)
		go func() {
			b, _ := io.ReadAll(p.out)
			all <- b
		}()
		until(t, "address", func() bool { return metricsAt.MatchString(p.errors.String()) })
		url := metricsAt.FindStringSubmatch(p.errors.String())[1]
		const count = `pulsar_dissect_findings_total{rule="send-unanswered",severity="warning"}`
		until(t, "finding", func() bool { return scrape(t, url)[count] == 1 })
		if _, err := p.in.Write(testkit.Testdata(t, "captures", "base", "base.pcap")[len(firstPackets(t, sendWaits)):]); err != nil {
			t.Fatal(err)
		}
		p.in.Close()
		if got := <-all; string(got) != string(want) {
			t.Errorf("%s: live and file differ: %d and %d bytes", face, len(got), len(want))
		}
		if err := p.Wait(); err != nil {
			t.Errorf("%v: %s", err, p.errors.String())
		}
	}
}

// The time of a run goes on with packets of any kind, up to the one before that at
// hand, and without any by how long nothing came.
func TestQuietTime(t *testing.T) {
	var told []int64
	q := &quiet{passes: func(now int64) { told = append(told, now) }}
	if now := q.idle(); now != 0 {
		t.Errorf("it is %d without a packet", now)
	}
	q.packet(1e9)
	q.packet(5e9)
	q.packet(7e9)
	if want := []int64{1e9, 5e9}; !slices.Equal(told, want) {
		t.Errorf("told %v, expected %v", told, want)
	}
	first := q.idle()
	q.since = q.since.Add(-time.Minute)
	if second := q.idle(); first < 7e9 || second < first+int64(time.Minute) || told[3] != second {
		t.Errorf("it is %d, then %d; told %v", first, second, told)
	}
	q.packet(8e9)
	if now := q.idle(); now < 8e9 || now > 8e9+int64(time.Minute) {
		t.Errorf("it is %d behind a packet", now)
	}
}
