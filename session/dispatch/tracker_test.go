package dispatch_test

import (
	"net/netip"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session/dispatch"
)

// again captures a REDELIVER_UNACKNOWLEDGED_MESSAGES.
func (c *talk) again(consumer uint64, entries ...uint64) {
	r := &pb.CommandRedeliverUnacknowledgedMessages{ConsumerId: proto.Uint64(consumer)}
	for _, e := range entries {
		r.MessageIds = append(r.MessageIds, id(e))
	}
	c.Send(wiremake.Client, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES.Enum(), RedeliverUnacknowledgedMessages: r}))
}

// to is conn to another server.
func (s *scene) to(server string, port uint16) *talk {
	c := &talk{s.Midway(port), s}
	c.Ends[wiremake.Server] = netip.MustParseAddrPort(server)
	c.SYN(wiremake.Client, 1000)
	c.SYN(wiremake.Server, 9000)
	return c
}

// deliveries gives why each MESSAGE of a scene came.
func deliveries(t *testing.T, s *scene) (out []dispatch.Again) {
	t.Helper()
	follow(t, wiremake.Overwriting(s.Source()), dispatch.Limits{}, dispatch.Watcher{Delivered: func(d *dispatch.Delivery) { out = append(out, d.Again) }})
	return out
}

// TestMoveToAnotherBroker: a consumer that reconnects elsewhere takes its
// subscription along; another view of a connection that is still open is another
// subscription.
func TestMoveToAnotherBroker(t *testing.T) {
	for moved, want := range map[bool]dispatch.Again{true: dispatch.ConnectionLost, false: dispatch.FirstTime} {
		s := newScene()
		a := s.conn(4000)
		a.subscribe(2, shared, "a")
		a.flow(2, 10)
		a.deliver(2, "", 0)
		if moved {
			a.RST(wiremake.Server)
		}
		b := s.to("10.0.0.3:6650", 4001)
		b.subscribe(2, shared, "a")
		b.deliver(2, "", 0)
		if got := deliveries(t, s); len(got) != 2 || got[1] != want {
			t.Errorf("moved %v: got %v, want %v", moved, got, want)
		}
	}
}

// TestMigratedClusterIsAnother: positions of another cluster are other messages.
func TestMigratedClusterIsAnother(t *testing.T) {
	s := newScene()
	a := s.conn(4000)
	a.subscribe(2, shared, "a")
	a.deliver(2, "", 0)
	a.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_TOPIC_MIGRATED.Enum(), TopicMigrated: &pb.CommandTopicMigrated{
		ResourceId: proto.Uint64(2), ResourceType: pb.CommandTopicMigrated_Consumer.Enum()}}))
	a.Close()
	b := s.to("10.0.0.3:6650", 4001)
	b.subscribe(2, shared, "a")
	b.deliver(2, "", 0)
	if got := deliveries(t, s); len(got) != 2 || got[1] != dispatch.FirstTime {
		t.Errorf("got %v", got)
	}
}

// TestStalls: what a stall says of when, how many and whom.
func TestStalls(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.producer()
	c.subscribe(2, shared, "a")
	c.flow(2, 1)
	c.store("", 0)
	c.deliver(2, "", 0)
	c.store("", 1, 2, 3)
	stored := s.Time
	s.wait(2 * time.Second)
	c.flow(2, 3)
	flowed := s.Time
	c.deliver(2, "", 1)
	moved := s.Time
	c.deliver(2, "", 2, 3)
	var got []dispatch.Stall
	follow(t, wiremake.Overwriting(s.Source()), dispatch.Limits{}, dispatch.Watcher{Stalled: func(x *dispatch.Stall) { got = append(got, *x) }})
	if len(got) != 1 {
		t.Fatalf("%d stalls", len(got))
	}
	x := got[0]
	apart := int64(4e6) // of the receipts behind the first: two SENDs and two receipts
	if x.Cause != dispatch.CausePermits || x.Ending != dispatch.Moved || x.From != stored-apart || x.To != moved || x.Resumed.Time != flowed {
		t.Errorf("cause %v, ending %v, from %v before the last receipt, to %v, resumed %v", x.Cause, x.Ending, stored-x.From, x.To-moved, x.Resumed.Time-flowed)
	}
	if x.Waiting != 3 || x.Fresh != 3 || x.Front != (dispatch.Position{Ledger: 7, Entry: 1}) || x.Consumer.Name != "a" || x.Unacked != 1 {
		t.Errorf("waiting %d (%d), front %v, %s, unacked %d", x.Waiting, x.Fresh, x.Front, x.Consumer.Name, x.Unacked)
	}
}

