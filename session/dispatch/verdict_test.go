package dispatch_test

import (
	"testing"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/session/dispatch"
)

// verdict is what a test wants to know of one.
type verdict struct {
	state, before                 dispatch.Doing
	permits, unacked              int64
	waiting                       int
	delivered, acked, redelivered int64
}

func of(c *dispatch.Consumer, v *dispatch.Verdict) verdict {
	return verdict{v.State, v.Before, v.Permits, v.Unacked, v.Waiting, c.Delivered, c.Acked, c.Redelivered}
}

// verdicts gives those of a scene by the names of consumers.
func verdicts(t *testing.T, s *scene) (out map[string]verdict, full map[string]dispatch.Verdict) {
	t.Helper()
	out, full = map[string]verdict{}, map[string]dispatch.Verdict{}
	follow(t, wiremake.Overwriting(s.Source()), dispatch.Limits{}, dispatch.Watcher{Ended: func(c *dispatch.Consumer, v *dispatch.Verdict) {
		if _, twice := out[c.Name]; twice {
			t.Errorf("two verdicts on %s", c.Name)
		}
		out[c.Name], full[c.Name] = of(c, v), *v
	}})
	return out, full
}

// TestVerdicts: the smallest case of each.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene, c *talk)
		want verdict // on consumer a
	}{
		{"flowing", func(_ *scene, c *talk) {
			c.store("", 0)
			c.deliver(2, "", 0)
			c.ack(2, individual, 0)
		}, verdict{state: dispatch.Flowing, permits: 9, delivered: 1, acked: 1}},
		{"no permits", func(_ *scene, c *talk) {
			for n := range uint64(10) {
				c.store("", n)
				c.deliver(2, "", n)
				c.ack(2, individual, n)
			}
			c.store("", 10, 11)
		}, verdict{state: dispatch.NoPermits, waiting: 2, delivered: 10, acked: 10}},
		{"no messages", func(s *scene, c *talk) {
			s.wait(time.Second)
			c.beat()
		}, verdict{state: dispatch.NoMessages, permits: 10}},
		{"no messages any more", func(s *scene, c *talk) {
			c.deliver(2, "", 0)
			c.ack(2, individual, 0)
			s.wait(6 * time.Second)
			c.beat()
		}, verdict{state: dispatch.NoMessages, permits: 9, delivered: 1, acked: 1}},
		{"unacked limit", func(s *scene, c *talk) {
			c.store("", 0, 1, 2)
			c.deliver(2, "", 0, 1)
			s.wait(2 * time.Second)
			c.beat()
		}, verdict{state: dispatch.UnackedLimit, permits: 8, unacked: 2, waiting: 1, delivered: 2}},
		{"application does not acknowledge", func(s *scene, c *talk) {
			c.deliver(2, "", 0)
			s.wait(6 * time.Second)
			c.deliver(2, "", 1)
		}, verdict{state: dispatch.AppNotAcking, permits: 8, unacked: 2, delivered: 2}},
		{"acknowledges some", func(s *scene, c *talk) {
			c.deliver(2, "", 0, 1)
			c.ack(2, individual, 1)
			s.wait(6 * time.Second)
			c.deliver(2, "", 2)
		}, verdict{state: dispatch.Flowing, permits: 7, unacked: 2, delivered: 3, acked: 1}},
		{"closed", func(_ *scene, c *talk) {
			c.deliver(2, "", 0)
			c.close(2)
		}, verdict{state: dispatch.Closed, before: dispatch.Flowing, permits: 9, unacked: 1, delivered: 1}},
		{"connection closed", func(_ *scene, c *talk) {
			c.RST(wiremake.Server)
		}, verdict{state: dispatch.Closed, before: dispatch.NoMessages, permits: 10}},
		{"messages wait and nothing tells why", func(s *scene, c *talk) {
			c.store("", 0)
			s.wait(10 * time.Second)
			c.beat()
		}, verdict{state: dispatch.Unknown, permits: 10, waiting: 1}},
		{"given back, comes again", func(_ *scene, c *talk) {
			c.deliver(2, "", 0)
			c.again(2, 0)
			c.deliver(2, "", 0)
		}, verdict{state: dispatch.Flowing, permits: 8, unacked: 1, delivered: 2, redelivered: 1}},
		{"cumulative", func(_ *scene, c *talk) {
			c.deliver(2, "", 0, 1, 2)
			c.ack(2, cumulative, 1)
		}, verdict{state: dispatch.Flowing, permits: 7, unacked: 1, delivered: 3, acked: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene()
			k := s.conn(4000)
			k.producer()
			k.subscribe(2, shared, "a")
			k.flow(2, 10)
			c.play(s, k)
			if got, _ := verdicts(t, s); got["a"] != c.want {
				t.Errorf("got  %+v\nwant %+v", got["a"], c.want)
			}
		})
	}
}

