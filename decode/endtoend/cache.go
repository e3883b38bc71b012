package endtoend

import (
	"crypto/sha256"
	"encoding/binary"
)

// cacheKey stands for a wrapped data key and its name. The name belongs to it:
// it decides which private keys are tried first.
type cacheKey [sha256.Size]byte

func cacheKeyOf(r *Recipient) (k cacheKey) {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(r.Name))))
	h.Write(r.Name)
	h.Write(r.Value)
	h.Sum(k[:0])
	return k
}

// cache holds outcomes, at most mostCached, oldest let go first.
type cache struct {
	byKey map[cacheKey]*outcome
	order []cacheKey // a ring once it is full
	next  int
}

func (c *cache) get(k cacheKey) *outcome { return c.byKey[k] }

func (c *cache) put(k cacheKey, o *outcome) {
	if c.byKey == nil {
		c.byKey = map[cacheKey]*outcome{}
	}
	if len(c.order) < mostCached {
		c.order = append(c.order, k)
	} else {
		delete(c.byKey, c.order[c.next])
		c.order[c.next] = k
		c.next = (c.next + 1) % mostCached
	}
	c.byKey[k] = o
}
