package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
)

var authoritativeDropped = &Rule{
	Name:     "authoritative-dropped",
	Severity: Warning,
	Title:    "LOOKUP after a redirect lacks the flag authoritative",
	Meaning: "A redirect with authoritative=true says that the leader has decided who is to own the bundle; the LOOKUP that follows has to pass the " +
		"flag on, or the next broker asks the leader again and may redirect in a circle.",
	Advice: "Fix or update the client: pass authoritative of the LOOKUP_RESPONSE on in the next LOOKUP.",
	Blind:  "Follow-ups at hosts by name that are another client's first lookups.",
	Lint:   true,
	Frames: redirectFrames,
	Start: func(r *Reporter) Watch {
		w := newRedirects()
		w.follow = func(c *chain, e *session.Event) {
			from, now := &c.hops[len(c.hops)-2], c.last()
			if c.passOn && !now.authoritative {
				r.Warn(Subject{Conn: e.Conn.Name, ConnID: e.Conn.ID, Topic: c.topic}, fmt.Sprintf("%s redirected the lookup of %s to %s with authoritative=true; %s (%s) asked there without it.",
					from.server, c.topic, c.target, c.client, clientVersion(e.Conn)), from.answer, now.asked)
			}
		}
		return w.see
	},
}
