package decode

import "slices"

// seek begins a search for the next frame in the buffer.
func (s *stream) seek(from int) {
	s.mode, s.resync = modeSearch, true
	s.hunt.begin(from)
}

// remember keeps the first bytes of a stream that is not understood.
func (s *stream) remember() {
	if s.conn.bookie != nil {
		return
	}
	if first := &s.conn.FirstBytes[s.side]; *first == nil {
		*first = slices.Clone(s.buf[:min(len(s.buf), firstBytesKept)])
	}
}

const firstBytesKept = 32

// look tells what stands at the start of b in the protocol of the stream.
func (d *Decoder) look(s *stream, b []byte) sight {
	if s.protocol == openingBookie {
		return d.lookBookie(b)
	}
	return d.searcher.look(b, d.limits.believed()).what
}

// verify looks whether a frame begins where a cut one ends.
func (d *Decoder) verify(s *stream, final bool) {
	what := d.look(s, s.buf)
	switch {
	case what == sightNone:
		s.seek(0)
	case final || what >= sightCut:
		s.mode, s.resync = modeFrames, true
	}
}

// doubt decides on a frame whose command is not sound by what follows it.
func (d *Decoder) doubt(s *stream, final bool) {
	end := sizeField + bigEndian(s.buf)
	rest := s.buf[min(end, int64(len(s.buf))):]
	what := sightShort
	if len(rest) > 0 {
		what = d.searcher.look(rest, d.limits.believed()).what
	}
	switch {
	case what == sightNone:
		d.lose(s)
	case final || what >= sightCut:
		s.mode = modeFrames
		d.frame.read(s.buf[:end], s.base, end, s.positions(s.base, s.base+end))
		d.accept(s, s.buf[:end])
		d.drop(s, int(end))
	}
}

// lose gives up the byte at which no frame begins after all, and searches on.
func (d *Decoder) lose(s *stream) {
	if s.frames == 0 && s.base == s.preface && s.conn.TCP.StartKnown(s.side) {
		s.badStart = true
	}
	if s.protocol == openingBookie {
		d.loseBookie(s)
		return
	}
	s.remember()
	s.seek(1)
}

// search looks for the next frame boundary in the buffer.
func (d *Decoder) search(s *stream, final bool) {
	if s.frames == 0 && s.base == 0 && s.protocol == openingUndecided && !s.conn.forced && !s.conn.TCP.StartKnown(s.side) {
		if what := midstream(s.buf); what != openingPulsar {
			d.foreign(s, what)
			return
		}
	}
	if d.tellBookie(s, final) {
		return
	}
	f := d.find(s, final)
	switch {
	case f.at >= 0:
	case s.hunt.from > searchKept && s.hunt.fallback >= 0:
		f.at = s.hunt.fallback
	default:
		s.remember()
		d.unfound(s, final)
		return
	}
	s.chained = f.chain && f.whole && !isKeepAlive(f.first)
	s.mode, s.resync = modeFrames, true
	d.skip(s, f.at, "search for the next frame")
}

// unfound gives up the bytes in which no frame begins, when they are many.
func (d *Decoder) unfound(s *stream, final bool) {
	if final {
		d.skip(s, len(s.buf), "no frame boundary")
	} else if s.hunt.from > searchKept {
		d.skip(s, s.hunt.from, "no frame boundary")
	}
}

// find looks for the next frame boundary in the protocol of the stream.
func (d *Decoder) find(s *stream, final bool) (f found) {
	if s.protocol == openingBookie {
		f.at, s.hunt.from = d.looker.Search(s.buf, s.hunt.from, final)
		return f
	}
	return d.searcher.search(s.buf, &s.hunt, d.limits.searched(s.conn), final)
}

// searchKept is how many bytes without a frame are kept at most before they
// are reported.
const searchKept = 64 << 10
