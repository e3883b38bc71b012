package diagnose

import (
	"net/netip"
	"net/url"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Limits of what is known of redirected lookups.
const (
	redirectsOpen   = 10_000 // redirects that wait for the lookup that follows them
	longestRedirect = 20     // redirects of one lookup; clients give up there (maxLookupRedirects)
)

// hop is one lookup on the way from broker to broker.
type hop struct {
	server        string // that was asked
	asked, answer Evidence
	authoritative bool // flag of the LOOKUP
}

// chain is a lookup with the redirects that it has met.
type chain struct {
	client, topic string
	hops          []hop
	target        string // address and port of the last redirect, or its host name
	passOn        bool   // authoritative flag of the last redirect
}

// last is the latest hop.
func (c *chain) last() *hop { return &c.hops[len(c.hops)-1] }

// redirects ties LOOKUPs to the redirects that they follow.
type redirects struct {
	open   map[lookupKey]*chain // LOOKUPs without an answer
	waits  []*chain             // redirected, the next LOOKUP is awaited
	answer func(*chain, *session.Event)
	follow func(*chain, *session.Event) // a LOOKUP that follows a redirect: the chain has its hop already
}

type lookupKey struct {
	conn    int
	request uint64
}

func newRedirects() *redirects { return &redirects{open: map[lookupKey]*chain{}} }

var redirectFrames = []pb.BaseCommand_Type{pb.BaseCommand_LOOKUP, pb.BaseCommand_LOOKUP_RESPONSE}

func (r *redirects) see(e *session.Event) {
	switch {
	case e.Kind != session.FrameSeen:
	case e.Frame.Is(int32(pb.BaseCommand_LOOKUP)):
		r.asked(e)
	default:
		r.answered(e)
	}
}

func (r *redirects) asked(e *session.Event) {
	f := e.Frame
	request, _ := f.Uint(field.CommandLookupTopicRequestId)
	authoritative, _ := f.Uint(field.CommandLookupTopicAuthoritative)
	h := hop{server: server(e.Conn), asked: here(e), authoritative: authoritative != 0}
	topic, client := string(f.Text(field.CommandLookupTopicTopic)), clientHost(e.Conn)
	c := r.continued(client, topic, h.server)
	if c == nil {
		c = &chain{client: client, topic: topic, hops: []hop{h}}
	} else {
		c.hops = append(c.hops, h)
		if r.follow != nil {
			r.follow(c, e)
		}
	}
	if len(r.open) < redirectsOpen {
		r.open[lookupKey{e.Conn.ID, request}] = c
	}
}

// continued takes the oldest chain that waits for this lookup: of the same
// client and topic, redirected to this server, or to a host by name, which
// may be this server.
func (r *redirects) continued(client, topic, server string) *chain {
	for i, c := range r.waits {
		_, err := netip.ParseAddrPort(c.target)
		if c.client == client && c.topic == topic && (c.target == server || err != nil && c.last().server != server) {
			r.waits = append(r.waits[:i], r.waits[i+1:]...)
			return c
		}
	}
	return nil
}

func (r *redirects) answered(e *session.Event) {
	f := e.Frame
	request, _ := f.Uint(field.CommandLookupTopicResponseRequestId)
	key := lookupKey{e.Conn.ID, request}
	c := r.open[key]
	delete(r.open, key)
	kind, _ := f.Uint(field.CommandLookupTopicResponseResponse)
	if c == nil || int32(kind) != int32(pb.CommandLookupTopicResponse_Redirect) {
		return
	}
	authoritative, _ := f.Uint(field.CommandLookupTopicResponseAuthoritative)
	c.target, c.passOn = target(f.Text(field.CommandLookupTopicResponseBrokerServiceUrl), f.Text(field.CommandLookupTopicResponseBrokerServiceUrlTls)), authoritative != 0
	c.last().answer = here(e)
	if r.answer != nil {
		r.answer(c, e)
	}
	if len(r.waits) == redirectsOpen {
		r.waits = r.waits[1:]
	}
	if len(c.hops) <= 2*longestRedirect {
		r.waits = append(r.waits, c)
	}
}

// target is host and port of the first service URL that there is.
func target(urls ...[]byte) string {
	for _, u := range urls {
		if parsed, err := url.Parse(string(u)); err == nil && parsed.Host != "" {
			return parsed.Host
		}
	}
	return ""
}
