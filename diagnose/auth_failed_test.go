package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// connectWith is a CONNECT with credentials.
func connectWith(method, data string) *pb.BaseCommand {
	c := connectCommand(21)
	c.Connect.AuthMethodName, c.Connect.AuthData = proto.String(method), []byte(data)
	return c
}

func TestAuthFailed(t *testing.T) {
	t.Run("CONNECT refused twice", func(t *testing.T) {
		s := newScene(t)
		for port := range uint16(2) {
			c := s.tcp(4000 + port)
			c.client(connectWith("token", "x"))
			c.broker(errorCommand(1<<64-1, pb.ServerError_AuthenticationError, "bad token"))
			c.FIN(wiremake.Server)
		}
		s.finds(authFailed, `error 10.0.0.1-10.0.0.2:6650 x2 | auth method token refused: AuthenticationError | ("bad token")`)
	})
	t.Run("renewal refused", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.broker(challengeCommand())
		c.client(authResponse())
		c.broker(errorCommand(1<<64-1, pb.ServerError_AuthenticationError, "expired"))
		s.finds(authFailed, "error 10.0.0.1:4000-10.0.0.2:6650 | renewal")
	})
	t.Run("UNSUBSCRIBE refused", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.consumer(1, pb.CommandSubscribe_Shared, "c")
		c.client(&pb.BaseCommand{Type: pb.BaseCommand_UNSUBSCRIBE.Enum(), Unsubscribe: &pb.CommandUnsubscribe{ConsumerId: proto.Uint64(1), RequestId: c.next()}})
		c.refuse(pb.ServerError_AuthorizationError, "not you")
		s.finds(authFailed, "error "+topic+" | UNSUBSCRIBE | AuthorizationError")
	})
	t.Run("PRODUCER refused is another rule's", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.client(producerCommand(1, topic, "p", *c.next(), 0))
		c.refuse(pb.ServerError_AuthorizationError, "not you")
		s.finds(authFailed)
	})
	t.Run("closed right after CONNECT with credentials", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectWith("token", "x"))
		c.FIN(wiremake.Server)
		s.finds(authFailed, "warning Closed right after CONNECT | auth method token")
		s.finds(handshakeStalled)
	})
	t.Run("closed later", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectWith("token", "x"))
		s.wait(time.Second)
		c.FIN(wiremake.Server)
		s.finds(authFailed)
	})
	t.Run("closed without credentials", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		c.FIN(wiremake.Server)
		s.finds(authFailed)
	})
}

func authResponse() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_AUTH_RESPONSE.Enum(), AuthResponse: &pb.CommandAuthResponse{
		Response: &pb.AuthData{AuthMethodName: proto.String("token"), AuthData: []byte("x")}}}
}
