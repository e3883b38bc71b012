package main

import "io"

// lastRows lets only the last rows through, when their end is known. Each Write
// is a row (see render.Sink).
type lastRows struct {
	w       io.Writer
	n       int // 0: all
	rows    [][]byte
	oldest  int
	holding bool
}

func newLastRows(w io.Writer, n int) *lastRows { return &lastRows{w: w, n: n} }

// begin says that rows come now, no titles.
func (l *lastRows) begin() { l.holding = l.n > 0 }

// Write takes a row.
func (l *lastRows) Write(row []byte) (int, error) {
	if !l.holding {
		return l.w.Write(row)
	}
	if len(l.rows) < l.n {
		l.rows = append(l.rows, append([]byte(nil), row...))
		return len(row), nil
	}
	l.rows[l.oldest] = append(l.rows[l.oldest][:0], row...)
	l.oldest = (l.oldest + 1) % l.n
	return len(row), nil
}

// AvailableBuffer is that of the writer where rows go through at once.
func (l *lastRows) AvailableBuffer() []byte {
	if w, ok := l.w.(interface{ AvailableBuffer() []byte }); ok && !l.holding {
		return w.AvailableBuffer()
	}
	return nil
}

// end writes the rows.
func (l *lastRows) end() error {
	l.holding = false
	for i := range l.rows {
		if _, err := l.w.Write(l.rows[(l.oldest+i)%len(l.rows)]); err != nil {
			return err
		}
	}
	l.rows = nil
	return nil
}
