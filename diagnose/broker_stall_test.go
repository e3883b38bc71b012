package diagnose

import (
	"testing"
	"time"
)

// TestBrokerStall: SENDs on connections wait for the same time and are answered
// together.
func TestBrokerStall(t *testing.T) {
	for _, c := range []struct {
		conns, sends int
		waits, apart time.Duration
		want         []string
	}{
		{2, 2, 600 * time.Millisecond, 0, []string{"info 10.0.0.2:6650 | 4 answers on 2 connections came together"}},
		{2, 2, 1100 * time.Millisecond, 0, []string{"warning 4 answers on 2 connections"}},
		{2, 2, 450 * time.Millisecond, 0, nil},
		{2, 1, 600 * time.Millisecond, 0, nil},                     // too few
		{1, 4, 600 * time.Millisecond, 0, nil},                     // one connection, once
		{2, 2, 600 * time.Millisecond, 60 * time.Millisecond, nil}, // not together
	} {
		s := newScene(t)
		talks := []*talk{}
		for n := range c.conns {
			k := s.conn(uint16(4000 + n))
			k.producer(1, "p")
			talks = append(talks, k)
		}
		for n := range c.sends {
			for _, k := range talks {
				k.publish(1, uint64(n), "p")
			}
		}
		s.wait(c.waits)
		for n := range c.sends {
			for i, k := range talks {
				k.receipt(1, uint64(n), uint64(10*i+n))
				s.wait(c.apart)
			}
		}
		s.finds(brokerStall, c.want...)
	}
}

// TestBrokerStallsAgain: on one connection from the second time on, and then a
// warning that tells of all.
func TestBrokerStallsAgain(t *testing.T) {
	for times, want := range map[uint64][]string{1: nil, 2: {"warning x2 | from 22:13:20.005 on for 604 ms | from 22:13:20.611 on for 604 ms"}, 3: {"warning x3"}} {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		for n := range times {
			for i := range uint64(3) {
				c.publish(1, 3*n+i, "p")
			}
			s.wait(600 * time.Millisecond)
			for i := range uint64(3) {
				c.receipt(1, 3*n+i, 3*n+i)
			}
		}
		s.finds(brokerStall, want...)
	}
}
