package trace

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Limits bounds what is kept. Zero fields take the defaults.
type Limits struct {
	Steps int // of all stories together
	Sends int // SENDs that may yet prove to be wanted
}

// The default limits.
const (
	DefaultSteps = 100_000
	DefaultSends = 100_000
)

// Step is one thing that happened to a message.
type Step struct {
	Story   int    // number of the story, from 0
	What    string // one of Whats
	Conn    string
	ConnID  int
	Packet  uint64
	Time    int64 // ns since the Unix epoch
	Topic   string
	Who     string // producer, or subscription and consumer
	ID      Entry
	HasID   bool
	Again   uint32 // redelivery count
	Latency int64  // ns since what it answers; 0 where it answers nothing
	Detail  string
}

// Whats lists what steps can be. retry, dead_letter and replicated are SENDs of
// what was made from the message; redelivery_asked is a
// REDELIVER_UNACKNOWLEDGED_MESSAGES; redelivered and unacked end a delivery, when
// the message is delivered again or its consumer goes.
var Whats = []string{"send", "replicated", "retry", "dead_letter", "receipt", "error", "unanswered", "bookie", "delivered", "acked", "redelivery_asked",
	"redelivered", "unacked"}

// Trace follows messages. It is not safe for concurrent use.
type Trace struct {
	LetGo uint64 // steps and SENDs that were too many

	want    Want
	limits  Limits
	stories int
	steps   []Step
	ids     map[Entry]int   // story of an entry
	sends   map[sendKey]int // story of what was sent
	waiting map[sendKey][]Step
	order   []sendKey                           // of waiting, oldest first
	open    map[*session.Consumer]map[Entry]int // story of what consumers have not acknowledged
	frame   place                               // of the last step: a batch has one for all its messages
}

// sendKey tells SENDs apart, over connections: a producer sends again under the
// same sequence id.
type sendKey struct {
	topic, producer string
	sequence        uint64
}

type place struct {
	conn   int
	packet uint64
	offset int64
	story  int
}

// New makes a trace.
func New(w Want, l Limits) *Trace {
	l.Steps, l.Sends = cmp.Or(l.Steps, DefaultSteps), cmp.Or(l.Sends, DefaultSends)
	return &Trace{want: w, limits: l, ids: map[Entry]int{}, sends: map[sendKey]int{}, waiting: map[sendKey][]Step{},
		open: map[*session.Consumer]map[Entry]int{}}
}

// Add looks at an event.
func (t *Trace) Add(e *session.Event) {
	switch {
	case e.Kind == session.MessageSeen && e.Frame.Is(int32(pb.BaseCommand_SEND)):
		t.sent(e)
	case e.Kind == session.MessageSeen:
		t.delivered(e)
	case e.Kind == session.ExchangeSeen:
		t.exchange(e)
	case e.Kind == session.FrameSeen && e.Frame.Is(int32(pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES)):
		t.askedAgain(e)
	case e.Kind == session.ConnectionEnd:
		for _, c := range e.Conn.Consumers {
			delete(t.open, c)
		}
	}
}

// Steps gives all stories, one after another, each in order of time.
func (t *Trace) Steps() []Step {
	slices.SortStableFunc(t.steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Story, b.Story), cmp.Compare(a.Time, b.Time), cmp.Compare(a.Packet, b.Packet), cmp.Compare(ranks[a.What], ranks[b.What]))
	})
	return t.steps
}

// ranks put the end of a delivery before the next one in the same packet.
var ranks = map[string]int{"redelivered": -1}

// step is the event at hand as a step.
func step(e *session.Event, what string) Step {
	s := Step{What: what, Conn: e.Conn.Name, ConnID: e.Conn.ID, Packet: e.At.Packet, Time: e.At.Time, Topic: e.Topic()}
	switch {
	case e.Producer != nil:
		s.Who = cmp.Or(e.Producer.Name, "producer "+strconv.FormatUint(e.Producer.ID, 10))
	case e.Consumer != nil:
		s.Who = e.Consumer.Subscription + "/" + cmp.Or(e.Consumer.Name, "consumer "+strconv.FormatUint(e.Consumer.ID, 10))
	}
	return s
}

func (t *Trace) add(s Step, story int) {
	if len(t.steps) >= t.limits.Steps {
		t.LetGo++
		return
	}
	s.Story = story
	t.steps = append(t.steps, s)
}

// story is that of a message, by what it is made from or by its content; -1 if
// it is not wanted.
func (t *Trace) story(m *session.Message) int {
	origin, err := ParseEntry(propertyOf(m, "ORIGIN_MESSAGE_ID"))
	if err == nil {
		if n, ok := t.ids[origin]; ok {
			return n
		}
	}
	if err == nil && t.want.ID != nil && origin == *t.want.ID || t.want.fits(m) {
		return t.begin()
	}
	return -1
}

func (t *Trace) begin() int {
	t.stories++
	return t.stories - 1
}