func TestVerdictOnNeverAsking(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.producer()
	c.subscribe(2, shared, "a")
	c.store("", 0)
	got, full := verdicts(t, s)
	if got["a"] != (verdict{state: dispatch.NoPermits, waiting: 1}) || full["a"].Since != full["a"].Consumer.Since {
		t.Errorf("got %+v", full["a"])
	}
}

func TestVerdictsOfFailover(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.subscribe(2, failover, "a")
	c.subscribe(3, failover, "b")
	c.flow(2, 10)
	c.flow(3, 10)
	c.active(2, false)
	c.active(3, true)
	c.deliver(3, "", 0)
	got, _ := verdicts(t, s)
	if got["a"].state != dispatch.InactiveFailover || got["b"].state != dispatch.Flowing {
		t.Errorf("got %+v", got)
	}
}

// TestVerdictsOfKeyShared: a has the key, so that b gets nothing of it.
func TestVerdictsOfKeyShared(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.producer()
	c.subscribe(2, keyShared, "a")
	c.flow(2, 10)
	c.store("k", 0)
	c.deliver(2, "k", 0)
	c.subscribe(3, keyShared, "b")
	c.flow(3, 10)
	c.store("k", 1)
	s.wait(2 * time.Second)
	c.beat()
	got, full := verdicts(t, s)
	if got["a"].state != dispatch.AppNotAcking || got["b"].state != dispatch.BlockedKey {
		t.Errorf("got %+v", got)
	}
	if v := full["b"]; v.Holder == nil || v.Holder.Name != "a" || v.Key != "k" {
		t.Errorf("held by %v, key %q", v.Holder, v.Key)
	}
}

// TestOldestUnacked: the one that came first of those still open, and its age.
func TestOldestUnacked(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.subscribe(2, shared, "a")
	c.flow(2, 10)
	c.deliver(2, "", 0, 1)
	s.wait(time.Second)
	c.deliver(2, "", 2)
	c.ack(2, individual, 0)
	_, full := verdicts(t, s)
	v := full["a"]
	if !v.HasAge || v.Oldest != (dispatch.Position{Ledger: 7, Entry: 1}) || time.Duration(v.Age) != 1002*time.Millisecond {
		t.Errorf("oldest %v, %v, age %v", v.Oldest, v.HasAge, time.Duration(v.Age))
	}
}

// TestMidstream: a consumer whose SUBSCRIBE was not captured.
func TestMidstream(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.deliver(2, "", 0, 1)
	c.ack(2, individual, 0)
	got, _ := verdicts(t, s)
	if got[""] != (verdict{state: dispatch.Flowing, permits: -2, delivered: 2}) {
		t.Errorf("got %+v", got[""])
	}
}

// TestVerdictsOfCaptures: what clients and brokers are known to have done.
func TestVerdictsOfCaptures(t *testing.T) {
	for _, c := range []struct {
		capture, subscription, consumer string
		want                            verdict
	}{
		{"flow", "startpaused", "Lcl8R", verdict{state: dispatch.Closed, before: dispatch.NoPermits, waiting: 82}},
		{"flow", "stuck", "CMHBt", verdict{state: dispatch.Closed, before: dispatch.Flowing, permits: 18, delivered: 82, acked: 82}},
		{"unacked-limit", "hoarder", "S2l0Y", verdict{state: dispatch.Closed, before: dispatch.NoMessages, permits: 950, unacked: 10, delivered: 50, acked: 40}},
		{"unacked-limit", "ks", "nNaD8", verdict{state: dispatch.Closed, before: dispatch.BlockedKey, permits: 11, waiting: 4, delivered: 9, acked: 9}},
		{"ack", "nack", "W7hbQ", verdict{state: dispatch.Closed, before: dispatch.NoMessages, permits: 964, delivered: 36, acked: 30, redelivered: 6}},
		{"ack", "batchidx", "4Tbuj", verdict{state: dispatch.Closed, before: dispatch.NoMessages, permits: 940, unacked: 20, delivered: 60, acked: 40}},
		{"subscriptions", "ha", "a-main", verdict{state: dispatch.Closed, before: dispatch.InactiveFailover, permits: 1000}},
	} {
		src, err := capture.Open([]string{testkit.Capture(t, c.capture+".pcap")}, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		follow(t, src.Packets(), dispatch.Limits{}, dispatch.Watcher{Ended: func(x *dispatch.Consumer, v *dispatch.Verdict) {
			if x.Name != c.consumer || x.Subscription != c.subscription {
				return
			}
			found = true
			if got := of(x, v); got != c.want {
				t.Errorf("%s %s:\ngot  %+v\nwant %+v", c.capture, c.subscription, got, c.want)
			}
		}})
		if !found {
			t.Errorf("%s: no consumer %s of %s", c.capture, c.consumer, c.subscription)
		}
	}
}
