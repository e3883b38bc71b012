package session

import (
	"testing"

	"pulsar-dissect/proto/pb"
)

// A request moves what it is about at once, its answer once it comes.
func TestPhase(t *testing.T) {
	for _, x := range []struct {
		request pb.BaseCommand_Type
		before  Phase
		result  Result
		asked   Phase
		after   Phase
	}{
		{pb.BaseCommand_PRODUCER, Unseen, OK, Asked, Opened},
		{pb.BaseCommand_PRODUCER, Dismissed, Intermediate, Asked, Asked},
		{pb.BaseCommand_PRODUCER, Unseen, Failed, Asked, Ended},
		{pb.BaseCommand_CLOSE_PRODUCER, Opened, OK, Ended, Ended},
		{pb.BaseCommand_CLOSE_PRODUCER, Opened, Failed, Ended, Ended},
		{pb.BaseCommand_GET_SCHEMA, Opened, Failed, Opened, Opened},
		{pb.BaseCommand_UNSUBSCRIBE, Opened, OK, Opened, Ended},
		{pb.BaseCommand_UNSUBSCRIBE, Opened, Failed, Opened, Opened},
	} {
		r := request{Ref: Ref{Type: int32(x.request)}, producer: &Producer{Phase: x.before}}
		r.asked()
		if r.producer.Phase != x.asked {
			t.Errorf("%s: %d once asked, expected %d", x.request, r.producer.Phase, x.asked)
		}
		if r.answered(x.result); r.producer.Phase != x.after {
			t.Errorf("%s %s: %d, expected %d", x.request, x.result, r.producer.Phase, x.after)
		}
	}
	none := request{Ref: Ref{Type: int32(pb.BaseCommand_PRODUCER)}}
	none.asked()
	none.answered(OK)
	if none.phase() != nil {
		t.Error("a request about nothing has a phase")
	}
}
