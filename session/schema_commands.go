package session

import (
	"bytes"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// schemaQuestion waits for the answer that names the version of a schema.
type schemaQuestion struct {
	topic    string
	schema   *Schema   // registered, or nil: asked for
	producer *Producer // of PRODUCER
	consumer *Consumer // of SUBSCRIBE
}

func (s *Session) askSchema(c *Conn, id uint64, q schemaQuestion) {
	if c.schemaQuestions == nil || len(c.schemaQuestions) >= s.limits.RequestsPerConnection {
		c.schemaQuestions = map[uint64]schemaQuestion{}
	}
	c.schemaQuestions[id] = q
}

// schemaOfProducer takes the schema of a PRODUCER.
func (s *Session) schemaOfProducer(c *Conn, p *Producer, f *decode.Frame) {
	p.schemaTopic, p.schemaVersion = schemaTopic(p.Topic), nil
	if p.schema = s.schemas.read(f, field.CommandProducerSchema); p.schema != nil {
		s.askSchema(c, p.request, schemaQuestion{topic: p.schemaTopic, schema: p.schema, producer: p})
	}
}

// schemaOfConsumer takes the schema of a SUBSCRIBE. Brokers may tell the
// topic's own in the answer.
func (s *Session) schemaOfConsumer(c *Conn, x *Consumer, f *decode.Frame) {
	x.schemaTopic = schemaTopic(x.Topic)
	x.schema = s.schemas.read(f, field.CommandSubscribeSchema)
	if id, ok := f.Uint(field.CommandSubscribeRequestId); ok && x.schema == nil {
		s.askSchema(c, id, schemaQuestion{consumer: x})
	}
}

func (s *Session) getSchema(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	id, _ := f.Uint(field.CommandGetSchemaRequestId)
	s.askSchema(c, id, schemaQuestion{topic: schemaTopic(string(f.Text(field.CommandGetSchemaTopic)))})
}

func (s *Session) getOrCreateSchema(c *Conn, f *decode.Frame) {
	s.emitFrame(f)
	id, _ := f.Uint(field.CommandGetOrCreateSchemaRequestId)
	s.askSchema(c, id, schemaQuestion{
		topic:  schemaTopic(string(f.Text(field.CommandGetOrCreateSchemaTopic))),
		schema: s.schemas.read(f, field.CommandGetOrCreateSchemaSchema),
	})
}

// schemaAnswer are the fields of a command that answers; 0 where it has none.
type schemaAnswer struct{ request, schema, version int32 }

var (
	answerProducer    = schemaAnswer{field.CommandProducerSuccessRequestId, 0, field.CommandProducerSuccessSchemaVersion}
	answerGet         = schemaAnswer{field.CommandGetSchemaResponseRequestId, field.CommandGetSchemaResponseSchema, field.CommandGetSchemaResponseSchemaVersion}
	answerGetOrCreate = schemaAnswer{field.CommandGetOrCreateSchemaResponseRequestId, 0, field.CommandGetOrCreateSchemaResponseSchemaVersion}
	answerSubscribe   = schemaAnswer{field.CommandSuccessRequestId, field.CommandSuccessSchema, 0}
	answerError       = schemaAnswer{field.CommandErrorRequestId, 0, 0}
)

// learnSchema makes the handler of a command that may answer a question for a
// schema.
func learnSchema(a schemaAnswer) func(*Session, *Conn, *decode.Frame) {
	return func(s *Session, c *Conn, f *decode.Frame) {
		s.about(c, f, answers[f.Type])
		s.emitFrame(f)
		id, _ := f.Uint(a.request)
		q, ok := c.schemaQuestions[id]
		if !ok {
			return
		}
		delete(c.schemaQuestions, id)
		s.schemaLearned(c, f, &q, a)
	}
}

func (s *Session) schemaLearned(c *Conn, f *decode.Frame, q *schemaQuestion, a schemaAnswer) {
	if a.schema != 0 {
		q.schema = s.schemas.read(f, a.schema)
	}
	if q.consumer != nil {
		q.consumer.schema = q.schema
	}
	if a.version == 0 {
		return
	}
	version := f.Text(a.version)
	s.schemas.name(c.broker(), q.topic, version, q.schema)
	if p := q.producer; p != nil && p.schema == q.schema {
		p.schemaVersion = append(p.schemaVersion[:0], version...)
	}
}

// broker is the address of the server side.
func (c *Conn) broker() string {
	_, server, _ := strings.Cut(c.Name, "-")
	return server
}

// declared is what the client at hand said of its messages.
type declared struct {
	topic   string
	schema  *Schema
	version []byte // of the schema, where it is known
	writer  bool   // a producer said it
}

func (s *Session) declared() (d declared) {
	switch p, x := s.event.Producer, s.event.Consumer; {
	case p != nil:
		d = declared{p.schemaTopic, p.schema, p.schemaVersion, true}
	case x != nil:
		d = declared{x.schemaTopic, x.schema, nil, false}
	}
	if d.schema != nil && d.schema.dropped {
		d.schema = nil
	}
	return d
}

// reads says whether the schema can be taken for a version that is not known
// otherwise. What a consumer declares may be another version, which will not do
// where payloads can only be read by the writer's own.
func (d *declared) reads(version []byte) bool {
	switch {
	case d.schema == nil:
		return false
	case d.writer:
		return len(d.version) == 0 || bytes.Equal(d.version, version)
	}
	compiled, err := d.schema.Compiled()
	return err == nil && !compiled.NeedsWriter()
}

// schemaOf finds the schema of the messages in a payload frame: the one that
// the user gave for the topic; else the very version that they name; else, and
// where they name none, what their producer or consumer declared.
func (s *Session) schemaOf(c *Conn, f *decode.Frame) *Schema {
	if !f.HasMetadata || !s.schemas.values() {
		return nil
	}
	d := s.declared()
	if given := s.schemas.given[d.topic]; given != nil {
		return given
	}
	version, _ := f.Metadata.Text(wire.Top, field.MessageMetadataSchemaVersion)
	if len(version) == 0 {
		return d.schema
	}
	if known := s.schemas.version(c.broker(), d.topic, version); known != nil {
		return known
	}
	if d.reads(version) {
		return d.schema
	}
	return nil
}

// values says whether messages can have values at all.
func (t *schemaTable) values() bool { return len(t.bySum) > 0 || len(t.given) > 0 }