// know ties an entry to a story.
func (t *Trace) know(id Entry, story int) {
	if _, ok := t.ids[id]; !ok && len(t.ids) < t.limits.Steps {
		t.ids[id] = story
	}
}

// sent takes a SEND: of a message that is wanted, or that its receipt may show
// to be.
func (t *Trace) sent(e *session.Event) {
	m := e.Message
	if m.Message == nil || m.Metadata == nil || e.Producer == nil {
		return
	}
	k := keyOfSend(e)
	here := place{e.Conn.ID, e.At.Packet, e.Offset, 0}
	story, known := t.sends[k]
	if !known {
		story = t.story(m)
	}
	s := step(e, kindOfSend(m, e.Topic()))
	if story < 0 {
		t.wait(k, s)
		return
	}
	if !known && len(t.sends) >= t.limits.Sends {
		t.LetGo++
		return
	}
	t.sends[k] = story
	if t.frame != here {
		t.add(s, story)
	}
	t.frame = here
}

func keyOfSend(e *session.Event) sendKey {
	n, _ := e.Frame.Uint(field.CommandSendSequenceId)
	return sendKey{e.Producer.Topic, producerOf(e.Message), n}
}

// kindOfSend tells what clients and brokers publish anew from what applications
// publish.
func kindOfSend(m *session.Message, topic string) string {
	switch {
	case m.Metadata.Find(wire.Top, field.MessageMetadataReplicatedFrom) >= 0:
		return "replicated"
	case propertyOf(m, "REAL_TOPIC") == "":
		return "send"
	case strings.HasSuffix(topic, "-DLQ"):
		return "dead_letter"
	}
	return "retry"
}

// wait remembers a SEND until its receipt, where an id is wanted.
func (t *Trace) wait(k sendKey, s Step) {
	if t.want.ID == nil {
		return
	}
	list := t.waiting[k]
	if len(list) > 0 && list[len(list)-1].Packet == s.Packet {
		return
	}
	if len(list) == 0 {
		t.order = append(t.order, k)
	}
	t.waiting[k] = append(list, s)
	if len(t.order) > t.limits.Sends {
		delete(t.waiting, t.order[0])
		t.order = t.order[1:]
		t.LetGo++
	}
}

// exchange takes receipts, acknowledgements and what bookies say.
func (t *Trace) exchange(e *session.Event) {
	switch x := e.Exchange; x.Kind {
	case session.Send:
		t.answered(e, x)
	case session.Ack:
		t.acknowledged(e, x)
	case session.Bookie:
		t.bookie(e, x)
	}
}

var answers = map[session.Result]string{session.OK: "receipt", session.Failed: "error", session.Unanswered: "unanswered"}

func (t *Trace) answered(e *session.Event, x *session.Exchange) {
	what := answers[x.Result]
	if what == "" || e.Producer == nil {
		return
	}
	k := sendKey{e.Producer.Topic, e.Producer.Name, x.SequenceID}
	story, ok := t.sends[k]
	id := Entry{x.ID.Ledger, x.ID.Entry}
	if !ok && x.HasID && !nonPersistent(e.Producer.Topic) {
		story, ok = t.revealed(k, id)
	}
	if !ok {
		return
	}
	stored := x.HasID && !nonPersistent(e.Producer.Topic)
	s := step(e, what)
	s.ID, s.HasID = id, stored
	s.Latency, _ = x.Latency()
	if s.Detail = cmp.Or(x.Error, x.Why); !x.HasResponse {
		s.Packet, s.Time = ending(e)
	}
	if n := len(x.Stored); n > 0 {
		s.Detail = "stored by " + strconv.Itoa(n) + " before"
	}
	t.add(s, story)
	if stored {
		t.know(id, story)
	}
}

// revealed says whether a receipt shows that what was sent is wanted, and takes
// the SENDs that wait for it.
func (t *Trace) revealed(k sendKey, id Entry) (story int, ok bool) {
	if story, ok = t.ids[id]; !ok {
		if t.want.ID == nil || *t.want.ID != id {
			return 0, false
		}
		story = t.begin()
	}
	t.sends[k] = story
	for _, s := range t.waiting[k] {
		t.add(s, story)
	}
	delete(t.waiting, k)
	return story, true
}

// bookie takes what a bookie answered about an entry that is wanted.
func (t *Trace) bookie(e *session.Event, x *session.Exchange) {
	id := Entry{uint64(x.Ask.Ledger), uint64(x.Ask.Entry)}
	if !x.Ask.HasEntry || !x.HasRequest {
		return
	}
	story, ok := t.ids[id]
	if !ok {
		if t.want.ID == nil || *t.want.ID != id {
			return
		}
		story = t.begin()
		t.know(id, story)
	}
	s := step(e, "bookie")
	s.ID, s.HasID, s.Detail = id, true, session.TypeName(&x.Request)+" "+x.Result.String()
	s.Latency, _ = x.Latency()
	t.add(s, story)
}
