package session

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

func (s *Session) connect(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	c.ClientVersion = string(f.Text(field.CommandConnectClientVersion))
	c.ClientProtocol = int32(first(f.Uint(field.CommandConnectProtocolVersion)))
	c.AuthMethod = string(f.Text(field.CommandConnectAuthMethodName))
	c.ProxyToBroker = string(f.Text(field.CommandConnectProxyToBrokerUrl))
	c.replDedup[0] = replDedup(f, field.CommandConnectFeatureFlags)
	c.connectTime = f.Last.Time
	s.connectOfProxy(c, f)
	if c.connect != nil {
		s.give(Exchange{Kind: Connect, Result: Unanswered, HasRequest: true, Request: *c.connect, Why: "another_connect"})
	}
	r := refOf(f)
	c.connect = &r
}

// replDedup reads supports_repl_dedup_by_lid_and_eid.
func replDedup(f *decode.Frame, flags int32) int8 {
	if node, ok := f.Base.Sub(f.Sub, flags); ok {
		if v, _ := f.Base.Bool(node, field.FeatureFlagsSupportsReplDedupByLidAndEid); v {
			return 1
		}
	}
	return -1
}

func (s *Session) connected(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	c.ServerVersion = string(f.Text(field.CommandConnectedServerVersion))
	c.ServerProtocol = int32(first(f.Uint(field.CommandConnectedProtocolVersion)))
	c.replDedup[1] = replDedup(f, field.CommandConnectedFeatureFlags)
	x := Exchange{Kind: Connect, HasResponse: true, Response: refOf(f)}
	x.ask(&c.connect)
	c.challenge = nil
	s.give(x)
}

// ask takes an open question as the request, if there is one.
func (x *Exchange) ask(open **Ref) {
	if *open == nil {
		x.Result = OrphanResponse
		return
	}
	x.HasRequest, x.Request = true, **open
	*open = nil
}

func (s *Session) authChallenge(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	r := refOf(f)
	c.challenge = &r
}

func (s *Session) authResponse(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	r := refOf(f)
	x := Exchange{Kind: Auth, HasResponse: true, Response: r}
	x.ask(&c.challenge)
	c.refreshed = &r
	s.give(x)
}

func (s *Session) ping(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	q := &c.pings[f.Direction]
	if len(*q) >= s.limits.Pings {
		s.counters.Requests++
		s.give(Exchange{Kind: Ping, Result: Unanswered, HasRequest: true, Request: (*q)[0], Why: "limit"})
		*q = append((*q)[:0], (*q)[1:]...)
	}
	*q = append(*q, refOf(f))
}

func (s *Session) pong(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	x := Exchange{Kind: Ping, HasResponse: true, Response: refOf(f)}
	q := &c.pings[1-f.Direction]
	if len(*q) == 0 {
		x.Result = OrphanResponse
	} else {
		x.HasRequest, x.Request = true, (*q)[0]
		*q = append((*q)[:0], (*q)[1:]...)
	}
	s.give(x)
}

// refused takes an ERROR that answers no request: it answers an open CONNECT.
func (s *Session) refused(c *Conn, f *decode.Frame) {
	if c.connect == nil || c.matchedAnError {
		return
	}
	x := Exchange{Kind: Connect, HasResponse: true, Response: refOf(f)}
	x.outcome(f, answers[f.Type])
	x.ask(&c.connect)
	s.give(x)
}

func (s *Session) openProducer(c *Conn, f *decode.Frame) {
	p := s.producer(c, first(f.Uint(field.CommandProducerProducerId)))
	c.openings++
	p.opening, p.Known = c.openings, true
	p.Topic, p.Inferred, p.ledger = string(f.Text(field.CommandProducerTopic)), false, 0
	name, named := f.Base.Text(f.Sub, field.CommandProducerProducerName)
	p.Name, p.Named = string(name), named
	p.request, _ = f.Uint(field.CommandProducerRequestId)
	p.sends.reopen()
	s.schemaOfProducer(c, p, f)
	s.event.Producer = p
	s.emitFrame(f)
}

// watchOf says which watch an update belongs to: the request, and the field
// with its id on both sides.
var watchOf = map[int32]struct {
	request, id, code int32
}{
	int32(pb.BaseCommand_SCALABLE_TOPIC_UPDATE):        {int32(pb.BaseCommand_SCALABLE_TOPIC_LOOKUP), field.CommandScalableTopicUpdateSessionId, field.CommandScalableTopicUpdateError},
	int32(pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE): {int32(pb.BaseCommand_WATCH_SCALABLE_TOPICS), field.CommandWatchScalableTopicsUpdateWatchId, field.CommandWatchScalableTopicsUpdateError},
	int32(pb.BaseCommand_WATCH_TC_ASSIGNMENTS_UPDATE):  {int32(pb.BaseCommand_WATCH_TC_ASSIGNMENTS), field.CommandWatchTcAssignmentsUpdateWatchId, field.CommandWatchTcAssignmentsUpdateError},
}

// watchID is the field with the id of what opens a watch.
var watchID = map[int32]int32{
	int32(pb.BaseCommand_SCALABLE_TOPIC_LOOKUP): field.CommandScalableTopicLookupSessionId,
	int32(pb.BaseCommand_WATCH_SCALABLE_TOPICS): field.CommandWatchScalableTopicsWatchId,
	int32(pb.BaseCommand_WATCH_TC_ASSIGNMENTS):  field.CommandWatchTcAssignmentsWatchId,
}

// openWatch notes a command that opens a watch. Its first update answers it.
func (s *Session) openWatch(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	id, _ := f.Uint(watchID[f.Type])
	if c.watches == nil {
		c.watches = map[watchKey]Ref{}
	}
	if len(c.watches) >= s.limits.RequestsPerConnection {
		s.counters.Requests++
		return
	}
	c.watches[watchKey{f.Type, id}] = refOf(f)
}

func (s *Session) updateWatch(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	w := watchOf[f.Type]
	id, _ := f.Uint(w.id)
	key := watchKey{w.request, id}
	asked, ok := c.watches[key]
	if !ok {
		return
	}
	delete(c.watches, key)
	x := Exchange{Kind: Watch, WatchID: id, HasRequest: true, Request: asked, HasResponse: true, Response: refOf(f)}
	if f.Base.Find(f.Sub, w.code) != -1 {
		x.Result, x.Error = Failed, errorName(f, w.code)
	}
	s.give(x)
}

func first[T any](v T, _ bool) T { return v }
