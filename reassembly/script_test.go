package reassembly

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"pulsar-dissect/internal/wiremake"
)

// chooser gives numbers below n: at random, or out of the bytes of a fuzzer.
type chooser func(n int) int

func random(seed uint64) chooser {
	r := rand.New(rand.NewPCG(seed, 1))
	return r.IntN
}

// out takes numbers from bytes, 0 when they are used up.
func out(b []byte) chooser {
	return func(n int) int {
		v := 0
		for size := n - 1; size > 0 && len(b) > 0; size >>= 8 {
			v, b = v<<8|int(b[0]), b[1:]
		}
		return v % n
	}
}

// writer makes a script: what two hosts send, and what a capture between them
// shows of it.
type writer struct {
	choose chooser
	ends   [2]netip.AddrPort
	steps  []step
	delays []delayed
	isn    [2]uint32
	pos    [2]int // bytes sent
	size   [2]int // bytes that will be sent
	salt   int    // makes the bytes of each connection others
	mood   int
	tame   bool // a handshake, and no wrap
	most   int  // bytes that a side sends
}

type delayed struct {
	step step
	left int
}

// The moods of a capture, as bits: what may happen in it.
const (
	moodLoss = 1 << iota
	moodDelay
	moodRepeat
	moodConflict
	moodWrong
	moodCut
	moodPause
	moodAcks
	moodEnds
	moodReuse
	moods
)

var clientEnd = netip.MustParseAddrPort("10.0.0.1:40000")

// script is a capture of one 4-tuple, whose sides send so many bytes at most.
func script(choose chooser, most int) []step {
	w := &writer{choose: choose, most: most, ends: [2]netip.AddrPort{clientEnd, wiremake.Broker}, mood: choose(moods)}
	connections := 1
	if w.may(moodReuse) {
		connections += choose(3)
	}
	for range connections {
		w.connection()
	}
	return w.steps
}

func (w *writer) may(mood int) bool { return w.mood&mood != 0 }

// one says, once in n times, that something happens that the mood allows.
func (w *writer) one(n, mood int) bool { return w.may(mood) && w.choose(n) == 0 }

func (w *writer) connection() {
	w.salt++
	for side := range 2 {
		w.pos[side], w.size[side] = 0, w.choose(w.most)
		former := w.isn[side]
		w.isn[side] = uint32(w.choose(1<<20))<<12 + uint32(w.choose(1<<12))
		if !w.tame && w.choose(2) == 0 { // the wrap lies in the stream, or at its ends
			w.isn[side] = -uint32(w.choose(w.size[side] + 3))
		}
		if w.isn[side] == former {
			w.isn[side]++
		}
	}
	start := w.choose(4)
	if w.tame {
		start = 0
	}
	for side := range 2 {
		if start == 0 || w.salt > 1 || w.choose(3) > 0 {
			w.syn(side)
		}
	}
	for w.pos[0] < w.size[0] || w.pos[1] < w.size[1] {
		side := w.choose(2)
		if w.pos[side] == w.size[side] && w.choose(2) == 0 {
			side = 1 - side // also where a fuzzer gives nothing but zeros
		}
		w.turn(side)
	}
	w.finish()
	for len(w.delays) > 0 {
		w.due()
	}
}

func (w *writer) syn(side int) {
	s := w.segment(side, 0, 0)
	s.Sequence--
	s.Flags = wiremake.SYN
	if side == wiremake.Server {
		s.Flags |= wiremake.ACK
	}
	w.emit(side, s)
}

// segment holds n bytes of what a side sends, from an offset on.
func (w *writer) segment(side, from, n int) *wiremake.Segment {
	s := &wiremake.Segment{From: w.ends[side], To: w.ends[1-side], Flags: wiremake.PSH,
		Sequence: w.isn[side] + 1 + uint32(from), Ack: w.isn[1-side] + 1}
	for i := range n {
		s.Payload = append(s.Payload, w.byte(side, from+i))
	}
	if w.may(moodAcks) {
		s.Flags |= wiremake.ACK
		s.Ack += uint32(max(0, w.pos[1-side]-w.choose(4)*w.choose(60)))
	}
	return s
}

