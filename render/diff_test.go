package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session/summary"
)

func TestFoldedSubject(t *testing.T) {
	for _, c := range []struct {
		name string
		of   diagnose.Subject
		want string
	}{
		{"the client's port", diagnose.Subject{ConnID: 3, Conn: "10.0.0.1:4711-10.0.0.2:6650"}, "10.0.0.1-10.0.0.2:6650"},
		{"IPv6", diagnose.Subject{ConnID: 3, Conn: "[fd00::1]:4711-[fd00::2]:6650"}, "fd00::1-[fd00::2]:6650"},
		{"no ports already", diagnose.Subject{ConnID: -1, Conn: "10.0.0.1-10.0.0.2:6650"}, "10.0.0.1-10.0.0.2:6650"},
		{"a topic says enough", diagnose.Subject{Conn: "10.0.0.1:4711-10.0.0.2:6650", Topic: "orders"}, "topic orders"},
		{"a partition stays", diagnose.Subject{Topic: "orders-partition-3"}, "topic orders-partition-3"},
		{"a number of five digits", diagnose.Subject{Topic: "orders-59277"}, "topic orders-*"},
		{"a reader's subscription", diagnose.Subject{Topic: "a", Subscription: "reader-0e6efe0b22"}, "topic a, subscription reader-*"},
		{"a UUID", diagnose.Subject{Topic: "t-123E4567-e89b-12d3-a456-426614174000-x"}, "topic t-*-x"},
		{"a producer named by the broker", diagnose.Subject{Topic: "a", Producer: "standalone-0-12"}, "topic a, producer standalone-*"},
		{"a producer named by a person", diagnose.Subject{Topic: "a", Producer: "billing-3"}, "topic a, producer billing-3"},
		{"a producer without a name", diagnose.Subject{Topic: "a", Producer: "producer 3"}, "topic a"},
		{"a consumer named by its library", diagnose.Subject{Topic: "a", Consumer: "mgzwn"}, "topic a, consumer *"},
		{"a consumer named by a person", diagnose.Subject{Topic: "a", Consumer: "worker-1"}, "topic a, consumer worker-1"},
		{"a message", diagnose.Subject{Topic: "a", MessageID: "12:3"}, "topic a"},
	} {
		folded := foldedSubject(&c.of)
		if got := subjectWords(&folded); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestChanged(t *testing.T) {
	fault, traffic := diffSection{fault: true}, diffSection{}
	for _, c := range []struct {
		name     string
		of       *diffSection
		row      diffRow
		had, has bool
		want     change
	}{
		{"new", &traffic, diffRow{count: [2]uint64{0, 1}}, false, true, isNew},
		{"new, though nothing was sent", &traffic, diffRow{}, false, true, isNew},
		{"gone", &traffic, diffRow{count: [2]uint64{1, 0}}, true, false, gone},
		{"twice as many", &traffic, diffRow{count: [2]uint64{10, 20}}, true, true, more},
		{"not quite twice as many", &traffic, diffRow{count: [2]uint64{10, 19}}, true, true, same},
		{"half", &traffic, diffRow{count: [2]uint64{20, 10}}, true, true, fewer},
		{"too few to tell", &traffic, diffRow{count: [2]uint64{1, 9}}, true, true, same},
		{"the same rate for longer", &traffic, diffRow{count: [2]uint64{10, 100}, rate: [2]float64{1, 1}}, true, true, same},
		{"the same count in less time", &traffic, diffRow{count: [2]uint64{10, 10}, rate: [2]float64{1, 2}}, true, true, more},
		{"one fault more", &fault, diffRow{count: [2]uint64{1, 2}}, true, true, more},
		{"the same faults", &fault, diffRow{count: [2]uint64{5, 5}}, true, true, same},
		{"fewer faults", &fault, diffRow{count: [2]uint64{5, 4}}, true, true, fewer},
		{"faults at nearly the same rate", &fault, diffRow{count: [2]uint64{5, 6}, rate: [2]float64{1, 1.1}}, true, true, same},
	} {
		if got := c.of.changed(&c.row, c.had, c.has); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// sideOf makes a run that lasted some seconds.
func sideOf(seconds int64, found ...*diagnose.Finding) *Side {
	s := NewSide([]string{"a.pcap"}, summary.Limits{})
	if err := s.Findings(&Diagnosis{Found: found}); err != nil {
		panic(err)
	}
	s.summary.Finish(summary.Totals{Capture: capture.Stats{Files: []capture.FileStats{{Packets: 2, Last: seconds * 1e9}}}})
	s.summary.Frames = 1
	return s
}

func finding(name string, severity diagnose.Severity, count int, topic string) *diagnose.Finding {
	return &diagnose.Finding{Rule: diagnose.ByName(name), Severity: severity, Title: "x", Count: count, Subject: diagnose.Subject{Topic: topic}}
}

func TestCompareFindings(t *testing.T) {
	before := sideOf(10, finding("ack-hole", diagnose.Warning, 2, "a"), finding("ack-hole", diagnose.Warning, 1, "b"), finding("ack-slow", diagnose.Info, 3, "a-11111"))
	after := sideOf(10, finding("ack-slow", diagnose.Info, 1, "a-22222"), finding("ack-slow", diagnose.Info, 2, "a-33333"),
		finding("ack-hole", diagnose.Warning, 5, "a"), finding("ack-hole", diagnose.Info, 1, "c"), finding("send-slow", diagnose.Error, 1, "c"))
	d := Compare(before, after)
	var got []string
	for i := range d.findings {
		f := &d.findings[i]
		got = append(got, strings.Join([]string{string(f.change), f.severity.String(), f.rule.Name, f.subject, countText(f.count[0]), countText(f.count[1])}, " "))
	}
	want := []string{
		"new error send-slow topic c 0 1", "new info ack-hole topic c 0 1", "more warning ack-hole topic a 2 5",
		"gone warning ack-hole topic b 1 0", "same info ack-slow topic a-* 3 3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for least, want := range map[diagnose.Severity]bool{diagnose.Info: true, diagnose.Warning: true, diagnose.Error: true} {
		if d.HasNew(least) != want {
			t.Errorf("new ones of %s: %v", least, !want)
		}
	}
	back := Compare(after, before)
	if back.HasNew(diagnose.Error) || !back.HasNew(diagnose.Warning) {
		t.Error("the other way round, the worst new one is a warning")
	}
}

func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Side)
		want  string
	}{
		{"nothing", func(*Side) {}, ""},
		{"bytes missing", func(s *Side) { s.summary.Gaps[0].Bytes, s.summary.TCP.Bytes = 10, 1000 }, "after lacks bytes"},
		{"hardly a byte missing", func(s *Side) { s.summary.Gaps[0].Bytes, s.summary.TCP.Bytes = 1, 10_000 }, ""},
		{"snap length", func(s *Side) { s.summary.Totals.Segments.Cut = 1 }, "after has packets cut"},
		{"midstream", func(s *Side) { s.unstarted = 1 }, "after has connections that began earlier"},
		{"one way", func(s *Side) { s.oneWay = 1 }, "after has connections with one direction"},
		{"TLS", func(s *Side) { s.summary.Sealed.Bytes = 1 }, "after has TLS"},
		{"out of order", func(s *Side) {
			f := &s.summary.Totals.Capture.Files[0]
			f.StepsBack, f.LargestStepBack = 1, 1_000_000
		}, "after has packets out of order"},
		{"empty", func(s *Side) { s.summary.Frames = 0 }, "after has no frame"},
		{"short", func(s *Side) { s.summary.Totals.Capture.Files[0].Last = 4e8 }, "one lasts 10.0 s, the other 400 ms"},
	} {
		after := sideOf(10)
		c.spoil(after)
		got := strings.Join(doubts([2]*Side{sideOf(10), after}), "\n")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") || strings.Contains(got, "\n") {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNamesOfASideAreBounded(t *testing.T) {
	n := tally{}
	for i := range keptNames + 10 {
		n.addName("client " + countText(i))
	}
	n.addName("client 0")
	if len(n) != keptNames+1 || n[otherNames] != 10 || n["client 0"] != 2 {
		t.Errorf("%d names, %d others, %d times the first", len(n), n[otherNames], n["client 0"])
	}
	n = tally{}
	n.addName(strings.Repeat("x", keptNameBytes+1))
	if n[strings.Repeat("x", keptNameBytes)] != 1 {
		t.Error("a long name is not cut")
	}
}

// What the wire says cannot act on the terminal.
func TestDiffOfHostileNames(t *testing.T) {
	after := sideOf(10, finding("ack-hole", diagnose.Warning, 1, "a\x1b[2Jb"))
	after.versions.addName("client \x1b]0;x\x07")
	for _, format := range []Format{Table, Compact} {
		var b bytes.Buffer
		if err := Compare(sideOf(10), after).Write(&b, Options{Format: format}, false); err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(b.Bytes(), "\x1b\x07") || !strings.Contains(b.String(), "ack-hole") {
			t.Errorf("%s: %q", format, b.String())
		}
	}
}

// What TCP had to cope with is compared although no connection is named.
func TestDiffOfNetwork(t *testing.T) {
	before, after := sideOf(10), sideOf(10)
	before.summary.TCP.Retransmitted = 2
	after.summary.TCP.Retransmitted, after.summary.TCP.OutOfOrder = 10, 68
	var b bytes.Buffer
	if err := Compare(before, after).Write(&b, Options{Format: Compact}, false); err != nil {
		t.Fatal(err)
	}
	want := "network new what=\"out of order\" before=0 after=68 before_per_s=0.00 after_per_s=6.80\n" +
		"network more what=retransmitted before=2 after=10 before_per_s=0.20 after_per_s=1.00 factor=×5.00\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %s", b.String())
	}
}
