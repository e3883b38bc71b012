package proto

import (
	"slices"
	"testing"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

func TestCommandNumberIsThatOfItsField(t *testing.T) {
	if len(Commands) != 70 {
		t.Fatalf("%d commands, want 70", len(Commands))
	}
	for _, c := range Commands {
		if c.Field == nil || int32(c.Field.Number()) != c.Number {
			t.Errorf("%s: sub-command is not field %d", c.Name, c.Number)
		}
		if got := ByNumber(c.Number); got.Name != c.Name {
			t.Errorf("ByNumber(%d) = %s, want %s", c.Number, got.Name, c.Name)
		}
	}
}

func TestByNumberOfNothing(t *testing.T) {
	for _, n := range []int32{-1, 0, 1, 41, 49, 69, 82, 1 << 30} {
		if c := ByNumber(n); c != nil {
			t.Errorf("ByNumber(%d) = %s, want nil", n, c.Name)
		}
	}
}

func TestRows(t *testing.T) {
	for _, want := range []struct {
		number    pb.BaseCommand_Type
		name      string
		message   string
		requestID int32
		sender    Sender
		payload   bool
		responses []int32
		since     int32
	}{
		{pb.BaseCommand_SEND, "SEND", "CommandSend", 0, Client, true, []int32{7, 8}, 0},
		{pb.BaseCommand_MESSAGE, "MESSAGE", "CommandMessage", 0, Broker, true, nil, 0},
		{pb.BaseCommand_SUBSCRIBE, "SUBSCRIBE", "CommandSubscribe", field.CommandSubscribeRequestId, Client, false, []int32{13}, 0},
		{pb.BaseCommand_ACK, "ACK", "CommandAck", 8, Client, false, []int32{38}, 0},
		{pb.BaseCommand_PING, "PING", "CommandPing", 0, Both, false, []int32{19}, 1},
		{pb.BaseCommand_LOOKUP, "LOOKUP", "CommandLookupTopic", 2, Client, false, []int32{24}, 7},
		{pb.BaseCommand_WATCH_TC_ASSIGNMENTS, "WATCH_TC_ASSIGNMENTS", "CommandWatchTcAssignments", 0, Client, false, []int32{80}, 0},
	} {
		c := ByNumber(int32(want.number))
		if c.Name != want.name || string(c.Field.Message().Name()) != want.message || c.RequestID != want.requestID ||
			c.Sender != want.sender || c.Payload != want.payload || !slices.Equal(c.Responses, want.responses) || c.Since != want.since {
			t.Errorf("got %+v, want %+v", *c, want)
		}
	}
}

// Counts that any reading of the schema must come to.
func TestCounts(t *testing.T) {
	var withID, payloads int
	var both []string
	for _, c := range Commands {
		if c.RequestID != 0 {
			withID++
		}
		if c.Payload {
			payloads++
		}
		if c.Sender == Both {
			both = append(both, c.Name)
		}
	}
	if withID != 44 || payloads != 2 {
		t.Errorf("%d commands with request_id, %d with payload; want 44 and 2", withID, payloads)
	}
	if want := []string{"CLOSE_PRODUCER", "CLOSE_CONSUMER", "PING", "PONG"}; !slices.Equal(both, want) {
		t.Errorf("sent by both: %v, want %v (a new command needs its sender in facts)", both, want)
	}
}

// What answers comes from the other side.
func TestResponsesComeFromTheOtherSide(t *testing.T) {
	for _, c := range Commands {
		for _, r := range c.Responses {
			answer := ByNumber(r)
			if c.Sender != Both && c.Sender == answer.Sender {
				t.Errorf("%s and %s both come from the %s", c.Name, answer.Name, c.Sender)
			}
			if c.RequestID != 0 && answer.RequestID == 0 {
				t.Errorf("%s has a request_id, its response %s has none", c.Name, answer.Name)
			}
		}
	}
}

func TestOnlyNoticesOfBrokersAreBoundToAVersion(t *testing.T) {
	c := ByNumber(int32(pb.BaseCommand_CLOSE_PRODUCER))
	if c.Since != 5 || c.SinceSender != Broker {
		t.Errorf("CLOSE_PRODUCER since %d from %s, want 5 from broker", c.Since, c.SinceSender)
	}
}
