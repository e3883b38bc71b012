package decrypt

import (
	"bytes"
	"io"
	"os"
	"time"
)

// longestLine is the longest line of a key log that is read, in bytes. The
// longest that means something has about 250.
const longestLine = 4 << 10

// keyFile is a key log that may grow while it is read.
type keyFile struct {
	path     string
	size     int64 // when it was last looked at
	modified time.Time
	done     int64 // bytes of whole lines that have been read
	secrets  int   // lines with a secret, as far as read
}

// refresh reads the lines that are new. A file that became shorter, or that
// another took the place of, is read from its start; a pipe is read once. An
// error after the first time means that nothing is new.
func (f *keyFile) refresh(add func(line []byte)) error {
	st, err := os.Stat(f.path)
	if err != nil || f.size >= 0 && !st.Mode().IsRegular() || st.Size() == f.size && st.ModTime().Equal(f.modified) {
		return err
	}
	if st.Size() < f.done {
		f.done, f.secrets = 0, 0
	}
	f.size, f.modified = st.Size(), st.ModTime()
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(f.done, io.SeekStart); err != nil && st.Mode().IsRegular() {
		return err
	}
	n, err := readLines(file, add)
	f.done += n
	return err
}

// readLines gives all lines, the last one also without its end, and how many
// bytes the whole lines took. Of a line that is too long the pieces are given,
// which mean nothing.
func readLines(r io.Reader, add func(line []byte)) (whole int64, err error) {
	buf := make([]byte, 0, 16*longestLine)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		used := 0
		for {
			i := bytes.IndexByte(buf[used:], '\n')
			if i < 0 {
				break
			}
			add(buf[used : used+i])
			used += i + 1
		}
		if used == 0 && len(buf) == cap(buf) {
			used = len(buf)
		}
		whole += int64(used)
		buf = append(buf[:0], buf[used:]...)
		if err == io.EOF {
			add(buf)
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
	}
}
