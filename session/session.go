package session

import (
	"iter"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/endtoend"
	"pulsar-dissect/decode/schema"
	"pulsar-dissect/proto/pb"
)

const cumulativeAck = pb.CommandAck_Cumulative

// Options says what a session has to find out.
type Options struct {
	Limits     Limits
	NoMessages bool                      // entries need not be taken apart
	OnlyValues bool                      // but those whose messages a schema reads
	NoSum      bool                      // payloads need no SHA-256
	Keys       *endtoend.Keys            // private keys for encrypted payloads; nil: none
	Schemas    map[string]*schema.Schema // by topic, in place of what the wire says
}

// Session is the state over all connections. It is used for one run.
type Session struct {
	limits   Limits
	counters Counters
	options  Options
	unpacker decode.Unpacker
	chunks   chunkTable
	schemas  schemaTable
	stored   storedTable
	proxies  proxyTable
	txns     txnTable

	inferences inferences

	event    Event
	permits  Permits
	exchange Exchange
	text     Message
	yield    func(*Event, error) bool
	stopped  bool // the reader has gone

	done       []doneID // acknowledged ids that are remembered: a ring, once it is full
	oldestDone int
	set        ackSet // of the MESSAGE at hand
	words      []uint64
	covers     []Cover
	closing    []MessageID
}

type doneID struct {
	consumer *Consumer
	id       entryKey
}

// New makes a session.
func New(o Options) *Session {
	s := &Session{limits: o.Limits.withDefaults(), options: o}
	s.unpacker.NoSum, s.unpacker.Keys, s.unpacker.MaxBatch = o.NoSum, o.Keys, s.limits.BatchMessages
	s.chunks.limits = &s.limits
	s.chunks.counters = &s.counters
	s.schemas.limits, s.schemas.counters = &s.limits, &s.counters
	s.schemas.give(o.Schemas)
	s.stored.limit(s.limits.Stored)
	s.proxies.setLimit(s.limits.Legs)
	s.inferences.limit(s.limits.Inferences)
	s.txns.setLimits(&s.limits)
	return s
}

// Counters says how often limits were hit.
func (s *Session) Counters() Counters {
	s.counters.Batches = s.unpacker.TooLarge
	return s.counters
}

// Events reads the events of decode and gives those of the session.
func (s *Session) Events(events iter.Seq2[*decode.Event, error]) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		s.yield = yield
		for e, err := range events {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			s.take(e)
			if s.stopped {
				return
			}
		}
		s.finishChunks()
		s.finishTransactions()
	}
}

func (s *Session) take(e *decode.Event) {
	c := s.connOf(e.Conn)
	s.event = Event{}
	s.event.Conn, s.event.Direction, s.event.Offset, s.event.At, s.event.session = c, e.Direction, e.Offset, e.At, s
	switch e.Kind {
	case decode.FrameSeen:
		s.frame(c, e.Frame)
	case decode.BookieSeen:
		s.bookie(c, e.Bookie)
	case decode.ProxySeen:
		c.Proxy = e.Proxy
		s.prefaced(c, e.Proxy)
		s.event.Proxy = e.Proxy
		s.emit(ProxySeen)
	case decode.ConnectionEnd:
		s.end(c)
	default:
		s.event.Bytes, s.event.Cause, s.event.Acked, s.event.Reason = e.Bytes, e.Cause, e.Acked, e.Reason
		s.emit(passedOn[e.Kind])
	}
}

// passedOn are the events that the session only passes on.
var passedOn = map[decode.Kind]Kind{
	decode.GapSeen:      GapSeen,
	decode.BytesSkipped: BytesSkipped,
	decode.ConflictSeen: ConflictSeen,
}

// handlers are the commands that mean more to a session than a request or a
// response. Each emits the frame once the context is known.
var handlers = map[pb.BaseCommand_Type]func(*Session, *Conn, *decode.Frame){
	pb.BaseCommand_CONNECT:                       (*Session).connect,
	pb.BaseCommand_CONNECTED:                     (*Session).connected,
	pb.BaseCommand_AUTH_CHALLENGE:                (*Session).authChallenge,
	pb.BaseCommand_AUTH_RESPONSE:                 (*Session).authResponse,
	pb.BaseCommand_PING:                          (*Session).ping,
	pb.BaseCommand_PONG:                          (*Session).pong,
	pb.BaseCommand_PRODUCER:                      (*Session).openProducer,
	pb.BaseCommand_SUBSCRIBE:                     (*Session).subscribe,
	pb.BaseCommand_SEND:                          (*Session).send,
	pb.BaseCommand_SEND_RECEIPT:                  (*Session).sendReceipt,
	pb.BaseCommand_SEND_ERROR:                    (*Session).sendError,
	pb.BaseCommand_MESSAGE:                       (*Session).message,
	pb.BaseCommand_FLOW:                          (*Session).flow,
	pb.BaseCommand_ACK:                           (*Session).ack,
	pb.BaseCommand_GET_SCHEMA:                    (*Session).getSchema,
	pb.BaseCommand_GET_OR_CREATE_SCHEMA:          (*Session).getOrCreateSchema,
	pb.BaseCommand_PRODUCER_SUCCESS:              learnSchema(answerProducer),
	pb.BaseCommand_GET_SCHEMA_RESPONSE:           learnSchema(answerGet),
	pb.BaseCommand_GET_OR_CREATE_SCHEMA_RESPONSE: learnSchema(answerGetOrCreate),
	pb.BaseCommand_SUCCESS:                       learnSchema(answerSubscribe),
	pb.BaseCommand_ERROR:                         learnSchema(answerError),
	pb.BaseCommand_SCALABLE_TOPIC_LOOKUP:         (*Session).openWatch,
	pb.BaseCommand_WATCH_SCALABLE_TOPICS:         (*Session).openWatch,
	pb.BaseCommand_WATCH_TC_ASSIGNMENTS:          (*Session).openWatch,
	pb.BaseCommand_SCALABLE_TOPIC_UPDATE:         (*Session).updateWatch,
	pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE:  (*Session).updateWatch,
	pb.BaseCommand_WATCH_TC_ASSIGNMENTS_UPDATE:   (*Session).updateWatch,
}

