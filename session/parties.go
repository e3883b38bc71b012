package session

// turns are the ids of a connection's producers or consumers, those that may be
// let go first at the front.
type turns []uint64

// second gives the id whose turn it is, by second chance: one that was used
// since it was last passed over goes to the end of the queue.
func (t *turns) second(used func(id uint64) *bool) uint64 {
	for {
		id := (*t)[0]
		*t = (*t)[1:]
		u := used(id)
		if !*u {
			return id
		}
		*u = false
		*t = append(*t, id)
	}
}

// producer gives the producer of an id, a new one where none is known.
func (s *Session) producer(c *Conn, id uint64) *Producer {
	p := c.producer
	if p == nil || p.ID != id {
		p = c.Producers[id]
	}
	if p == nil {
		if len(c.Producers) >= s.limits.ProducersPerConnection {
			s.letGoProducer(c)
		}
		p = &Producer{ID: id}
		if c.Producers == nil {
			c.Producers = map[uint64]*Producer{}
		}
		c.Producers[id] = p
		c.producerTurns = append(c.producerTurns, id)
	}
	p.used, c.producer = true, p
	return p
}

// letGoProducer forgets a producer that has not been heard of for long.
func (s *Session) letGoProducer(c *Conn) {
	id := c.producerTurns.second(func(id uint64) *bool { return &c.Producers[id].used })
	p := c.Producers[id]
	delete(c.Producers, id)
	c.producer = nil
	s.counters.Parties++
	c.Forgetful = true
	for _, x := range p.sends.rest() {
		s.unansweredSend(p, &x, "limit")
	}
	p.sends = sendQueue{}
	s.event.Producer = nil
}

// consumer gives the consumer of an id, a new one where none is known.
func (s *Session) consumer(c *Conn, id uint64) *Consumer {
	x := c.consumer
	if x == nil || x.ID != id {
		x = c.Consumers[id]
	}
	if x == nil {
		if len(c.Consumers) >= s.limits.ConsumersPerConnection {
			s.letGoConsumer(c)
		}
		x = &Consumer{ID: id}
		if c.Consumers == nil {
			c.Consumers = map[uint64]*Consumer{}
		}
		c.Consumers[id] = x
		c.consumerTurns = append(c.consumerTurns, id)
	}
	x.used, c.consumer = true, x
	return x
}

// letGoConsumer forgets a consumer that has not been heard of for long.
func (s *Session) letGoConsumer(c *Conn) {
	id := c.consumerTurns.second(func(id uint64) *bool { return &c.Consumers[id].used })
	x := c.Consumers[id]
	delete(c.Consumers, id)
	c.consumer = nil
	s.counters.Parties++
	c.Forgetful = true
	s.unackedAll(x, "limit")
	x.deliveries = deliveries{}
	s.event.Consumer = nil
}
