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
	chained    map[int64]struct{} // positions that frames led to, which lead nowhere
}

// typeTag is the first byte of every BaseCommand: field 1, a varint.
const typeTag = 0x08

// view is what stands at a position.
type view struct {
	what    sight
	size    int64 // of the frame, once its command is sound, bytes
	need    int64 // bytes from the position on that would show more
	checked bool  // it has a checksum, which is right
}

// look tells what stands at the start of b. limit is the largest total size
// believed.
func (s *searcher) look(b []byte, limit int64) view {
	if len(b) < headerSize+1 {
		return view{what: sightShort, need: headerSize + 1}
	}
	total, command := bigEndian(b), bigEndian(b[sizeField:])
	if total < leastTotal || total > limit || command < leastCommand || command > total-sizeField || b[headerSize] != typeTag {
		return view{}
	}
	if len(b) > headerSize+1 && (b[headerSize+1] >= 0x80 || proto.ByNumber(int32(b[headerSize+1])) == nil) {
		return view{}
	}
	if int64(len(b)) < headerSize+command {
		return view{what: sightCommand, need: headerSize + command}
	}
	payload, ok := s.sound(b[headerSize : headerSize+command])
	if rest := total - sizeField - command; !ok || payload != (rest > 0) {
		return view{}
	}
	v := view{what: sightWhole, size: sizeField + total, need: sizeField + total}
	switch {
	case int64(len(b)) < v.size:
		v.what = sightCut
	case payload:
		if v.checked, ok = s.soundSection(b[headerSize+command : v.size]); !ok {
			return view{}
		}
	}
	return v
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
	parts, fault := CutSection(b)
	if fault != "" || s.meta.Parse(wire.MessageMetadata, parts.Metadata) != nil || s.meta.Found&wire.MissingRequired != 0 {
		return false, false
	}
	return parts.HasChecksum && parts.Sum() == parts.Checksum, true
}

// chain is what follows a candidate.
type chain struct {
	whole   int   // whole frames in a row
	checked bool  // the first of them has a right checksum
	reaches bool  // the frames reach the end of the bytes
	need    int64 // position that the bytes have to reach to show more
	first   int32 // type of the first
}

// follow looks how far frames follow one another from position p of b on. The
// positions that turn out to lead nowhere are remembered.
func (s *searcher) follow(b []byte, p, limit int64) (c chain) {
	c.first = -1
	for at := p; ; {
		if at == int64(len(b)) && c.whole > 0 {
			c.reaches, c.need = true, at+headerSize+1
			return c
		}
		v := s.look(b[at:], limit)
		if at == p && v.what >= sightCut {
			t, _ := s.base.Uint(-1, field.BaseCommandType)
			c.first = int32(t)
		}
		switch v.what {
		case sightWhole:
			if c.whole == 0 {
				c.checked = v.checked
			}
			c.whole++
			at += v.size
			s.chained[at] = struct{}{}
			continue
		case sightCut:
			c.reaches = true
		case sightCommand, sightShort:
			c.reaches = c.whole > 0
		}
		c.need = at + v.need
		return c
	}
}

// confirmed says whether a candidate needs no more proof.
func (c *chain) confirmed() bool { return c.whole >= 2 || c.whole >= 1 && c.checked }

// hunt is the state of a search between two calls. Positions are of the buffer.
type hunt struct {
	from     int // no frame begins before it
	need     int // bytes that the buffer has to have before it is worth to look again
	fallback int // first candidate with proof whose frames lead nowhere, or -1
	large    int // large commands walked
	bookie   int // no frame of a bookie begins before it
}

// begin starts a search.
func (h *hunt) begin(from int) { *h = hunt{from: from, fallback: -1} }

// pass takes into account that the first n bytes of the buffer are gone.
func (h *hunt) pass(n int) {
	h.from, h.need, h.bookie = max(0, h.from-n), max(0, h.need-n), max(0, h.bookie-n)
	if h.fallback -= n; h.fallback < 0 {
		h.fallback = -1
	}
}

// A command of more than largeCommand bytes is walked for mostLarge candidates
// of a search at most: bytes can be made so that each of many places looks like
// the start of a long one.
const (
	largeCommand = 4 << 10 // bytes
	mostLarge    = 32
)

// found is the outcome of a search.
type found struct {
	at    int  // position of the frame in the bytes, or -1
	chain bool // accepted only because the frames reach the end of the bytes
	whole bool // the first of them is whole
	first int32
}

// search finds the first frame boundary in b. Unless final, a candidate that
// more bytes may confirm or refute is waited for. The first position with proof
// from which frames follow one another up to the end of the bytes is taken;
// when final, proof is not asked for, and without any such position the first
// one with proof is taken whose frames break off.
func (s *searcher) search(b []byte, h *hunt, limit int64, final bool) found {
	if len(b) < h.need && !final {
		return found{at: -1}
	}
	if clear(s.chained); s.chained == nil {
		s.chained = map[int64]struct{}{}
	}
	for p := h.from; ; p++ {
		if p = nextTag(b, p); p < 0 {
			break
		}
		if _, leads := s.chained[int64(p)]; leads || h.tooLarge(b[p:]) {
			continue
		}
		switch v := s.look(b[p:], limit); {
		case v.what == sightNone:
			continue
		case v.what <= sightCommand && !final:
			h.from, h.need = p, p+int(v.need)
			return found{at: -1}
		case v.what <= sightCommand:
			continue
		}
		c := s.follow(b, int64(p), limit)
		switch {
		case c.reaches && (final || c.confirmed()):
			return found{at: p, chain: final, whole: c.whole > 0, first: c.first}
		case c.reaches:
			h.from, h.need = p, int(c.need)
			return found{at: -1}
		case h.fallback < 0 && c.confirmed():
			h.fallback = p
		}
	}
	if final && h.fallback >= 0 {
		return found{at: h.fallback}
	}
	h.from, h.need = max(h.from, len(b)-headerSize), 0
	return found{at: -1}
}

// nextTag is the next position from p on where a frame's command could begin
// with its type, or -1.
func nextTag(b []byte, p int) int {
	if p+headerSize >= len(b) {
		return -1
	}
	if i := bytes.IndexByte(b[p+headerSize:], typeTag); i >= 0 {
		return p + i
	}
	return -1
}

// tooLarge says whether a candidate is not worth the walk of its command.
func (h *hunt) tooLarge(b []byte) bool {
	if len(b) < headerSize || bigEndian(b[sizeField:]) <= largeCommand || int64(len(b)) < headerSize+bigEndian(b[sizeField:]) {
		return false
	}
	h.large++
	return h.large > mostLarge
}

// isKeepAlive says whether the type proves little: PING and PONG frames are
// short and all alike.
func isKeepAlive(t int32) bool {
	return t == int32(pb.BaseCommand_PING) || t == int32(pb.BaseCommand_PONG)
}
