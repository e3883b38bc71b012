package session_test

import (
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/session"
)

// The numbers are those of the client's own record of the run.
func TestTransactionsOfMessages(t *testing.T) {
	for _, c := range []struct {
		name string
		want map[string]int // SENDs by transaction
	}{
		{"go-txn", map[string]int{"0:6": 2, "0:7": 2, "0:8": 2}},
	} {
		got := map[string]int{}
		eachEvent(t, testkit.Capture(t, c.name+".pcap"), session.Options{NoSum: true}, func(e *session.Event) {
			if e.Kind == session.MessageSeen && e.Direction == decode.ClientToServer && e.Message.InTxn {
				got[e.Message.Txn.String()]++
			}
		})
		if len(got) != len(c.want) {
			t.Errorf("%s: got %v, expected %v", c.name, got, c.want)
		}
		for id, n := range c.want {
			if got[id] != n {
				t.Errorf("%s: %d SENDs of %s, expected %d", c.name, got[id], id, n)
			}
		}
	}
}

func TestMarkersOfReplication(t *testing.T) {
	got := map[string]int{}
	eachEvent(t, testkit.Capture(t, "replication.pcap"), session.Options{NoSum: true}, func(e *session.Event) {
		if e.Kind == session.MessageSeen && e.Message.Marker != nil {
			m := e.Message.Marker
			got[m.Name()]++
			if m.Fault != "" || m.Body == nil || len(m.Body.Issues) > 0 {
				t.Errorf("offset %d: %s: %s, %v", e.Offset, m.Name(), m.Fault, m.Body)
			}
		}
	})
	// as an independent decoder counts marker_type
	if got["REPLICATED_SUBSCRIPTION_SNAPSHOT_REQUEST"] != 13 || got["REPLICATED_SUBSCRIPTION_SNAPSHOT_RESPONSE"] != 13 ||
		got["REPLICATED_SUBSCRIPTION_UPDATE"] != 12 || len(got) != 3 {
		t.Errorf("got %v", got)
	}
}
