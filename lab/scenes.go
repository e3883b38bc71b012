package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
)

// scene is one thing that clients do.
type scene struct {
	name string
	play func(*stage) error
}

// scenes are what is done, one after another.
var scenes = []scene{
	{"batches, not compressed", func(s *stage) error { return s.produceAndConsume(batched(pulsar.NoCompression), exclusive, 200) }},
	{"batches, LZ4", func(s *stage) error { return s.produceAndConsume(batched(pulsar.LZ4), exclusive, 200) }},
	{"batches, ZLIB", func(s *stage) error { return s.produceAndConsume(batched(pulsar.ZLib), exclusive, 200) }},
	{"batches, ZSTD", func(s *stage) error { return s.produceAndConsume(batched(pulsar.ZSTD), exclusive, 200) }},
	{"batches, SNAPPY", func(s *stage) error { return s.produceAndConsume(batched(pulsar.SNAPPY), exclusive, 200) }},
	{"single messages", func(s *stage) error {
		return s.produceAndConsume(pulsar.ProducerOptions{DisableBatching: true}, exclusive, 50)
	}},
	{"key shared", func(s *stage) error {
		return s.produceAndConsume(pulsar.ProducerOptions{DisableBatching: true}, pulsar.ConsumerOptions{Type: pulsar.KeyShared}, 50)
	}},
	{"failover", func(s *stage) error {
		return s.produceAndConsume(batched(pulsar.NoCompression), pulsar.ConsumerOptions{Type: pulsar.Failover}, 50)
	}},
	{"partitions", partitions},
	{"redelivery", redelivery},
	{"chunks", chunks},
	{"cumulative acknowledgements", cumulative},
	{"reader", reader},
	{"transaction", transaction},
	{"refusals", refusals},
}

var exclusive = pulsar.ConsumerOptions{Type: pulsar.Exclusive}

func batched(c pulsar.CompressionType) pulsar.ProducerOptions {
	return pulsar.ProducerOptions{CompressionType: c, BatchingMaxMessages: 20, BatchingMaxPublishDelay: 20 * time.Millisecond}
}

// produceAndConsume has one producer and one consumer, which acknowledges all.
func (s *stage) produceAndConsume(p pulsar.ProducerOptions, o pulsar.ConsumerOptions, n int) error {
	return s.through(p, o, n, 100, kind{})
}

func (s *stage) through(p pulsar.ProducerOptions, o pulsar.ConsumerOptions, n, size int, how kind) error {
	c, err := s.subscribe(o)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := s.produce(p, n, size, how); err != nil {
		return err
	}
	for range n {
		m, err := s.receive(c, "sub", how)
		if err != nil {
			return err
		}
		if err := c.Ack(m); err != nil {
			return err
		}
		if !how.chunked {
			s.acked[saw{topic: m.Topic(), id: entry(m.ID())}] = true
		}
	}
	return nil
}

func partitions(s *stage) error {
	request, err := http.NewRequest(http.MethodPut, s.broker.admin(strings.Replace(s.topic, "://", "/", 1)+"/partitions"), strings.NewReader("3"))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("partitions: %s", answer.Status)
	}
	return s.through(batched(pulsar.LZ4), pulsar.ConsumerOptions{Type: pulsar.Shared}, 60, 100, kind{partitioned: true})
}

// redelivery refuses each message once.
func redelivery(s *stage) error {
	const n = 20
	c, err := s.subscribe(pulsar.ConsumerOptions{Type: pulsar.Shared, NackRedeliveryDelay: 200 * time.Millisecond})
	if err != nil {
		return err
	}
	defer c.Close()
	if err := s.produce(pulsar.ProducerOptions{DisableBatching: true}, n, 100, kind{}); err != nil {
		return err
	}
	for range 2 * n {
		m, err := s.receive(c, "sub", kind{})
		if err != nil {
			return err
		}
		if m.RedeliveryCount() == 0 {
			c.Nack(m)
			continue
		}
		if err := c.Ack(m); err != nil {
			return err
		}
		s.acked[saw{topic: m.Topic(), id: entry(m.ID())}] = true
	}
	return nil
}

func chunks(s *stage) error {
	return s.through(pulsar.ProducerOptions{DisableBatching: true, EnableChunking: true, ChunkMaxMessageSize: 100_000}, exclusive, 5, 450_000, kind{chunked: true})
}

func cumulative(s *stage) error {
	const n = 40
	c, err := s.subscribe(exclusive)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := s.produce(pulsar.ProducerOptions{DisableBatching: true}, n, 100, kind{}); err != nil {
		return err
	}
	for i := range n {
		m, err := s.receive(c, "sub", kind{})
		if err != nil {
			return err
		}
		if i%10 < 9 {
			continue
		}
		if err := c.AckCumulative(m); err != nil {
			return err
		}
		if i == n-1 { // the client sends the last of those that come fast
			s.acked[saw{topic: m.Topic(), id: entry(m.ID())}] = true
		}
	}
	return nil
}

func reader(s *stage) error {
	const n = 30
	if err := s.produce(batched(pulsar.ZSTD), n, 100, kind{}); err != nil {
		return err
	}
	r, err := s.client.CreateReader(pulsar.ReaderOptions{Topic: s.topic, StartMessageID: pulsar.EarliestMessageID(), SubscriptionRolePrefix: "lab", Name: "reader"})
	if err != nil {
		return err
	}
	defer r.Close()
	for range n {
		within, cancel := context.WithTimeout(context.Background(), patience)
		m, err := r.Next(within)
		cancel()
		if err != nil {
			return err
		}
		s.note(m, "", kind{})
	}
	return nil
}

// transaction sends and acknowledges within one.
func transaction(s *stage) error {
	txn, err := s.client.NewTransaction(time.Minute)
	if err != nil {
		return err
	}
	p, err := s.client.CreateProducer(pulsar.ProducerOptions{Topic: s.topic, DisableBatching: true})
	if err != nil {
		return err
	}
	defer p.Close()
	m := message(0, 100)
	m.Transaction = txn
	id, err := p.Send(context.Background(), m)
	if err != nil {
		return err
	}
	s.sent = append(s.sent, saw{topic: s.topic, id: single(id), sha256: hash(m.Payload), key: m.Key, properties: properties(m.Properties)})
	if err := txn.Commit(context.Background()); err != nil {
		return err
	}
	c, err := s.subscribe(exclusive)
	if err != nil {
		return err
	}
	defer c.Close()
	got, err := s.receive(c, "sub", kind{})
	if err != nil {
		return err
	}
	return c.Ack(got)
}

// refusals are what a broker does not allow: a second exclusive consumer.
func refusals(s *stage) error {
	c, err := s.subscribe(exclusive)
	if err != nil {
		return err
	}
	defer c.Close()
	if second, err := s.subscribe(exclusive); err == nil {
		second.Close()
		return errors.New("a second exclusive consumer was let in")
	}
	s.refused = append(s.refused, "ConsumerBusy")
	return nil
}
