package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// What lines may wait for receipts: so many, of so many bytes. Then the first
// are written without an id.
const (
	maxWaitingRows  = 10_000
	maxWaitingBytes = 16 << 20
)

// The cells of a row of the messages face.
const (
	rowTime = iota
	rowPacket
	rowTopic
	rowID
	rowBatch
	rowSize
	rowCodec
	rowKey
	rowTrouble
	rowDetails
	rowWhole // lines below
	rowCells // their number
)

// messageRow is a line that may have to wait. Its cells lie one behind the
// other in text.
type messageRow struct {
	conn    int
	dir     decode.Direction
	text    []byte
	ends    [rowCells]int32
	given   []byte // the id, where it came later
	waits   bool
	at      place // waits: the SEND
	counted int   // bytes counted against the limit
}

func (r *messageRow) reset() {
	r.text, r.given, r.waits, r.ends = r.text[:0], r.given[:0], false, [rowCells]int32{}
}

// close ends the cell that was appended to r.text last.
func (r *messageRow) close(cell int) { r.ends[cell] = int32(len(r.text)) }

func (r *messageRow) cell(i int) []byte {
	if i == rowID && len(r.given) > 0 {
		return r.given
	}
	start := int32(0)
	if i > 0 {
		start = r.ends[i-1]
	}
	return r.text[start:r.ends[i]]
}

// place names a frame.
type place struct {
	conn   int
	dir    decode.Direction
	offset int64
}

func placeOf(conn int, r *session.Ref) place { return place{conn, r.Direction, r.Offset} }

// waitingRows is a queue of rows, some of which wait. The memory of rows that
// are written is used again.
type waitingRows struct {
	queue    []*messageRow
	head     int
	waiting  map[place][]*messageRow // rows of a batch come from one SEND
	free     []*messageRow
	lists    [][]*messageRow
	most     int
	mostSize int
	size     int
	written  *messageRow // handed out last
}

func newWaitingRows(rows, bytes int) waitingRows {
	return waitingRows{most: rows, mostSize: bytes, waiting: map[place][]*messageRow{}}
}

func (q *waitingRows) len() int { return len(q.queue) - q.head }

// add gives an empty row at the end of the queue.
func (q *waitingRows) add() *messageRow {
	var r *messageRow
	if n := len(q.free); n > 0 {
		r, q.free = q.free[n-1], q.free[:n-1]
		r.reset()
	} else {
		r = &messageRow{}
	}
	q.queue = append(q.queue, r)
	return r
}

// wait has a row wait for what became of the SEND at a place.
func (q *waitingRows) wait(r *messageRow, at place) {
	r.waits, r.at = true, at
	list, ok := q.waiting[at]
	if n := len(q.lists); !ok && n > 0 {
		list, q.lists = q.lists[n-1][:0], q.lists[:n-1]
	}
	q.waiting[at] = append(list, r)
}

// settle gives the rows of a SEND their id.
func (q *waitingRows) settle(at place, id []byte) {
	list, ok := q.waiting[at]
	if !ok {
		return
	}
	for _, r := range list {
		r.given, r.waits = append(r.given[:0], id...), false
	}
	delete(q.waiting, at)
	q.lists = append(q.lists, list)
}

// settleAll ends the waiting of a connection that has ended.
func (q *waitingRows) settleAll(conn int) {
	for at := range q.waiting {
		if at.conn == conn {
			q.settle(at, []byte("-"))
		}
	}
}

// next takes the row at the front, unless it waits and may do so; nil if there
// is none. The row is valid until the next call.
func (q *waitingRows) next(all bool) *messageRow {
	if q.written != nil {
		q.free = append(q.free, q.written)
		q.written = nil
	}
	q.count()
	if q.len() == 0 {
		q.queue, q.head = q.queue[:0], 0
		return nil
	}
	r := q.queue[q.head]
	if r.waits && !all && q.len() <= q.most && q.size <= q.mostSize {
		return nil
	}
	q.take(r)
	return r
}

// count takes the size of the row that was added last into account.
func (q *waitingRows) count() {
	if q.len() > 0 {
		r := q.queue[len(q.queue)-1]
		q.size += len(r.text) - r.counted
		r.counted = len(r.text)
	}
}

func (q *waitingRows) take(r *messageRow) {
	if r.waits {
		q.giveUp(r)
	}
	q.head++
	if q.head > 64 && q.head > len(q.queue)/2 {
		n := copy(q.queue, q.queue[q.head:])
		q.queue, q.head = q.queue[:n], 0
	}
	q.size -= r.counted
	r.counted = 0
	q.written = r
}

// giveUp forgets that a row waits. Of the rows of its SEND it is the first,
// since they are taken in order.
func (q *waitingRows) giveUp(r *messageRow) {
	list := q.waiting[r.at]
	if len(list) > 1 {
		q.waiting[r.at] = list[1:]
		return
	}
	delete(q.waiting, r.at)
}
