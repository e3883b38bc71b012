package decode

import (
	"bytes"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// sight is what stands at a position that may begin a frame.
type sight uint8

const (
	sightNone    sight = iota // no frame
	sightShort                // too few bytes to tell
	sightCommand              // the command is cut, what there is of it fits
	sightCut                  // the command is sound, the frame goes on beyond the bytes
	sightWhole                // a whole frame
)

// searcher looks for frame boundaries. Its walks are scratch space.
type searcher struct {
	base, meta wire.Walk
}

// typeTag is the first byte of every BaseCommand: field 1, a varint.
const typeTag = 0x08

// look tells what stands at the start of b, the position behind it, and
// whether a checksum there is right. limit is the largest total size believed.
func (s *searcher) look(b []byte, limit int64) (what sight, size int64, checked bool) {
	if len(b) < headerSize+1 {
		return sightShort, 0, false
	}
	total, command := bigEndian(b), bigEndian(b[sizeField:])
	if total < leastTotal || total > limit || command < leastCommand || command > total-sizeField || b[headerSize] != typeTag {
		return sightNone, 0, false
	}
	if len(b) > headerSize+1 && (b[headerSize+1] >= 0x80 || proto.ByNumber(int32(b[headerSize+1])) == nil) {
		return sightNone, 0, false
	}
	if int64(len(b)) < headerSize+command {
		return sightCommand, 0, false
	}
	payload, ok := s.sound(b[headerSize : headerSize+command])
	rest := total - sizeField - command
	if !ok || payload != (rest > 0) {
		return sightNone, 0, false
	}
	size = sizeField + total
	if int64(len(b)) < size {
		return sightCut, size, false
	}
	if !payload {
		return sightWhole, size, false
	}
	checked, ok = s.soundSection(b[headerSize+command : size])
	if !ok {
		return sightNone, 0, false
	}
	return sightWhole, size, checked
}

// sound says whether b is a command as peers send it: a known type, exactly
// its sub-command, all required fields.
func (s *searcher) sound(b []byte) (payload, ok bool) {
	if s.base.Parse(wire.BaseCommand, b) != nil || s.base.Found&^tolerable != 0 {
		return false, false
	}
	t, ok := s.base.Uint(-1, field.BaseCommandType)
	c := proto.ByNumber(int32(t))
	if !ok || c == nil {
		return false, false
	}
	if _, ok := s.base.Sub(-1, c.Number); !ok && !emptyCommand(c.Number) {
		return false, false
	}
	return c.Payload, !extraCommand(&s.base, c.Number)
}

// extraCommand says whether a BaseCommand holds a sub-command that its type
// does not name.
func extraCommand(w *wire.Walk, number int32) bool {
	for i := int32(0); i < int32(len(w.Nodes)); i = w.Nodes[i].Next {
		n := &w.Nodes[i]
		if n.Field != nil && n.Number != field.BaseCommandType && n.Number != number {
			return true
		}
	}
	return false
}

// tolerable are the issues that commands of a newer peer may have.
const tolerable = wire.UnknownField | wire.UnknownEnum | wire.BadUTF8

// soundSection says whether the part after the command walks, and whether its
// checksum is there and right.
func (s *searcher) soundSection(b []byte) (checked, ok bool) {
	parts, fault := cutSection(b)
	if fault != "" || s.meta.Parse(wire.MessageMetadata, parts.metadata) != nil || s.meta.Found&wire.MissingRequired != 0 {
		return false, false
	}
	return parts.hasChecksum && parts.sum() == parts.checksum, true
}

// chain is what follows a candidate.
type chain struct {
	whole   int  // whole frames in a row
	checked bool // the first of them has a right checksum
	reaches bool // the frames reach the end of the bytes
	first   int32
}

func (s *searcher) follow(b []byte, limit int64) (c chain) {
	c.first = -1
	for p := int64(0); ; {
		if p == int64(len(b)) && c.whole > 0 {
			c.reaches = true
			return c
		}
		what, size, checked := s.look(b[p:], limit)
		if p == 0 && what >= sightCut {
			t, _ := s.base.Uint(-1, field.BaseCommandType)
			c.first = int32(t)
		}
		switch what {
		case sightWhole:
			if c.whole == 0 {
				c.checked = checked
			}
			c.whole++
			p += size
			continue
		case sightCut:
			c.reaches = true
		case sightCommand, sightShort:
			c.reaches = c.whole > 0
		}
		return c
	}
}

// confirmed says whether a candidate needs no more proof.
func (c *chain) confirmed() bool { return c.whole >= 2 || c.whole >= 1 && c.checked }

// found is the outcome of a search.
type found struct {
	at    int  // position of the frame in the bytes, or -1
	next  int  // where to go on when more bytes come
	chain bool // accepted only because the frames reach the end of the bytes
	whole bool // the first of them is whole
	first int32
}

// search finds the first frame boundary in b from position from on. Unless
// final, a candidate that more bytes may confirm or refute is waited for. When
// final, the first position from which frames follow one another up to the end
// is taken, and only without one a chain that breaks off.
func (s *searcher) search(b []byte, from int, limit int64, final bool) found {
	fallback := -1
	for p := from; ; p++ {
		i := -1
		if p+headerSize < len(b) {
			i = bytes.IndexByte(b[p+headerSize:], typeTag)
		}
		if i < 0 {
			break
		}
		p += i
		switch what, _, _ := s.look(b[p:], limit); what {
		case sightNone:
			continue
		case sightShort, sightCommand:
			if !final {
				return found{at: -1, next: p}
			}
			continue
		}
		c := s.follow(b[p:], limit)
		switch {
		case !final && c.confirmed():
			return found{at: p}
		case !final && c.reaches:
			return found{at: -1, next: p}
		case final && c.reaches:
			return found{at: p, chain: true, whole: c.whole > 0, first: c.first}
		case final && fallback < 0 && c.confirmed():
			fallback = p
		}
	}
	if fallback >= 0 {
		return found{at: fallback}
	}
	return found{at: -1, next: max(from, len(b)-headerSize)}
}

// isKeepAlive says whether the type proves little: PING and PONG frames are
// short and all alike.
func isKeepAlive(t int32) bool {
	return t == int32(pb.BaseCommand_PING) || t == int32(pb.BaseCommand_PONG)
}
