package diagnose

import (
	"testing"

	"pulsar-dissect/internal/wiremake"
)

func TestWrongProtocol(t *testing.T) {
	hello := []byte("\x16\x03\x01\x00\x05hello")
	t.Run("TLS at the plain port", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.Send(wiremake.Client, hello)
		c.FIN(wiremake.Server)
		c.FIN(wiremake.Client)
		s.finds(wrongProtocol, "error 10.0.0.1-10.0.0.2:6650 | a TLS hello | a frame of 369295620 bytes | the broker closed the connection (FIN)")
	})
	t.Run("HTTP at a port that spoke Pulsar, twice", func(t *testing.T) {
		s := newScene(t)
		for port := range uint16(2) {
			c := s.to("10.0.0.9:7000", 4000+port)
			c.Send(wiremake.Client, []byte("GET / HTTP/1.1\r\n\r\n"))
			c.FIN(wiremake.Server)
		}
		s.to("10.0.0.9:7000", 4010).connect()
		s.finds(wrongProtocol, "error 10.0.0.1-10.0.0.9:7000 x2 | an HTTP request | a frame of 1195725860 bytes")
	})
	t.Run("HTTP elsewhere", func(t *testing.T) {
		s := newScene(t)
		c := s.to("10.0.0.9:7000", 4000)
		c.Send(wiremake.Client, []byte("GET / HTTP/1.1\r\n\r\n"))
		c.FIN(wiremake.Server)
		s.finds(wrongProtocol)
	})
	t.Run("text", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.Send(wiremake.Client, []byte("SSH-2.0-lab\r\n"))
		c.FIN(wiremake.Server)
		s.finds(wrongProtocol, "warning an SSH banner")
	})
	t.Run("TLS that is answered", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.Send(wiremake.Client, hello)
		c.Send(wiremake.Server, hello)
		c.FIN(wiremake.Server)
		s.finds(wrongProtocol)
	})
	t.Run("Pulsar at a web port", func(t *testing.T) {
		s := newScene(t)
		c := s.to("10.0.0.9:8080", 4000)
		c.client(connectCommand(21))
		c.Send(wiremake.Server, []byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		c.FIN(wiremake.Server)
		s.finds(wrongProtocol, "error 10.0.0.1-10.0.0.9:8080 | an HTTP answer | a frame of 1213486164 bytes")
	})
	t.Run("Pulsar at the TLS port", func(t *testing.T) {
		s := newScene(t)
		c := s.to("10.0.0.9:6651", 4000)
		c.client(connectCommand(21))
		c.FIN(wiremake.Server)
		s.finds(wrongProtocol, "error 10.0.0.1-10.0.0.9:6651 | without TLS")
	})
	t.Run("Pulsar refused at another port", func(t *testing.T) {
		s := newScene(t)
		c := s.to("10.0.0.9:7000", 4000)
		c.client(connectCommand(21))
		c.FIN(wiremake.Server)
		s.finds(wrongProtocol)
	})
	t.Run("PROXY header that is not taken", func(t *testing.T) {
		s := newScene(t)
		c := s.tcp(4000)
		c.Send(wiremake.Client, []byte("PROXY TCP4 10.0.0.7 10.0.0.2 5000 6650\r\n"), wiremake.Frame(connectCommand(21)))
		c.FIN(wiremake.Server)
		s.finds(wrongProtocol, "error PROXY header (version 1)")
	})
	t.Run("one direction", func(t *testing.T) {
		s := newScene(t)
		c := s.tape.Midway(4000)
		c.SYN(wiremake.Client, 1000)
		c.Send(wiremake.Client, hello)
		c.FIN(wiremake.Client)
		s.finds(wrongProtocol)
	})
}
