package render

import (
	"io"
	"slices"
	"time"
)

// The limits of what a lineup holds. A connection is told to have ended two
// seconds after it did, since packets may come late.
const (
	lineupTime = 3 * time.Second // between the newest row and one that waits
	lineupRows = 20_000          // rows that wait
)

// lineup puts rows that are known late into their place: it holds rows until
// those that belong before them have come, as a rule. What comes later still is
// written when it comes.
type lineup struct {
	w       io.Writer
	live    bool // rows are written as they come
	rows    []lineupRow
	free    [][]byte
	newest  int64 // highest time of a row, ns since the Unix epoch
	before  int64 // the one before, of which nothing more is due
	written int64 // highest time of a row that is written
}

type lineupRow struct {
	time int64 // ns since the Unix epoch
	text []byte
}

// late says whether rows that belong behind one of this time are written.
func (l *lineup) late(ns int64) bool { return ns < l.written }

// add takes a row, which is copied.
func (l *lineup) add(ns int64, text []byte) error {
	if ns > l.newest {
		l.before, l.newest = l.newest, ns
	}
	if l.live || l.late(ns) {
		return l.write(ns, text)
	}
	at := len(l.rows)
	for at > 0 && l.rows[at-1].time > ns {
		at--
	}
	l.rows = slices.Insert(l.rows, at, lineupRow{ns, append(l.buffer(), text...)})
	return l.release(l.before-int64(lineupTime), lineupRows)
}

func (l *lineup) buffer() []byte {
	n := len(l.free)
	if n == 0 {
		return nil
	}
	b := l.free[n-1]
	l.free = l.free[:n-1]
	return b[:0]
}

// release writes the rows before a time, and so many that no more than most
// are left.
func (l *lineup) release(before int64, most int) error {
	n := 0
	for ; n < len(l.rows) && (l.rows[n].time < before || len(l.rows)-n > most); n++ {
		r := &l.rows[n]
		if err := l.write(r.time, r.text); err != nil {
			return err
		}
		l.free = append(l.free, r.text)
	}
	l.rows = l.rows[n:]
	return nil
}

func (l *lineup) write(ns int64, text []byte) error {
	l.written = max(l.written, ns)
	_, err := l.w.Write(text)
	return err
}

// close writes all rows.
func (l *lineup) close() error { return l.release(0, 0) }
