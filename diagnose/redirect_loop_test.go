package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

// ask captures a LOOKUP and, where to is not empty, the redirect that answers
// it.
func (c *talk) ask(authoritative bool, to string, passOn bool) {
	id := c.next()
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_LOOKUP.Enum(), LookupTopic: &pb.CommandLookupTopic{
		Topic: proto.String(topic), RequestId: id, Authoritative: proto.Bool(authoritative)}})
	if to == "" {
		return
	}
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_LOOKUP_RESPONSE.Enum(), LookupTopicResponse: &pb.CommandLookupTopicResponse{
		BrokerServiceUrl: proto.String("pulsar://" + to), Response: pb.CommandLookupTopicResponse_Redirect.Enum(), RequestId: id,
		Authoritative: proto.Bool(passOn)}})
}

const (
	brokerA = "10.0.0.2:6650"
	brokerB = "10.0.0.3:6650"
)

func (s *scene) at(server string, port uint16) *talk {
	c := s.to(server, port)
	c.connect()
	return c
}

func TestRedirectLoop(t *testing.T) {
	t.Run("to and fro", func(t *testing.T) {
		s := newScene(t)
		a, b := s.at(brokerA, 4000), s.at(brokerB, 4001)
		a.ask(false, brokerB, false)
		b.ask(false, brokerA, false)
		a.ask(false, brokerB, false)
		s.finds(redirectLoop, "error 10.0.0.1 "+topic+": Lookup comes back | redirected 3 times: 10.0.0.2:6650, 10.0.0.3:6650, 10.0.0.2:6650, then to 10.0.0.3:6650")
	})
	t.Run("back once, then answered", func(t *testing.T) {
		s := newScene(t)
		a, b := s.at(brokerA, 4000), s.at(brokerB, 4001)
		a.ask(false, brokerB, false)
		b.ask(false, brokerA, true)
		a.lookup(topic)
		s.finds(redirectLoop)
	})
	t.Run("two lookups at the same broker", func(t *testing.T) {
		s := newScene(t)
		a := s.at(brokerA, 4000)
		a.ask(false, brokerB, false)
		a.ask(false, brokerB, false)
		s.finds(redirectLoop)
	})
	t.Run("without end", func(t *testing.T) {
		for hops, want := range map[int][]string{20: {"error redirected without end | redirected 20 times"}, 19: nil} {
			s := newScene(t)
			for i := range hops {
				s.at("10.0.1."+string(rune('1'+i/10))+string(rune('0'+i%10))+":6650", 4000+uint16(i)).
					ask(false, "10.0.1."+string(rune('1'+(i+1)/10))+string(rune('0'+(i+1)%10))+":6650", false)
			}
			s.finds(redirectLoop, want...)
		}
	})
}
