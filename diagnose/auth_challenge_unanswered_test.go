package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
)

func TestAuthChallengeUnanswered(t *testing.T) {
	t.Run("closed by the broker", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.broker(challengeCommand())
		s.wait(2 * time.Second)
		c.FIN(wiremake.Server)
		s.finds(authChallengeUnanswered, "error 10.0.0.1:4000-10.0.0.2:6650 "+topic+" p: | no answer came, and the broker closed the connection (FIN) 2.0 s later")
	})
	t.Run("answered after that", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.broker(challengeCommand())
		s.wait(2 * time.Second)
		c.FIN(wiremake.Server)
		s.wait(time.Second)
		c.client(authResponse())
		s.finds(authChallengeUnanswered, "error came too late | The client answered after 3.0 s")
	})
	t.Run("answered", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.broker(challengeCommand())
		c.client(authResponse())
		c.FIN(wiremake.Server)
		s.finds(authChallengeUnanswered)
	})
	t.Run("closed by the client", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.broker(challengeCommand())
		c.FIN(wiremake.Client)
		s.finds(authChallengeUnanswered)
	})
	t.Run("open to the end", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000).broker(challengeCommand())
		s.wait(10 * time.Second)
		s.conn(4001)
		s.finds(authChallengeUnanswered, "warning no answer for 10.0 s when the capture ended")
	})
	t.Run("at the end", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000).broker(challengeCommand())
		s.finds(authChallengeUnanswered)
	})
}