// TestNothingOwed: what no consumer will get is not waited for.
func TestNothingOwed(t *testing.T) {
	for name, play := range map[string]func(*talk){
		"stored before anybody subscribed": func(c *talk) { c.store("", 0); c.subscribe(2, shared, "a") },
		"delivered before its receipt":     func(c *talk) { c.subscribe(2, shared, "a"); c.deliver(2, "", 5); c.store("", 5) },
		"passed over": func(c *talk) {
			c.subscribe(2, shared, "a")
			c.store("", 0, 1)
			c.deliver(2, "", 1)
		},
		"acknowledged by another connection": func(c *talk) {
			c.subscribe(2, exclusive, "a")
			c.store("", 0, 1)
			c.deliver(2, "", 0, 1)
			c.again(2)
			c.ack(2, cumulative, 1)
		},
	} {
		s := newScene()
		c := s.conn(4000)
		c.producer()
		play(c)
		c.flow(2, 10)
		if _, full := verdicts(t, s); full["a"].Waiting != 0 {
			t.Errorf("%s: %d wait", name, full["a"].Waiting)
		}
	}
}

// TestEntriesLimit: the oldest deliveries are forgotten, and counted.
func TestEntriesLimit(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.subscribe(2, shared, "a")
	c.flow(2, 100)
	for n := range uint64(10) {
		c.deliver(2, "", n)
	}
	c.ack(2, individual, 0, 9)
	var v dispatch.Verdict
	tracker := follow(t, wiremake.Overwriting(s.Source()), dispatch.Limits{Entries: 4}, dispatch.Watcher{Ended: func(_ *dispatch.Consumer, x *dispatch.Verdict) { v = *x }})
	if n := tracker.Counters().Entries; n != 6 {
		t.Errorf("%d forgotten, expected 6", n)
	}
	if v.Unacked != 3 || v.Oldest.Entry != 6 { // 6, 7, 8
		t.Errorf("unacked %d, oldest %v", v.Unacked, v.Oldest)
	}
}

// TestOwedLimit: entries beyond the limit are not waited for.
func TestOwedLimit(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.producer()
	c.subscribe(2, shared, "a")
	c.store("", 0, 1, 2, 3, 4)
	var v dispatch.Verdict
	tracker := follow(t, wiremake.Overwriting(s.Source()), dispatch.Limits{Owed: 3}, dispatch.Watcher{Ended: func(_ *dispatch.Consumer, x *dispatch.Verdict) { v = *x }})
	if v.Waiting != 3 || tracker.Counters().Owed != 2 {
		t.Errorf("%d wait, %d let go", v.Waiting, tracker.Counters().Owed)
	}
}

// TestOwedInAll: where all subscriptions wait for too much, one without a consumer
// gives up what it waits for; where there is none, what comes is not waited for.
func TestOwedInAll(t *testing.T) {
	for closes, want := range map[bool]struct{ waiting, letGo int }{true: {4, 4}, false: {1, 6}} {
		s := newScene()
		c := s.conn(4000)
		c.producer()
		c.subscribe(2, shared, "a")
		c.store("", 0, 1, 2, 3)
		if closes {
			c.close(2)
		}
		c.subscribeTo("other", 3, shared, "b")
		c.store("", 4, 5, 6, 7)
		full := map[string]int{}
		tracker := follow(t, wiremake.Overwriting(s.Source()), dispatch.Limits{OwedInAll: 6}, dispatch.Watcher{Ended: func(c *dispatch.Consumer, x *dispatch.Verdict) { full[c.Name] = x.Waiting }})
		if letGo := tracker.Counters().Owed; full["b"] != want.waiting || int(letGo) != want.letGo {
			t.Errorf("closes %v: %d wait, %d let go", closes, full["b"], letGo)
		}
	}
}
