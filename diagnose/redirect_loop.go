package diagnose

import (
	"fmt"
	"strings"

	"pulsar-dissect/session"
)

var redirectLoop = &Rule{
	Name:     "redirect-loop",
	Severity: Error,
	Title:    "Lookup is sent from broker to broker and back",
	Meaning: "A broker redirects the lookup of a topic to another one, and that one, directly or by others, back. Brokers disagree on who owns the " +
		"bundle, or on how they are called. Clients give up after 20 redirects.",
	Advice: "See that advertisedAddress and listeners of all brokers are right and that each broker sees the same leader and metadata; restart the broker " +
		"that redirects wrongly, or unload the bundle. If the flag authoritative is dropped as well, fix the client first.",
	Blind:  "Redirects to hosts by name whose address the capture does not show.",
	Frames: redirectFrames,
	Start: func(r *Reporter) Watch {
		w := newRedirects()
		w.answer = func(c *chain, e *session.Event) { loops(r, c) }
		return w.see
	},
}

// loops looks whether the redirect just met comes from a broker that redirected
// the same lookup before, or is one too many.
func loops(r *Reporter, c *chain) {
	now := c.last()
	for i := range c.hops[:len(c.hops)-1] {
		if c.hops[i].server == now.server {
			c.report(r, "Lookup comes back to a broker", c.hops[i:])
			return
		}
	}
	if len(c.hops) == longestRedirect {
		c.report(r, "Lookup is redirected without end", c.hops)
	}
}

func (c *chain) report(r *Reporter, title string, loop []hop) {
	way := []string{}
	evidence := []Evidence{}
	for _, h := range loop {
		way = append(way, h.server)
		evidence = append(evidence, h.answer)
	}
	r.Report(Finding{Severity: Error, Title: title, Subject: Subject{Conn: c.client, ConnID: -1, Topic: c.topic}, Evidence: evidence,
		Detail: fmt.Sprintf("The lookup of %s by %s was redirected %d times: %s, then to %s.", c.topic, c.client, len(c.hops), strings.Join(way, ", "), c.target)})
}
