package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
)

// goFast has a producer and a consumer go as fast as they can, and gives the number
// of messages that went through.
func goFast(b *broker, how time.Duration) (messages int64, err error) {
	client, err := connect(b)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	const topic = "persistent://public/default/lab-soak"
	c, err := client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "sub", ReceiverQueueSize: 10_000})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	p, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic, MaxPendingMessages: 10_000})
	if err != nil {
		return 0, err
	}
	defer p.Close()
	within, cancel := context.WithTimeout(context.Background(), how)
	defer cancel()
	consumed := make(chan error, 1)
	go func() { consumed <- consumeUntil(within, c, &messages) }()
	var failed atomic.Int64
	payload := message(0, 1000).Payload
	for within.Err() == nil {
		p.SendAsync(context.Background(), &pulsar.ProducerMessage{Payload: payload}, func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) {
			if err != nil {
				failed.Add(1)
			}
		})
	}
	if n := failed.Load(); n > 0 {
		err = fmt.Errorf("%d messages could not be sent", n)
	}
	return messages, errors.Join(err, <-consumed)
}

func consumeUntil(within context.Context, c pulsar.Consumer, n *int64) error {
	for {
		m, err := c.Receive(within)
		if err != nil {
			if within.Err() != nil {
				return nil
			}
			return err
		}
		if err := c.Ack(m); err != nil {
			return err
		}
		*n++
	}
}
