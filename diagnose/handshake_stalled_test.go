package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestHandshakeStalled(t *testing.T) {
	t.Run("closed without an answer", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		s.wait(2 * time.Second)
		c.FIN(wiremake.Server)
		s.finds(handshakeStalled, "error 10.0.0.1-10.0.0.2:6650 | lab-client 1.0 | the broker closed the connection (FIN) 2.0 s later")
	})
	t.Run("closed by the client", func(t *testing.T) {
		for wait, severity := range map[time.Duration]string{time.Second: "error", 900 * time.Millisecond: "info"} {
			s := newScene(t)
			c := s.tcp(4000)
			c.client(connectCommand(21))
			s.wait(wait)
			c.FIN(wiremake.Client)
			s.finds(handshakeStalled, severity+" the client closed the connection (FIN)")
		}
	})
	t.Run("CONNECT twice", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		c.connect()
		c.Close()
		s.finds(handshakeStalled)
	})
	t.Run("answered late", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		s.wait(10 * time.Second)
		c.broker(connectedCommand(21))
		s.finds(handshakeStalled, "warning CONNECTED came late | took 10.0 s")
	})
	t.Run("answered in time", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		s.wait(9 * time.Second)
		c.broker(connectedCommand(21))
		c.Close()
		s.finds(handshakeStalled)
	})
	t.Run("not answered to the end", func(t *testing.T) {
		s := newScene(t)
		s.tcp(4000).client(connectCommand(21))
		s.wait(10 * time.Second)
		s.conn(4001)
		s.finds(handshakeStalled, "error had no answer for 10.0 s when the capture ended")
	})
	t.Run("not answered yet", func(t *testing.T) {
		s := newScene(t)
		s.tcp(4000).client(connectCommand(21))
		s.wait(9 * time.Second)
		s.conn(4001)
		s.finds(handshakeStalled)
	})
	t.Run("refused", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		c.broker(errorCommand(1<<64-1, pb.ServerError_ServiceNotReady, "starting"))
		s.finds(handshakeStalled, `error CONNECT was refused: ServiceNotReady | ("starting")`)
	})
	t.Run("refused credentials are another rule's", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		c.broker(errorCommand(1<<64-1, pb.ServerError_AuthenticationError, "no"))
		s.finds(handshakeStalled)
	})
	t.Run("answer lost by the capture", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		c.Lose(wiremake.Server, 40)
		c.Ack(wiremake.Client)
		s.wait(time.Minute)
		c.Close()
		s.finds(handshakeStalled)
	})
	t.Run("challenged", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		c.broker(challengeCommand())
		c.FIN(wiremake.Server)
		s.finds(handshakeStalled)
	})
	t.Run("TLS alert", func(t *testing.T) {
		s := newScene(t)
		c := s.to("10.0.0.2:6651", 4000)
		c.Send(wiremake.Client, clientHello())
		c.Send(wiremake.Server, []byte("\x15\x03\x03\x00\x02\x02\x28"))
		c.FIN(wiremake.Server)
		s.finds(handshakeStalled, "error 10.0.0.1-10.0.0.2:6651 | TLS handshake failed: handshake_failure | client offers TLS 1.2")
	})
}

func challengeCommand() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_AUTH_CHALLENGE.Enum(), AuthChallenge: &pb.CommandAuthChallenge{
		Challenge: &pb.AuthData{AuthMethodName: proto.String("token"), AuthData: []byte("refresh")}}}
}

// clientHello is a ClientHello of TLS 1.2 with one cipher (RFC 5246, section
// 7.4.1.2).
func clientHello() []byte {
	body := append([]byte{3, 3}, make([]byte, 32)...)                  // version, random
	body = append(body, 0, 0, 2, 0xc0, 0x2f, 1, 0)                     // no session id, one cipher, no compression
	message := append([]byte{1, 0, 0, byte(len(body))}, body...)       // client_hello
	return append([]byte{22, 3, 1, 0, byte(len(message))}, message...) // handshake record
}
