package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"regexp"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// turn is what one side of a connection sends before the other answers.
type turn struct {
	side int
	data []byte
}

// script is a connection as a series of turns.
type script []turn

// scripts reads the connections of a capture.
func scripts(path string) ([]script, error) {
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	byConn := map[int]script{}
	var order []int
	assembler := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	for e, err := range assembler.Events(source.Packets()) {
		if err != nil {
			return nil, err
		}
		switch e.Kind {
		case reassembly.Opened:
			order = append(order, e.Conn.ID)
		case reassembly.Data:
			byConn[e.Conn.ID] = byConn[e.Conn.ID].add(int(e.Side), e.Data)
		}
	}
	var out []script
	for _, id := range order {
		if len(byConn[id]) > 0 {
			out = append(out, byConn[id])
		}
	}
	return out, nil
}

func (s script) add(side int, data []byte) script {
	if n := len(s); n > 0 && s[n-1].side == side {
		s[n-1].data = append(s[n-1].data, data...)
		return s
	}
	return append(s, turn{side, bytes.Clone(data)})
}

// writer writes a classic pcap file of Ethernet frames.
type writer struct {
	*bufio.Writer
	bytes int64
	time  int64 // ns
	buf   []byte
	link  [14]byte
}

func newWriter(f *os.File) *writer {
	w := &writer{Writer: bufio.NewWriterSize(f, 1<<20), time: 1_700_000_000e9}
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
	b := binary.LittleEndian.AppendUint32(w.buf[:0], uint32(w.time/1e9))
	b = binary.LittleEndian.AppendUint32(b, uint32(w.time%1e9))
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
	w.bytes += int64(len(b))
	_, _ = w.Write(b) // a bufio.Writer keeps its error for Flush
	f.next[side] += uint32(len(data))
	if flags&(syn|fin) != 0 {
		f.next[side]++
	}
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

// topicName finds the names of topics in commands: what follows a name there
// is the tag of the next field, a control character.
var topicName = regexp.MustCompile(`persistent://[!-~]{8,}`)

// renamed gives the n-th connection topics of its own, with names of the same
// length: the same messages delivered again and again would not be what a
// capture holds. Names stand in commands, which no checksum covers.
func (s script) renamed(n int) script {
	suffix := fmt.Sprintf("%06d", n%1_000_000)
	out := make(script, len(s))
	for i, t := range s {
		out[i] = turn{t.side, topicName.ReplaceAllFunc(t.data, func(name []byte) []byte {
			return append(bytes.Clone(name[:len(name)-len(suffix)]), suffix...)
		})}
	}
	return out
}

// generate makes an input unless it is there already.
func generate(in input, path string, scale float64) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	all, err := scripts(in.source)
	if err != nil {
		return fmt.Errorf("%s: %w", in.source, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: no connections to repeat", in.source)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := newWriter(f)
	limit := int64(float64(in.megabyte) * 1e6 * scale)
	for n := 0; w.bytes < limit; n++ {
		w.write(n, merged(in, all, n).renamed(n), in.segment)
	}
	return w.Flush()
}

// merged is the script of the n-th connection. Where frames are to be packed
// densely, the turns of each side are put together up to burst bytes.
func merged(in input, all []script, n int) script {
	s := all[n%len(all)]
	if in.segment == 0 || len(s) < 3 {
		return s
	}
	dense := script{s[0], s[1]}
	var sides [2][]byte
	for i, t := range s[2:] {
		sides[t.side] = append(sides[t.side], t.data...)
		if i < len(s)-3 && len(sides[0]) < burst && len(sides[1]) < burst {
			continue
		}
		for side, data := range sides {
			dense = append(dense, turn{side, data})
		}
		sides = [2][]byte{}
	}
	return dense
}

// burst is how many bytes a side sends before the other has its turn.
const burst = 16 << 10
