package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/decrypt"
	"pulsar-dissect/internal/wiremake"
)

// heard gives what is told while the findings of a scene are found, as the time
// since the first packet in seconds and the severity, and checks that the
// findings in the end are the same as where nobody listens.
func (s *scene) heard(rule *Rule) (told []string) {
	s.t.Helper()
	from := s.tape.Time
	for p, err := range s.tape.Source() {
		if err == nil {
			from = min(from, p.Time)
		}
	}
	var engine *Engine
	engine = New(Options{Rules: []*Rule{rule}, Thresholds: s.thresholds, Found: func(f *Finding) {
		told = append(told, fmt.Sprintf("%d %s", (engine.clock.Now()-from)/int64(time.Second), f.Severity))
	}})
	with := sayAll(feedPackets(s.t, engine, wiremake.Overwriting(s.tape.Source()), decrypt.Options{}))
	if without := sayAll(s.findings(rule)); with != without {
		s.t.Errorf("found %s\nbut where nobody listens %s", with, without)
	}
	without := toldBy(s.t, s.tape.Source(), decrypt.Options{}, s.thresholds, false)
	if with := toldBy(s.t, s.tape.Source(), decrypt.Options{}, s.thresholds, true); with != without {
		s.t.Errorf("told %s\nbut without idle times %s", with, without)
	}
	return told
}

// TestEarly: what lasts is told once it has lasted long enough, and when it gets
// worse; a stall that ends is not told again.
func TestEarly(t *testing.T) {
	for _, c := range []struct {
		rule *Rule
		play func(*scene, *talk)
		want string
	}{
		{permitStarvation, func(s *scene, k *talk) {
			k.store(0)
			k.deliver(2, 0, 0)
			k.ack(2, 0)
			k.store(1)
			passes(s, 64)
			k.flow(2, 1)
			k.deliver(2, 1, 0)
		}, "5 warning, 60 error"},
		{permitStarvation, func(s *scene, k *talk) { // to the end
			k.store(0)
			k.deliver(2, 0, 0)
			k.store(1)
			passes(s, 10)
		}, "5 warning"},
		{idleConsumer, func(s *scene, k *talk) {
			k.consumer(3, shared, "idle")
			passes(s, 10)
		}, "5 info"},
		{sendUnanswered, func(s *scene, k *talk) {
			k.publish(1, 5, "p")
			passes(s, 10)
			k.receipt(1, 5, 5)
		}, "5 warning"},
		{sendUnanswered, func(s *scene, k *talk) {
			k.publish(1, 5, "p")
			passes(s, 10)
			k.FIN(wiremake.Server)
		}, "5 warning"},
		{handshakeStalled, func(s *scene, _ *talk) {
			s.tcp(4100).client(connectCommand(21))
			passes(s, 15)
		}, "10 error"},
		{keepaliveTimeout, func(s *scene, k *talk) {
			s.thresholds.Keepalive = 20 * time.Second
			k.client(ping())
			passes(s, 30)
		}, "20 warning"},
	} {
		s := newScene(t)
		c.play(s, consuming(s, shared, 1))
		if got := s.heard(c.rule); strings.Join(got, ", ") != c.want {
			t.Errorf("%s: told %q, expected %q", c.rule.Name, got, c.want)
		}
	}
}

// passes lets seconds pass in which another connection goes on.
func passes(s *scene, seconds int) { s.conn(4999).beats(time.Duration(seconds) * time.Second) }

// TestEarlyIsOver: what looked like a fault and was none is taken back, and told
// when it comes again.
func TestEarlyIsOver(t *testing.T) {
	var told []Severity
	e := New(Options{Rules: []*Rule{sendSlow}, Found: func(f *Finding) { told = append(told, f.Severity) }})
	r := &Reporter{engine: e, rule: sendSlow, Thresholds: &Thresholds{}}
	early := func(s Severity) { r.Early(Finding{Severity: s}) }
	early(Warning)
	early(Warning)
	early(Error)
	r.Over("", Subject{})
	early(Warning)
	r.Report(Finding{Severity: Warning})
	early(Warning) // it is known
	r.Report(Finding{Severity: Error})
	if want := []Severity{Warning, Error, Warning, Error}; !slices.Equal(told, want) {
		t.Errorf("told %v, expected %v", told, want)
	}
	if len(e.order) != 2 || len(e.early) != 0 {
		t.Errorf("%d findings, %d told early", len(e.order), len(e.early))
	}
}
