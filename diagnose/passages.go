package diagnose

import "pulsar-dissect/session/index"

// passagesKept is how many of the latest entries are remembered.
const passagesKept = 8192

// passages remember where the latest entries passed, by their checksums.
type passages struct {
	ring   []passage
	oldest int // place in ring that is taken next, once it is full
	index  index.Index
}

func newPassages() passages { return passages{index: index.New()} }

// find gives the passage of a checksum, nil if it is not remembered.
func (p *passages) find(sum uint32) *passage {
	if at, _ := p.index.Find(sum); at >= 0 {
		return &p.ring[at]
	}
	return nil
}

// add remembers a passage whose checksum is not there, in place of the oldest.
func (p *passages) add(x passage) {
	at := len(p.ring)
	if at < passagesKept {
		p.ring = append(p.ring, x)
	} else {
		at = p.oldest
		p.oldest = (p.oldest + 1) % passagesKept
		p.index.Remove(p.ring[at].sum, at)
		p.ring[at] = x
	}
	p.index.Add(x.sum, at)
}
