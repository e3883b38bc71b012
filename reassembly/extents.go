package reassembly

import "iter"

// Extent is a stretch of a stream that one packet brought.
type Extent struct {
	From, To int64 // offsets in the stream of the side
	At       Position
}

// Extents remembers which packets brought the latest bytes of all streams, for
// those who want to show a frame in its segments. Behind the stage decrypt the
// offsets are those of the plain text, and the packet is the one that completed
// the record.
type Extents struct {
	ring []extent
	next int
}

type extent struct {
	Extent
	conn int
	side Side
}

// rememberedExtents is how many are kept, of all streams together: 56 bytes
// each.
const rememberedExtents = 1 << 18

// Watch passes events on and remembers where their bytes came from.
func (x *Extents) Watch(events iter.Seq2[*Event, error]) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		for e, err := range events {
			if err == nil && e.Kind == Data {
				x.add(extent{Extent{e.Offset, e.Offset + int64(len(e.Data)), e.At}, e.Conn.ID, e.Side})
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (x *Extents) add(e extent) {
	if len(x.ring) < rememberedExtents {
		x.ring = append(x.ring, e)
		return
	}
	x.ring[x.next] = e
	x.next = (x.next + 1) % len(x.ring)
}

// Of gives the extents, cut to it, that bytes [from, to) of a stream came in, in
// the order of the stream. What is too long ago is missing.
func (x *Extents) Of(conn int, side Side, from, to int64) (found []Extent) {
	for i := range x.ring {
		e := x.ring[(x.next+i)%len(x.ring)]
		if e.conn == conn && e.side == side && e.From < to && e.To > from {
			e.From, e.To = max(e.From, from), min(e.To, to)
			found = append(found, e.Extent)
		}
	}
	return found
}