// command is what is done with one command type.
type command struct {
	handle func(*Session, *Conn, *decode.Frame)
	answer *answer
	txn    func(*Session, *decode.Frame, *Transaction, *txnAsk) // nil: it begins nothing in transactions
}

// commands has handlers and answers by type number.
var commands = makeCommands()

func makeCommands() []command {
	var out []command
	for number, a := range answers {
		out = slices.Grow(out, int(number))
		for len(out) <= int(number) {
			out = append(out, command{})
		}
		out[number] = command{handlers[pb.BaseCommand_Type(number)], a, txnSteps[pb.BaseCommand_Type(number)]}
	}
	return out
}

func (s *Session) frame(c *Conn, f *decode.Frame) {
	if f.Command == nil {
		s.emitFrame(f)
		return
	}
	if c.relay != nil || c.suspicion != nil {
		s.relayed(c, f)
	}
	cmd := &commands[f.Type]
	if cmd.handle != nil {
		cmd.handle(s, c, f)
	} else {
		s.about(c, f, cmd.answer)
		s.emitFrame(f)
	}
	c.matchedAnError = false
	s.dismiss(f, cmd.answer)
	s.request(c, f, cmd.answer)
	s.response(c, f, cmd.answer)
	if f.Is(int32(pb.BaseCommand_ERROR)) {
		s.refused(c, f)
	}
	if cmd.txn != nil {
		s.inTransaction(c, f, cmd)
	}
}

// about finds the producer or consumer that a command names.
func (s *Session) about(c *Conn, f *decode.Frame, a *answer) {
	if a.producerID != 0 {
		id, _ := f.Uint(a.producerID)
		s.event.Producer = c.Producers[id]
	}
	if a.consumerID != 0 {
		id, _ := f.Uint(a.consumerID)
		s.event.Consumer = c.Consumers[id]
	}
}

func (s *Session) emitFrame(f *decode.Frame) {
	s.event.Frame = f
	if c := s.event.Conn; c.TCP.Closing.Order == 0 || f.Last.Order < c.TCP.Closing.Order {
		c.Heard[f.Direction] = f.Last
	}
	s.emit(FrameSeen)
}

// emitAbout gives an event about the frame at hand.
func (s *Session) emitAbout(k Kind, f *decode.Frame) {
	s.event.Frame = f
	s.emit(k)
}

// newExchange gives an empty exchange, valid until the next one is made. There is
// one for each small frame, and it is 300 bytes: it is filled where it stays.
func (s *Session) newExchange(k ExchangeKind) *Exchange {
	s.exchange = Exchange{}
	s.exchange.Kind = k
	return &s.exchange
}

// emitExchange gives an exchange, made by newExchange. Its place is that of the
// response, or of the request where there is none.
func (s *Session) emitExchange(x *Exchange) {
	s.twinOf(s.event.Conn, x)
	at := &x.Response
	if !x.HasResponse {
		at = &x.Request
	}
	direction, offset, where := s.event.Direction, s.event.Offset, s.event.At
	s.event.Exchange = x
	s.event.Direction, s.event.Offset = at.Direction, at.Offset
	s.event.At.Packet, s.event.At.Time, s.event.At.TimeUnknown = at.Packet, at.Time, at.TimeUnknown
	s.emit(ExchangeSeen)
	s.event.Direction, s.event.Offset, s.event.At = direction, offset, where
	s.txnAnswered(s.event.Conn, &s.exchange)
}

// give gives an exchange that was made elsewhere.
func (s *Session) give(x Exchange) {
	s.exchange = x
	s.emitExchange(&s.exchange)
}

func (s *Session) emit(k Kind) {
	s.event.Kind = k
	if !s.stopped && !s.yield(&s.event, nil) {
		s.stopped = true
	}
}
