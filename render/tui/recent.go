package tui

import (
	"sync"

	"pulsar-dissect/session"
)

// recent keeps the bytes of the latest frames, where there is no file to read
// them from. Any goroutine may ask for them: the lock is held for as long as a
// frame is copied, or looked up.
type recent struct {
	mu     sync.Mutex
	limit  int // bytes
	held   int
	frames map[Place][]byte
	order  []Place // oldest first
}

func newRecent(limit int) *recent { return &recent{limit: limit, frames: map[Place][]byte{}} }

// add keeps a frame. One that is larger than all there is room for is not kept.
func (r *recent) add(e *session.Event) {
	at, n := placeOf(e), len(e.Frame.Bytes)
	if n > r.limit {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.frames[at]; there {
		return
	}
	for r.held+n > r.limit {
		r.held -= len(r.frames[r.order[0]])
		delete(r.frames, r.order[0])
		r.order = r.order[1:]
	}
	r.frames[at] = append([]byte(nil), e.Frame.Bytes...)
	r.order = append(r.order, at)
	r.held += n
}

// Bytes are those of a frame, if they are kept. Any goroutine may call it.
func (f *Feed) Bytes(at Place) (b []byte, ok bool) {
	if f.recent == nil {
		return nil, false
	}
	f.recent.mu.Lock()
	defer f.recent.mu.Unlock()
	b, ok = f.recent.frames[at]
	return b, ok
}

func placeOf(e *session.Event) Place {
	return Place{Offset: e.Offset, Conn: int32(e.Conn.ID), Direction: e.Direction}
}
