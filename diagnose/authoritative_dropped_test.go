package diagnose

import (
	"testing"
)

func TestAuthoritativeDropped(t *testing.T) {
	for _, x := range []struct {
		name          string
		passOn, asked bool
		want          []string
	}{
		{"dropped", true, false, []string{"warning 10.0.0.1:4001-10.0.0.3:6650 " + topic + " | 10.0.0.2:6650 redirected the lookup | lab-client 1.0"}},
		{"passed on", true, true, nil},
		{"not set", false, false, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			a, b := s.at(brokerA, 4000), s.at(brokerB, 4001)
			a.ask(false, brokerB, x.passOn)
			b.ask(x.asked, "", false)
			s.finds(authoritativeDropped, x.want...)
		})
	}
	t.Run("redirected to a name", func(t *testing.T) {
		s := newScene(t)
		a, b := s.at(brokerA, 4000), s.at(brokerB, 4001)
		a.ask(false, "broker-b.lab:6650", true)
		b.ask(false, "", false)
		s.finds(authoritativeDropped, "warning to broker-b.lab:6650")
	})
}
