package reassembly

import (
	"encoding/binary"
	"iter"
	"runtime"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly/segment"
)

// watch runs packets through an assembler and calls look after each of them.
func watch(t *testing.T, l Limits, packets iter.Seq[wiremake.Segment], look func(a *Assembler)) (a *Assembler, released, gaps int64) {
	t.Helper()
	a = New(l, segment.NewParser(segment.Limits{}))
	source := func(yield func(capture.Packet, error) bool) {
		n := uint64(0)
		for s := range packets {
			n++
			if !yield(s.Packet(n, wiremake.Start), nil) { // the clock stands still
				return
			}
			look(a)
		}
	}
	for e, err := range a.Events(source) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case Data:
			released += int64(len(e.Data))
		case Gap:
			gaps += e.Bytes
		}
	}
	return a, released, gaps
}

// heap is what is in use after a collection, bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Single bytes, each in front of the one before: as many pieces as there are
// bytes, all put at the start.
func TestHostilePieces(t *testing.T) {
	const packets = 200_000
	c := wiremake.NewTape().Talk(40000)
	for _, stride := range []int{1, 2} { // adjacent, and each with a hole before it
		highest, before := 0, heap()
		a, released, gaps := watch(t, Limits{}, func(yield func(wiremake.Segment) bool) {
			if !yield(c.Segment(client, []byte("a"))) {
				return
			}
			for i := range packets {
				s := c.Segment(client, []byte("x"))
				s.Sequence += uint32(stride*packets - stride*i)
				if !yield(s) {
					return
				}
			}
		}, func(a *Assembler) {
			highest = max(highest, a.held)
			if a.held > DefaultHeldPerDirection {
				t.Fatalf("%d bytes held, the limit is %d", a.held, DefaultHeldPerDirection)
			}
		})
		if a.Counters().HeldLimit == 0 || highest < DefaultHeldPerDirection/2 {
			t.Errorf("the limit was never near: %d bytes", highest)
		}
		if grown := heap() - before; grown > 1<<20 {
			t.Errorf("%d bytes are still in use", grown)
		}
		if released+gaps != int64(stride*packets+1) {
			t.Errorf("%d bytes released and %d in gaps, want %d in all", released, gaps, stride*packets+1)
		}
	}
}

// What many connections hold counts in all.
func TestHeldInAll(t *testing.T) {
	l := Limits{Held: 1 << 20}
	const connections, payload = 3000, 1000
	a, released, gaps := watch(t, l, func(yield func(wiremake.Segment) bool) {
		for i := range connections {
			c := wiremake.NewTape().Talk(uint16(1000 + i))
			first, behind := c.Segment(client, []byte("a")), c.Segment(client, make([]byte, payload))
			behind.Sequence += 11
			if !yield(first) || !yield(behind) {
				return
			}
		}
	}, func(a *Assembler) {
		if a.held > l.Held {
			t.Fatalf("%d bytes held, the limit is %d", a.held, l.Held)
		}
	})
	if got, want := a.Counters().HeldLimit, uint64(connections-l.Held/(payload+pieceCost)); got != want {
		t.Errorf("%d holes given up for the limit, want %d", got, want)
	}
	if released != connections*(payload+1) || gaps != connections*10 {
		t.Errorf("%d bytes released, %d in gaps", released, gaps)
	}
}

// Segments with wrong checksums are kept within the limits too.
func TestHeldOfWrongChecksums(t *testing.T) {
	l := Limits{Held: 1 << 20}
	highest := 0
	watch(t, l, func(yield func(wiremake.Segment) bool) {
		for i := range 50 {
			c := wiremake.NewTape().Talk(uint16(1000 + i))
			if !yield(c.Segment(client, []byte("a"))) {
				return
			}
			for k := range 80 {
				s := c.Segment(client, make([]byte, 1000))
				s.Sequence += uint32(1000 * (k + 1))
				s.Check = wiremake.Wrong
				if !yield(s) {
					return
				}
			}
		}
	}, func(a *Assembler) {
		highest = max(highest, a.held)
		for _, c := range a.flows {
			if n := len(c.halves[0].spare); n > sparePieces {
				t.Fatalf("%d segments kept, the limit is %d", n, sparePieces)
			}
		}
	})
	if highest > l.Held/4 || highest < l.Held/8 {
		t.Errorf("%d bytes held, the limit is %d", highest, l.Held/4)
	}
}

