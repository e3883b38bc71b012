package codec

// minMatch is the length in bytes that a match has beyond what is stored (LZ4
// Block Format).
const minMatch = 4

// lz4Walk goes over the sequences of an LZ4 block without producing anything.
// It serves where the fast decoder only says no: to tell damage from a wrong
// size, and to learn a size before memory is reserved for it.
type lz4Walk struct {
	src []byte
	at  int // next byte of src
	out int // bytes produced so far

	literals []byte
	offset   int // bytes back from the end of the output
	match    int // bytes to repeat; 0 in the last sequence
	err      error
}

// next reads one sequence: token, literals, offset and length of a match. The
// last one ends after its literals.
func (w *lz4Walk) next() bool {
	if w.at == len(w.src) || w.err != nil {
		return false
	}
	token := int(w.src[w.at])
	w.at++
	if w.readLiterals(token >> 4); w.err != nil {
		return false
	}
	w.match = 0
	if w.at < len(w.src) {
		w.readMatch(token & 15)
	}
	return w.err == nil
}

func (w *lz4Walk) readLiterals(nibble int) {
	n := w.length(nibble)
	if w.err == nil && n > len(w.src)-w.at {
		w.err = corrupt(LZ4, "%d literals at byte %d, %d bytes are left", n, w.at, len(w.src)-w.at)
	}
	if w.err != nil {
		return
	}
	w.literals = w.src[w.at : w.at+n]
	w.at += n
	w.out += n
}

func (w *lz4Walk) readMatch(nibble int) {
	if len(w.src)-w.at < 2 {
		w.err = corrupt(LZ4, "the offset at byte %d is cut", w.at)
		return
	}
	w.offset = int(w.src[w.at]) | int(w.src[w.at+1])<<8
	if w.offset == 0 || w.offset > w.out {
		w.err = corrupt(LZ4, "the match at byte %d reaches %d back, %d bytes are out", w.at, w.offset, w.out)
		return
	}
	w.at += 2
	w.match = w.length(nibble) + minMatch
	w.out += w.match
}

// length adds to a nibble of 15 the bytes that follow, up to one below 255.
func (w *lz4Walk) length(nibble int) int {
	n := nibble
	for more := nibble == 15; more; more = w.src[w.at-1] == 255 {
		if w.at == len(w.src) {
			w.err = corrupt(LZ4, "the length at byte %d is cut", w.at)
			return 0
		}
		n += int(w.src[w.at])
		w.at++
	}
	return n
}

// checkLZ4 tells whether src is a block of size bytes.
func checkLZ4(src []byte, size int) error {
	w := lz4Walk{src: src}
	for w.next() {
	}
	if w.err == nil && w.out != size {
		return mismatch(size, w.out)
	}
	return w.err
}

// expandLZ4 decodes a block that checkLZ4 found sound into out. The fast
// decoder refuses blocks whose last token has a match length, which LZ4's own
// library takes.
func expandLZ4(out, src []byte) []byte {
	out = out[:0]
	for w := (lz4Walk{src: src}); w.next(); {
		out = append(out, w.literals...)
		for range w.match {
			out = append(out, out[len(out)-w.offset])
		}
	}
	return out
}
