package diagnose

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
)

// idly has an engine told, ahead of each packet, that nothing has come for an hour
// or two.
func idly(packets iter.Seq2[capture.Packet, error], engine **Engine) iter.Seq2[capture.Packet, error] {
	return func(yield func(capture.Packet, error) bool) {
		hours := int64(0)
		for p, err := range packets {
			hours = 3 - max(hours, 1) // so that the time is another than at the last packet
			(*engine).Idle((*engine).clock.Now() + hours*int64(time.Hour))
			if !yield(p, err) {
				return
			}
		}
	}
}

// toldBy gives what is told by the time of packets, and found, with and without
// idle times in between.
func toldBy(t *testing.T, packets iter.Seq2[capture.Packet, error], secrets decrypt.Options, th Thresholds, idle bool) string {
	var told strings.Builder
	var engine *Engine
	engine = New(Options{Thresholds: th, Found: func(f *Finding) {
		if !f.SoFar {
			fmt.Fprintf(&told, "%d %s", engine.clock.Now(), say(f))
		}
	}})
	if idle {
		packets = idly(packets, &engine)
	}
	return told.String() + "found " + sayAll(feedPackets(t, engine, packets, secrets))
}

// That nothing came for a while changes nothing of what is told and found later.
func TestIdleChangesNothing(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Root(t), "testdata", "captures", "*", "*.pcap*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	read := func(t *testing.T, file string, idle bool) string {
		src, err := capture.Open([]string{file}, capture.Options{})
		if err != nil {
			t.Skip(err)
		}
		defer src.Close()
		return toldBy(t, src.Packets(), secretsOf(file, src), Thresholds{}, idle)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if want, got := read(t, file, false), read(t, file, true); got != want {
				t.Errorf("told %s\nexpected %s", got, want)
			}
		})
	}
}

// quietFor has an engine told every second of an end in which nothing comes, and
// gives what is told then: the second and the severity.
func (s *scene) quietFor(rule *Rule, seconds int) (told []string) {
	s.t.Helper()
	second := 0
	engine := New(Options{Rules: []*Rule{rule}, Thresholds: s.thresholds, Found: func(f *Finding) {
		told = append(told, fmt.Sprintf("%d %s %v", second, f.Severity, f.SoFar))
	}})
	packets := func(yield func(capture.Packet, error) bool) {
		for p, err := range s.tape.Source() {
			if !yield(p, err) {
				return
			}
		}
		at := engine.clock.Now()
		for ; second < seconds; second++ {
			engine.Idle(at + int64(second)*int64(time.Second))
		}
	}
	feedPackets(s.t, engine, wiremake.Overwriting(packets), decrypt.Options{})
	return told
}

// What lasts is told while nothing comes, once and as it stands, and again when it
// gets worse. What waits behind a hole may be the answer.
func TestIdleTells(t *testing.T) {
	for _, c := range []struct {
		rule *Rule
		play func(*scene, *talk)
		want string
	}{
		{sendUnanswered, func(_ *scene, k *talk) { k.publish(1, 5, "p") }, "5 warning true"},
		{sendUnanswered, func(_ *scene, k *talk) {
			k.publish(1, 5, "p")
			k.receipt(1, 5, 5)
		}, ""},
		{sendUnanswered, func(_ *scene, k *talk) {
			k.publish(1, 5, "p")
			k.Lose(wiremake.Server, 1)
			k.receipt(1, 5, 5)
		}, ""},
		{idleConsumer, func(_ *scene, k *talk) { k.consumer(3, shared, "idle") }, "5 info true"},
		{permitStarvation, func(_ *scene, k *talk) {
			k.store(0)
			k.deliver(2, 0, 0)
			k.ack(2, 0)
			k.store(1)
		}, "5 warning true, 60 error true"},
		{handshakeStalled, func(s *scene, _ *talk) { s.tcp(4100).client(connectCommand(21)) }, "10 error true"},
		{keepaliveTimeout, func(s *scene, k *talk) { k.client(ping()) }, "60 warning true"},
	} {
		s := newScene(t)
		c.play(s, consuming(s, shared, 1))
		told := s.quietFor(c.rule, 100)
		told = slices.DeleteFunc(told, func(s string) bool { return strings.HasSuffix(s, "false") }) // at the end
		if got := strings.Join(told, ", "); got != c.want {
			t.Errorf("%s: told %q, expected %q", c.rule.Name, got, c.want)
		}
	}
}

// What was told while nothing came is told again by the time of packets, marked as
// what is known, unless it is worse by then.
func TestIdleThenEarly(t *testing.T) {
	var told []string
	e := New(Options{Rules: []*Rule{sendSlow}, Found: func(f *Finding) { told = append(told, fmt.Sprint(f.Severity, f.SoFar, f.Again)) }})
	r := &Reporter{engine: e, rule: sendSlow, Thresholds: &Thresholds{}}
	say := func(s Severity, idling bool) {
		e.idling = idling
		if done := r.Early(Finding{Severity: s}); done == idling {
			t.Errorf("done: %v", done)
		}
	}
	say(Warning, true)
	say(Warning, true)
	say(Warning, false)
	say(Warning, true)
	say(Error, true)
	say(Error, false)
	r.Over("", Subject{})
	say(Error, false)
	e.over(earlyKey{sendSlow, sendSlow.Title, Subject{}})
	say(Info, true)
	r.Report(Finding{Severity: Info})
	r.Report(Finding{Severity: Warning})
	want := []string{"warning true false", "warning false true", "error true false", "error false true", "error false false",
		"info true false", "info false true", "warning false false"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q\nexpected %q", told, want)
	}
	if len(e.early)+len(e.soFar) != 0 {
		t.Error(e.early, e.soFar)
	}
}
