package summary

import "pulsar-dissect/session"

// Chunked counts messages that were sent in chunks.
type Chunked struct {
	Complete   uint64
	Incomplete Noted
}

func (s *Summary) message(e *session.Event) {
	s.States[e.Message.State].note(e, e.Message.Fault)
}

func (s *Summary) chunked(e *session.Event) {
	if e.Chunked.Complete {
		s.Chunked.Complete++
		return
	}
	s.Chunked.Incomplete.note(e, e.Chunked.UUID)
}

func (s *Summary) transaction(e *session.Event) { s.Txns[e.Txn.State]++ }
