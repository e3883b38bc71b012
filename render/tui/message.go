package tui

import (
	"pulsar-dissect/render"
	"pulsar-dissect/session/trace"
)

// message names an entry by its id, and by what its SEND has, as far as the list
// tells.
type message struct {
	id          trace.Entry
	hasID       bool
	producer    string
	sequence    uint64
	hasSequence bool
}

// messageIn names the message of an event: events that name both its id and its
// sequence id tell the one by the other.
func messageIn(all *Entries, e *Entry) *message {
	m := &message{}
	m.learn(e)
	for n := all.First; n < all.End && !(m.hasID && m.hasSequence); n++ {
		if other := all.At(n); m.in(other) {
			m.learn(other)
		}
	}
	return m
}

// learn takes what an event tells.
func (m *message) learn(e *Entry) {
	if e.HasMessage && !m.hasID {
		m.id, m.hasID = e.Message, true
	}
	if e.HasSequence && e.Producer != "" && !m.hasSequence {
		m.producer, m.sequence, m.hasSequence = e.Producer, e.Sequence, true
	}
}

// in says whether an event names the message.
func (m *message) in(e *Entry) bool {
	if m.hasID && e.HasMessage && e.Message == m.id {
		return true
	}
	return m.hasSequence && e.HasSequence && e.Producer == m.producer && e.Sequence == m.sequence
}

// title is the id, or what there is.
func (m *message) title() string {
	if m.hasID {
		return "message " + m.id.String()
	}
	return "message of " + render.NameText(m.producer)
}
