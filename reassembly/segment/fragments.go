package segment

import "container/list"

// maxDatagram is the most bytes an IP packet of fragments can have.
const maxDatagram = 0xffff

// fragmentKey tells which fragments belong together (RFC 791 section 3.2, RFC
// 8200 section 4.5). The tag keeps overlapping networks apart.
type fragmentKey struct {
	source, destination [16]byte
	tag                 uint64
	id                  uint32
	protocol            uint8
}

// fragments puts fragmented IP packets together. The oldest incomplete packet
// goes first when a limit is hit.
type fragments struct {
	limits  Limits
	now     int64 // time of the packet being read, ns
	byKey   map[fragmentKey]*list.Element
	oldest  *list.List // of *datagram, by the time of their first fragment
	bytes   int        // cost of all of them
	whole   []byte     // the last packet put together
	counted FragmentStats
}

func newFragments(limits Limits) *fragments {
	return &fragments{
		limits: limits.orDefaults(), byKey: map[fragmentKey]*list.Element{}, oldest: list.New(),
	}
}

// add takes the fragment in body. Once its packet is complete, body becomes the
// payload of that.
func (f *fragments) add(key fragmentKey, offset int, more bool, body *payload) Reason {
	f.counted.Received++
	f.expire()
	if why := f.check(offset, body); why != OK {
		return why
	}
	f.room(key, len(body.data)+pieceCost)
	element := f.entry(key)
	d := element.Value.(*datagram)
	before := d.cost()
	d.insert(offset, more, body)
	f.bytes += d.cost() - before
	if !d.complete() {
		return FragmentPending
	}
	f.whole = d.assemble(f.whole[:0])
	f.remove(element)
	f.counted.Assembled++
	body.protocol, body.data, body.length = d.protocol, f.whole, len(f.whole)
	return OK
}

func (f *fragments) check(offset int, body *payload) Reason {
	switch {
	case len(body.data) < body.length:
		f.counted.Cut++
		return FragmentCut
	case offset+body.length > maxDatagram:
		return BadIP
	case body.length+pieceCost > f.limits.FragmentBytes:
		f.counted.Dropped++
		return FragmentDropped
	}
	return OK
}

func (f *fragments) entry(key fragmentKey) *list.Element {
	if e := f.byKey[key]; e != nil {
		return e
	}
	e := f.oldest.PushBack(&datagram{key: key, first: f.now, end: unknownEnd})
	f.byKey[key] = e
	return e
}

// expire gives up what waits for too long. Time is that of the packets.
func (f *fragments) expire() {
	for f.oldest.Len() > 0 {
		e := f.oldest.Front()
		if f.now-e.Value.(*datagram).first <= int64(f.limits.FragmentAge) {
			return
		}
		f.remove(e)
		f.counted.Expired++
	}
}

// room gives up the oldest until there is place for one more fragment of that cost.
func (f *fragments) room(key fragmentKey, cost int) {
	for f.oldest.Len() > 0 && !f.fits(key, cost) {
		f.remove(f.oldest.Front())
		f.counted.Evicted++
	}
}

func (f *fragments) fits(key fragmentKey, cost int) bool {
	if f.bytes+cost > f.limits.FragmentBytes {
		return false
	}
	return f.oldest.Len() < f.limits.FragmentDatagrams || f.byKey[key] != nil
}

func (f *fragments) remove(e *list.Element) {
	d := f.oldest.Remove(e).(*datagram)
	delete(f.byKey, d.key)
	f.bytes -= d.cost()
}

func (f *fragments) stats() FragmentStats {
	s := f.counted
	s.Pending, s.PendingBytes = f.oldest.Len(), f.bytes
	return s
}