func (w *writer) byte(side, offset int) byte {
	return byte(offset*7 + offset>>8*13 + side*101 + w.salt*29)
}

// turn lets a side send its next bytes.
func (w *writer) turn(side int) {
	from := w.pos[side]
	n := min(1+w.choose(60), w.size[side]-from)
	w.pos[side] += n
	if n <= 0 {
		w.emit(side, w.segment(side, from, 0))
		return
	}
	s := w.segment(side, from, n)
	switch {
	case w.one(6, moodLoss):
	case w.one(4, moodWrong):
		w.wrong(side, s)
	case w.one(6, moodCut):
		s.Cut = 1 + w.choose(n)
		w.emit(side, s)
	case w.one(4, moodDelay):
		w.delay(side, s, 1+w.choose(8))
	default:
		w.emit(side, s)
	}
	w.again(side, from, n)
	w.due()
}

// wrong captures a segment with a wrong checksum, and perhaps the right one
// later.
func (w *writer) wrong(side int, s *wiremake.Segment) {
	bad := *s
	bad.Check = wiremake.Wrong
	bad.Payload = append([]byte(nil), s.Payload...)
	bad.Payload[w.choose(len(bad.Payload))] ^= byte(w.choose(256))
	w.emit(side, &bad)
	if w.choose(2) == 0 {
		w.delay(side, s, w.choose(6))
	}
}

// again captures bytes once more: as they were, at other boundaries, with
// other bytes, or as a keep-alive probe.
func (w *writer) again(side, from, n int) {
	if w.one(3, moodRepeat) {
		lo := max(0, from-w.choose(80))
		w.delay(side, w.segment(side, lo, 1+w.choose(w.pos[side]-lo)), w.choose(5))
	}
	if !w.tame && w.one(8, moodRepeat) {
		s := w.segment(side, w.pos[side]-1, 1)
		s.Payload[0] = 0
		w.emit(side, s)
	}
	if w.one(5, moodConflict) {
		lo := max(0, from-w.choose(60))
		s := w.segment(side, lo, 1+w.choose(n+from-lo+20))
		s.Payload[w.choose(len(s.Payload))] ^= 0x80
		w.delay(side, s, w.choose(5))
	}
	if w.one(10, moodPause) {
		pauses := []time.Duration{time.Second, DefaultLinger, DefaultHoldTime / 2, DefaultHoldTime, -time.Second}
		w.steps = append(w.steps, step{after: int64(pauses[w.choose(len(pauses))])})
	}
}

func (w *writer) emit(side int, s *wiremake.Segment) {
	if w.choose(16) == 0 {
		s.WindowIsZero = true
	}
	w.steps = append(w.steps, step{s, side, int64(w.choose(3)) * 1e6})
}

func (w *writer) delay(side int, s *wiremake.Segment, turns int) {
	w.delays = append(w.delays, delayed{step{s, side, 1e6}, turns})
}

// due captures what was delayed long enough.
func (w *writer) due() {
	keep := w.delays[:0]
	for _, d := range w.delays {
		if d.left--; d.left < 0 {
			w.steps = append(w.steps, d.step)
		} else {
			keep = append(keep, d)
		}
	}
	w.delays = keep
}

// finish ends the connection: FIN of one or both sides, RST, or nothing.
func (w *writer) finish() {
	if !w.may(moodEnds) {
		return
	}
	for side := range 2 {
		s := w.segment(side, w.pos[side], 0)
		switch w.choose(5) {
		case 0:
			s.Flags = wiremake.RST
			w.emit(side, s)
		case 1, 2:
			s.Flags |= wiremake.FIN
			w.emit(side, s)
		case 3: // with the last bytes
			n := w.choose(w.pos[side] + 1)
			s = w.segment(side, w.pos[side]-n, n)
			s.Flags |= wiremake.FIN
			w.delay(side, s, w.choose(4))
		}
	}
}
