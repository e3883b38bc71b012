package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

// saw is what a client says of one message that it sent or received.
type saw struct {
	topic, subscription string
	id                  string // ledger:entry:index in the batch; none of what travelled in chunks
	sha256, key         string
	properties          string // sorted
	redeliveries        uint32
}

// seen is what all clients say.
type seen struct {
	mutex          sync.Mutex
	sent, received []saw
	acked          map[saw]bool // of which only the topic is set, and ledger:entry
	refused        []string     // errors that brokers gave on purpose
}

// stage is where a scene is played: a topic of its own.
type stage struct {
	*seen
	client pulsar.Client
	broker *broker
	topic  string
}

// patience is how long a scene may wait for anything.
const patience = 30 * time.Second

func connect(b *broker) (pulsar.Client, error) {
	return pulsar.NewClient(pulsar.ClientOptions{
		URL: b.address(), EnableTransaction: true, OperationTimeout: patience,
		Logger: log.NewLoggerWithSlog(slog.New(slog.DiscardHandler)),
	})
}

// runClients plays all scenes.
func runClients(b *broker) (*seen, error) {
	client, err := connect(b)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	all := &seen{acked: map[saw]bool{}}
	for i, x := range scenes {
		s := &stage{all, client, b, fmt.Sprintf("persistent://public/default/lab-%d", i)}
		if err := x.play(s); err != nil {
			return nil, fmt.Errorf("%s: %w", x.name, err)
		}
		fmt.Printf("  %s\n", x.name)
	}
	return all, nil
}

// hash is the SHA-256 of a payload in hexadecimal.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// properties are those of a message, in order.
func properties(of map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		all = append(all, k+"="+of[k])
	}
	return strings.Join(all, " ")
}

// single is the id of a message in a batch, or of one that is in none.
func single(id pulsar.MessageID) string {
	return fmt.Sprintf("%d:%d:%d", id.LedgerID(), id.EntryID(), max(id.BatchIdx(), 0))
}

func entry(id pulsar.MessageID) string { return fmt.Sprintf("%d:%d", id.LedgerID(), id.EntryID()) }

// partitionOf is the topic that a producer of many sent a message to.
func partitionOf(topic string, id pulsar.MessageID, partitioned bool) string {
	if partitioned {
		return fmt.Sprintf("%s-partition-%d", topic, id.PartitionIdx())
	}
	return topic
}

// message is the nth one of a scene.
func message(n, size int) *pulsar.ProducerMessage {
	return &pulsar.ProducerMessage{
		Payload:    slices.Repeat(fmt.Appendf(nil, "message %d of the lab, ", n), size/20+1),
		Key:        fmt.Sprintf("key%d", n%7),
		Properties: map[string]string{"n": fmt.Sprint(n), "scene": "lab"},
	}
}

// kind says how the messages of a scene travel.
type kind struct{ partitioned, chunked bool }

// produce sends n messages and notes what came of them.
func (s *stage) produce(o pulsar.ProducerOptions, n, size int, how kind) error {
	o.Topic = s.topic
	p, err := s.client.CreateProducer(o)
	if err != nil {
		return err
	}
	defer p.Close()
	var failed error
	for i := range n {
		m := message(i, size)
		p.SendAsync(context.Background(), m, func(id pulsar.MessageID, _ *pulsar.ProducerMessage, err error) {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			if err != nil {
				failed = errors.Join(failed, err)
				return
			}
			x := saw{topic: partitionOf(s.topic, id, how.partitioned), id: single(id), sha256: hash(m.Payload), key: m.Key, properties: properties(m.Properties)}
			if how.chunked {
				x.id = ""
			}
			s.sent = append(s.sent, x)
		})
	}
	if err := p.FlushWithCtx(context.Background()); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return failed
}

// subscribe opens a consumer of the topic.
func (s *stage) subscribe(o pulsar.ConsumerOptions) (pulsar.Consumer, error) {
	o.Topic = s.topic
	if o.SubscriptionName == "" {
		o.SubscriptionName = "sub"
	}
	o.SubscriptionInitialPosition = pulsar.SubscriptionPositionEarliest
	return s.client.Subscribe(o)
}

// receive takes a message and notes it.
func (s *stage) receive(from interface {
	Receive(context.Context) (pulsar.Message, error)
}, subscription string, how kind) (pulsar.Message, error) {
	within, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m, err := from.Receive(within)
	if err != nil {
		return nil, err
	}
	s.note(m, subscription, how)
	return m, nil
}

func (s *stage) note(m pulsar.Message, subscription string, how kind) {
	x := saw{topic: m.Topic(), subscription: subscription, id: single(m.ID()), sha256: hash(m.Payload()), key: m.Key(), properties: properties(m.Properties()), redeliveries: m.RedeliveryCount()}
	if how.chunked {
		x.id = ""
	}
	s.received = append(s.received, x)
}
