package stats

import (
	"strconv"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// By says by what traffic is counted.
type By string

// The groupings.
const (
	ByTopic        By = "topic"
	BySubscription By = "subscription"
	ByProducer     By = "producer"
	ByConsumer     By = "consumer"
	ByConnection   By = "connection"
	ByClient       By = "client"
	ByCommand      By = "command"
)

// Groupings lists what can be counted by.
var Groupings = []By{ByTopic, BySubscription, ByProducer, ByConsumer, ByConnection, ByClient, ByCommand}

// Key names a row. Fields that the grouping does not use are empty.
type Key struct {
	Topic        string
	Subscription string
	Producer     string // "producer ID"; its name is learned later (Row.Name)
	Consumer     string // "consumer ID"
	Conn         string // client-server
	ConnID       int    // number of the connection in the run, -1 where rows are not of one connection
	Client       string // version that the client states
	Command      string
	Start        int64 // of the interval, ns since the Unix epoch; 0 without intervals
}

// size is how many bytes of names a key has.
func (k *Key) size() int {
	return len(k.Topic) + len(k.Subscription) + len(k.Producer) + len(k.Consumer) + len(k.Conn) + len(k.Client) + len(k.Command)
}

// keys has a row for each grouping: it makes the key of an event, and says
// whether the event belongs to a row at all.
var keys = map[By]func(*session.Event) (Key, bool){
	ByTopic:        topicKey,
	BySubscription: subscriptionKey,
	ByProducer:     producerKey,
	ByConsumer:     consumerKey,
	ByConnection:   func(e *session.Event) (Key, bool) { return Key{Conn: e.Conn.Name, ConnID: e.Conn.ID}, true },
	ByClient:       clientKey,
	ByCommand:      commandKey,
}

func topicKey(e *session.Event) (Key, bool) {
	topic := e.Topic()
	if topic == "" && e.Exchange != nil {
		topic = e.Exchange.Topic
	}
	return Key{Topic: topic, ConnID: -1}, e.Producer != nil || e.Consumer != nil || topic != ""
}

func subscriptionKey(e *session.Event) (Key, bool) {
	x := e.Consumer
	if x == nil {
		return Key{}, false
	}
	return Key{Topic: x.Topic, Subscription: x.Subscription, ConnID: -1}, true
}

func producerKey(e *session.Event) (Key, bool) {
	p := e.Producer
	if p == nil {
		return Key{}, false
	}
	return Key{Topic: p.Topic, Producer: "producer " + strconv.FormatUint(p.ID, 10), Conn: e.Conn.Name, ConnID: e.Conn.ID}, true
}

func consumerKey(e *session.Event) (Key, bool) {
	x := e.Consumer
	if x == nil {
		return Key{}, false
	}
	return Key{Topic: x.Topic, Subscription: x.Subscription, Consumer: "consumer " + strconv.FormatUint(x.ID, 10), Conn: e.Conn.Name,
		ConnID: e.Conn.ID}, true
}

// clientKey takes the version from the CONNECT itself while that is at hand: the
// connection has it only afterwards.
func clientKey(e *session.Event) (Key, bool) {
	version := e.Conn.ClientVersion
	if e.Kind == session.FrameSeen && e.Frame.Is(connect) {
		version = string(e.Frame.Text(field.CommandConnectClientVersion))
	}
	return Key{Client: version, ConnID: -1}, true
}

// commandKey puts an exchange to the command that asked; an acknowledgement
// belongs to the delivery that it answers.
func commandKey(e *session.Event) (Key, bool) {
	switch x := e.Exchange; {
	case e.Kind == session.FrameSeen:
		return Key{Command: e.Frame.TypeName(), ConnID: -1}, true
	case x != nil && x.HasRequest:
		return Key{Command: session.TypeName(&x.Request), ConnID: -1}, true
	case x != nil:
		return Key{Command: session.TypeName(&x.Response), ConnID: -1}, true
	}
	return Key{}, false
}

// nameOf is the name of the producer or consumer that an event is about, empty
// where it is not known yet.
func nameOf(e *session.Event) string {
	switch {
	case e.Producer != nil:
		return e.Producer.Name
	case e.Consumer != nil:
		return e.Consumer.Name
	}
	return ""
}
