package session

import (
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// fromBroker is the request_id of what a broker sends unasked: -1.
const fromBroker = 1<<64 - 1

// answer says where a command carries ids and outcome: field numbers of the
// sub-command, 0 where it has no such field.
type answer struct {
	isResponse             bool
	requestID              int32
	producerID, consumerID int32
	txnMost, txnLeast      int32
	topic                  int32
	code, text             int32
	response, failed       int32 // the field with the kind of answer, and its value that means failure
	closing                bool  // a notice when it comes from a broker
}

var answers = makeAnswers()

func makeAnswers() map[int32]*answer {
	out := map[int32]*answer{}
	for i := range proto.Commands {
		c := &proto.Commands[i]
		out[c.Number] = describe(c)
	}
	for i := range proto.Commands {
		for _, r := range proto.Commands[i].Responses {
			out[r].isResponse = true
		}
	}
	out[int32(pb.BaseCommand_ERROR)].isResponse = true
	out[int32(pb.BaseCommand_CLOSE_PRODUCER)].closing = true
	out[int32(pb.BaseCommand_CLOSE_CONSUMER)].closing = true
	out[int32(pb.BaseCommand_LOOKUP_RESPONSE)].failed = int32(pb.CommandLookupTopicResponse_Failed)
	out[int32(pb.BaseCommand_PARTITIONED_METADATA_RESPONSE)].failed = int32(pb.CommandPartitionedTopicMetadataResponse_Failed)
	return out
}

// describe finds the fields of a command by their names.
func describe(c *proto.Command) *answer {
	a := &answer{requestID: c.RequestID, failed: -1}
	places := map[string]*int32{
		"producer_id": &a.producerID, "consumer_id": &a.consumerID, "error": &a.code, "error_code": &a.code,
		"txnid_most_bits": &a.txnMost, "txnid_least_bits": &a.txnLeast,
		"topic": &a.topic, "message": &a.text, "error_message": &a.text, "response": &a.response,
	}
	for _, f := range wire.BaseCommand.Field(c.Number).Message.Fields {
		if p := places[f.Name]; p != nil {
			*p = f.Number
		}
	}
	return a
}

// request notes a command that asks for an answer.
func (s *Session) request(c *Conn, f *decode.Frame, a *answer) {
	if a.closing && f.Direction == decode.ServerToClient || a.requestID == 0 || len(f.Command.Responses) == 0 {
		return
	}
	id, ok := f.Uint(a.requestID)
	if !ok {
		return
	}
	if c.requests.open >= s.limits.RequestsPerConnection {
		s.dropRequest(c)
	}
	r := request{Ref: refOf(f), producer: s.event.Producer, consumer: s.event.Consumer}
	if a.topic != 0 && r.producer == nil && r.consumer == nil {
		r.topic = string(f.Text(a.topic))
	}
	r.asked()
	c.requests.add(id, r)
}

// dropRequest lets the oldest open request go.
func (s *Session) dropRequest(c *Conn) {
	id := c.requests.oldest()
	r, _ := c.requests.first(id)
	c.requests.settle(id)
	s.counters.Requests++
	s.emitRequest(&r, Exchange{Kind: Request, Result: Unanswered, HasRequest: true, Request: r.Ref, RequestID: id, Why: "limit"})
}

// response finds the request that a command answers.
func (s *Session) response(c *Conn, f *decode.Frame, a *answer) {
	if !a.isResponse {
		return
	}
	id, ok := f.Uint(a.requestID)
	if !ok {
		return
	}
	x := Exchange{Kind: Request, RequestID: id, HasResponse: true, Response: refOf(f)}
	x.outcome(f, a)
	r, ok := c.requests.first(id)
	if !ok {
		s.unasked(c, f, &x)
		return
	}
	c.matchedAnError = true
	x.HasRequest, x.Request = true, r.Ref
	waits := f.Is(int32(pb.BaseCommand_PRODUCER_SUCCESS)) && isFalse(f, field.CommandProducerSuccessProducerReady)
	if waits && x.Result == OK {
		x.Result = Intermediate
	}
	if !waits {
		c.requests.settle(id)
	}
	if r.producer != nil && r.Type == int32(pb.BaseCommand_PRODUCER) && f.Is(int32(pb.BaseCommand_PRODUCER_SUCCESS)) {
		r.producer.named(id, f)
		s.confirmed(c, r.producer)
	}
	s.emitRequest(&r, x)
	r.answered(x.Result)
}

// emitRequest gives an exchange about what its request is about.
func (s *Session) emitRequest(r *request, x Exchange) {
	producer, consumer := s.event.Producer, s.event.Consumer
	s.event.Producer, s.event.Consumer, x.Topic = r.producer, r.consumer, r.topic
	s.give(x)
	s.event.Producer, s.event.Consumer = producer, consumer
}

// named takes the producer's name from the broker's answer.
func (p *Producer) named(request uint64, f *decode.Frame) {
	if p.request == request {
		p.Name, p.Named = string(f.Text(field.CommandProducerSuccessProducerName)), true
	}
}

func isFalse(f *decode.Frame, number int32) bool {
	v, ok := f.Uint(number)
	return ok && v == 0
}

// outcome reads whether the response tells of an error.
func (x *Exchange) outcome(f *decode.Frame, a *answer) {
	if a.code != 0 {
		if _, ok := f.Uint(a.code); ok {
			x.Result, x.Error = Failed, errorName(f, a.code)
			if a.text != 0 {
				x.Text = string(f.Text(a.text))
			}
		}
	}
	if f.Is(int32(pb.BaseCommand_ERROR)) {
		x.Result = Failed
	}
	if a.response != 0 && a.failed >= 0 {
		if v, ok := f.Uint(a.response); ok && int32(v) == a.failed {
			x.Result = Failed
		}
	}
}

// unasked handles a response without a request: an ERROR may answer CONNECT or
// a refresh of credentials.
func (s *Session) unasked(c *Conn, f *decode.Frame, x *Exchange) {
	isError := f.Is(int32(pb.BaseCommand_ERROR))
	switch {
	case isError && c.connect != nil:
	case isError && x.RequestID == fromBroker && c.refreshed != nil:
		s.give(Exchange{Kind: Auth, Result: Failed, HasRequest: true, Request: *c.refreshed, HasResponse: true,
			Response: x.Response, Error: x.Error, Text: x.Text})
		c.refreshed = nil
	default:
		x.Result = OrphanResponse
		s.give(*x)
	}
}

// errorName is the name of an error code, or its number.
func errorName(f *decode.Frame, number int32) string { return enumName(f, number) }

// enumName is the name of an enum value in the sub-command, its number where
// the schema has no name for it, or empty.
func enumName(f *decode.Frame, number int32) string {
	i := f.Base.Find(f.Sub, number)
	if i < 0 {
		return ""
	}
	for next := f.Base.NextOf(i); next >= 0; next = f.Base.NextOf(next) {
		i = next
	}
	n := &f.Base.Nodes[i]
	v := int32(n.Value)
	if n.Field.Enum != nil {
		if name := n.Field.Enum.Value(v); name != "" {
			return name
		}
	}
	return strconv.Itoa(int(v))
}

func (r *Ref) before(o *Ref) bool {
	if r.Packet != o.Packet {
		return r.Packet < o.Packet
	}
	return r.Offset < o.Offset
}
