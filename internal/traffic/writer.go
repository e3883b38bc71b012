package traffic

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
)

// writer writes a classic pcap file of Ethernet frames.
type writer struct {
	*bufio.Writer
	bytes  int64
	time   int64 // ns
	buf    []byte
	link   [14]byte
	late   int // of 1,000 packets
	lost   int // of 1,000 packets
	random *rand.Rand
	behind [][]byte // records of packets that come late
	count  int      // packets since the first of them was held back
}

// lateBy is how many packets come before one that is late.
const lateBy = 8

func newWriter(f io.Writer, s *Shape) *writer {
	w := &writer{Writer: bufio.NewWriterSize(f, 1<<20), time: 1_700_000_000e9, late: s.Late, lost: s.Lost, random: rand.New(rand.NewPCG(1, 2))}
	head := binary.LittleEndian.AppendUint32(nil, 0xa1b23c4d)
	head = binary.LittleEndian.AppendUint16(head, 2)
	head = binary.LittleEndian.AppendUint16(head, 4)
	for _, v := range []uint32{0, 0, 262144, 1} {
		head = binary.LittleEndian.AppendUint32(head, v)
	}
	_, _ = w.Write(head) // a bufio.Writer keeps its error for Flush
	copy(w.link[:], []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0})
	return w
}

// flow is one connection being written.
type flow struct {
	address [2][4]byte
	port    [2]uint16
	next    [2]uint32
}

// packetInterval is the time between two packets, in ns: some 500 Mbit/s with
// full segments.
const packetInterval = 20_000

// flags of a TCP header.
const (
	fin = 1
	syn = 2
	psh = 8
	ack = 16
)

func newFlow(n int) *flow {
	f := &flow{port: [2]uint16{uint16(20000 + n%40000), 6650}, next: [2]uint32{uint32(n) * 7919, uint32(n) * 104729}}
	f.address[0] = [4]byte{10, 1, byte(n / 40000 >> 8), byte(n / 40000)}
	f.address[1] = [4]byte{10, 2, 0, 1}
	return f
}

// packet writes one segment.
func (w *writer) packet(f *flow, side int, flags byte, data []byte) {
	w.time += packetInterval
	length := 40 + len(data)
	b := append(w.buf[:0], 0, 0, 0, 0, 0, 0, 0, 0)
	stamp(b, w.time)
	b = binary.LittleEndian.AppendUint32(b, uint32(14+length))
	b = binary.LittleEndian.AppendUint32(b, uint32(14+length))
	b = append(b, w.link[:]...)
	ip := len(b)
	b = append(b, 0x45, 0, byte(length>>8), byte(length), 0, 0, 0x40, 0, 64, 6, 0, 0)
	b = append(append(b, f.address[side][:]...), f.address[1-side][:]...)
	tcp := len(b)
	b = binary.BigEndian.AppendUint16(b, f.port[side])
	b = binary.BigEndian.AppendUint16(b, f.port[1-side])
	b = binary.BigEndian.AppendUint32(b, f.next[side])
	b = binary.BigEndian.AppendUint32(b, f.next[1-side])
	b = append(b, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0)
	b = append(b, data...)
	binary.BigEndian.PutUint16(b[ip+10:], ^fold(sum(b[ip:tcp], 0)))
	pseudo := sum(b[ip+12:ip+20], uint64(6+length-20))
	binary.BigEndian.PutUint16(b[tcp+16:], ^fold(sum(b[tcp:], pseudo)))
	w.buf = b
	w.record(b, len(data) > 0)
	f.next[side] += uint32(len(data))
	if flags&(syn|fin) != 0 {
		f.next[side]++
	}
}

// record writes the record of a packet, unless it gets lost or comes late.
func (w *writer) record(b []byte, mayFail bool) {
	if chance := w.random.IntN(1000); mayFail && chance < w.lost {
		return
	} else if mayFail && chance < w.lost+w.late {
		w.behind = append(w.behind, bytes.Clone(b))
		return
	}
	w.put(b)
	if len(w.behind) == 0 {
		return
	}
	if w.count++; w.count >= lateBy {
		w.catchUp()
	}
}

// catchUp writes the packets that come late, at the time that it is by now.
func (w *writer) catchUp() {
	for _, b := range w.behind {
		stamp(b, w.time)
		w.put(b)
	}
	w.behind, w.count = w.behind[:0], 0
}

func (w *writer) put(b []byte) {
	w.bytes += int64(len(b))
	_, _ = w.Write(b) // a bufio.Writer keeps its error for Flush
}

// stamp sets the time of a record.
func stamp(b []byte, ns int64) {
	binary.LittleEndian.PutUint32(b, uint32(ns/1e9))
	binary.LittleEndian.PutUint32(b[4:], uint32(ns%1e9))
}

// sum adds 16-bit words, big-endian (RFC 1071).
func sum(b []byte, s uint64) uint64 {
	for ; len(b) >= 2; b = b[2:] {
		s += uint64(b[0])<<8 | uint64(b[1])
	}
	if len(b) == 1 {
		s += uint64(b[0]) << 8
	}
	return s
}

func fold(s uint64) uint16 {
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return uint16(s)
}

// write writes one run of a script over a new connection.
func (w *writer) write(n int, s script, size int) {
	f := newFlow(n)
	w.packet(f, 0, syn, nil)
	w.packet(f, 1, syn|ack, nil)
	for _, t := range s {
		for rest := t.data; len(rest) > 0; {
			k := min(len(rest), size)
			if size == 0 {
				k = frameSize(rest)
			}
			w.packet(f, t.side, psh|ack, rest[:k])
			rest = rest[k:]
		}
	}
	w.catchUp()
	w.packet(f, 0, fin|ack, nil)
	w.packet(f, 1, fin|ack, nil)
}

// frameSize is the size of the Pulsar frame at the start of b.
func frameSize(b []byte) int {
	if len(b) < 4 {
		return len(b)
	}
	return min(len(b), 4+int(binary.BigEndian.Uint32(b)), 64000)
}
