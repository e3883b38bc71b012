package scrub

import (
	"bytes"
	"encoding/binary"
)

// lz4Sequence is one of a block (LZ4 block format description): literals, then a
// match, which the last one has not.
type lz4Sequence struct {
	literals []byte
	distance uint16
	match    int // bytes, 0: none
}

// shortestMatch is the least that a match can have, in bytes.
const shortestMatch = 4

// lengthenLZ4 has bytes of a match stand as literals: it becomes longer by one for
// each, or by a little more.
func lengthenLZ4(b []byte, by int, plain []byte) []byte {
	if by == 0 {
		return b
	}
	list := readLZ4(b)
	for i := len(list) - 2; i >= 0; i-- {
		for n := max(1, by-lz4Slack); n <= by && list[i].match-n >= shortestMatch; n++ {
			if out := appendLZ4(nil, shifted(list, i, n, plain)); len(out) == len(b)+by {
				return out
			}
		}
	}
	return nil
}

// lz4Slack is how many bytes longer lengths can become on top.
const lz4Slack = 4

// shifted gives the sequences with the last n bytes of match i as literals.
func shifted(list []lz4Sequence, i, n int, plain []byte) []lz4Sequence {
	end := 0
	for k := 0; k <= i; k++ {
		end += len(list[k].literals) + list[k].match
	}
	out := append([]lz4Sequence(nil), list...)
	out[i].match -= n
	out[i+1].literals = append(append([]byte(nil), plain[end-n:end]...), list[i+1].literals...)
	return out
}

// readLZ4 takes a sound block apart.
func readLZ4(b []byte) (list []lz4Sequence) {
	for len(b) > 0 {
		token := b[0]
		var n int
		n, b = lz4Length(int(token>>4), b[1:])
		s := lz4Sequence{literals: b[:n]}
		if b = b[n:]; len(b) > 0 {
			s.distance = binary.LittleEndian.Uint16(b)
			n, b = lz4Length(int(token&15), b[2:])
			s.match = n + shortestMatch
		}
		list = append(list, s)
	}
	return list
}

func lz4Length(n int, b []byte) (int, []byte) {
	if n < 15 {
		return n, b
	}
	for {
		c := b[0]
		n, b = n+int(c), b[1:]
		if c != 255 {
			return n, b
		}
	}
}

func appendLZ4(out []byte, list []lz4Sequence) []byte {
	for i := range list {
		s := &list[i]
		token := byte(min(15, len(s.literals))) << 4
		if s.match > 0 {
			token |= byte(min(15, s.match-shortestMatch))
		}
		out = append(appendLZ4Length(append(out, token), len(s.literals)), s.literals...)
		if s.match > 0 {
			out = appendLZ4Length(binary.LittleEndian.AppendUint16(out, s.distance), s.match-shortestMatch)
		}
	}
	return out
}

func appendLZ4Length(out []byte, n int) []byte {
	if n < 15 {
		return out
	}
	for n -= 15; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(out, byte(n))
}

// lengthenLZ4Frame puts a frame that is to be skipped behind it (LZ4 frame format,
// section Skippable Frames).
func lengthenLZ4Frame(b []byte, by int, _ []byte) []byte {
	const magic, head = 0x184d2a50, 8
	switch {
	case by == 0:
		return b
	case by < head:
		return nil
	}
	skip := binary.LittleEndian.AppendUint32(nil, magic)
	skip = binary.LittleEndian.AppendUint32(skip, uint32(by-head))
	return append(append(bytes.Clone(b), skip...), make([]byte, by-head)...)
}