// The connection that has been idle longest ends when there are too many; one
// that is used stays.
func TestConnectionLimit(t *testing.T) {
	tape := wiremake.NewTape()
	used := tape.Talk(100)
	for i := range 200 {
		tape.Talk(uint16(1000+i)).Send(client, []byte("x"))
		used.Send(client, []byte("y"))
	}
	a := New(Limits{Connections: 10}, segment.NewParser(segment.Limits{}))
	released, evicted, open, opened := 0, 0, map[int]bool{}, 0
	for e := range a.Events(tape.Source()) {
		switch e.Kind {
		case Opened:
			open[e.Conn.ID] = true
			opened++
		case Ended:
			delete(open, e.Conn.ID)
			if e.Conn.Evicted {
				evicted++
				if opened-e.Conn.ID > 12 {
					t.Errorf("connection %d went when %d was opened", e.Conn.ID, opened)
				}
			}
		case Data:
			released++
			if e.Conn.Evicted {
				t.Error("data of a connection that was let go")
			}
		}
		if len(open) > 10 {
			t.Fatalf("%d connections are open", len(open))
		}
	}
	if released != 400 || opened != 201 || evicted != 191 || a.Counters().ConnectionLimit != 191 {
		t.Errorf("%d segments of %d connections, %d let go, counted as %d", released, opened, evicted, a.Counters().ConnectionLimit)
	}
}

// Short connections of one 4-tuple, each with a hole and a reset, on a clock
// that stands still: no queue grows with them.
func TestQueuesStayShort(t *testing.T) {
	c := wiremake.NewTape().Talk(40000)
	watch(t, Limits{}, func(yield func(wiremake.Segment) bool) {
		for i := range 20_000 {
			c.Next[client] = uint32(i) << 16
			syn, data, rst := c.Segment(client, nil), c.Segment(client, []byte("behind")), c.Segment(client, nil)
			syn.Flags, data.Sequence, rst.Flags = wiremake.SYN, c.Next[client]+100, wiremake.RST
			if !yield(syn) || !yield(data) || !yield(rst) {
				return
			}
		}
	}, func(a *Assembler) {
		if len(a.idle)+len(a.closing)+len(a.waits) > 500 {
			t.Fatalf("%d, %d and %d entries for %d connections", len(a.idle), len(a.closing), len(a.waits), a.open)
		}
	})
}

// A capture in which the acknowledgement is always ahead of the data marks
// nothing for long.
func TestMarksStayFew(t *testing.T) {
	c := wiremake.NewTape().Talk(40000)
	watch(t, Limits{}, func(yield func(wiremake.Segment) bool) {
		for range 5000 {
			ack := c.Segment(server, nil)
			ack.Ack += 5000
			data := c.Segment(client, make([]byte, 10))
			c.Lose(client, 10)
			if !yield(ack) || !yield(data) {
				return
			}
		}
	}, func(a *Assembler) {
		for _, c := range a.flows {
			if n := len(c.halves[0].lost.acked) + len(c.halves[1].lost.acked); n > 2*mostMarks {
				t.Fatalf("%d marks", n)
			}
		}
	})
}

// No bytes of a stream need an allocation of their own while they come in
// order.
func TestNoAllocationInOrder(t *testing.T) {
	c := wiremake.NewTape().Talk(40000)
	s := c.Segment(client, make([]byte, 1000))
	s.Check = wiremake.Offloaded // so that it need not change with the sequence number
	p := s.Packet(1, wiremake.Start)
	a := New(Limits{}, segment.NewParser(segment.Limits{}))
	next := c.Next[client]
	source := func(yield func(capture.Packet, error) bool) {
		yield(p, nil)
		n := testing.AllocsPerRun(1000, func() {
			next += 1000
			binary.BigEndian.PutUint32(p.Data[24:], next)
			yield(p, nil)
		})
		if n > 0 {
			t.Errorf("%v allocations a packet", n)
		}
	}
	released := 0
	for e := range a.Events(source) {
		released += len(e.Data)
	}
	if released < 1000*1000 {
		t.Errorf("%d bytes released", released)
	}
}
