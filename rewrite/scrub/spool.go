package scrub

import (
	"errors"
	"os"
	"slices"

	"pulsar-dissect/reassembly"
)

// spool keeps the new bytes of streams in a temporary file. They hold nothing
// that is to be replaced.
type spool struct {
	file    *os.File
	gone    bool // its name is removed
	size    int64
	streams map[streamOf][]stretch
	buf     []byte // what is not written yet
}

// streamOf names a direction of a connection.
type streamOf struct {
	conn int
	side reassembly.Side
}

// stretch are bytes of a stream that lie in the file.
type stretch struct{ offset, end, at int64 }

// spoolBuffer is how many bytes are written at once.
const spoolBuffer = 1 << 20

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "pulsar-dissect-scrub-")
	if err != nil {
		return nil, err
	}
	gone := os.Remove(f.Name()) == nil // where an open file can go, it does not outlive the program
	return &spool{file: f, gone: gone, streams: map[streamOf][]stretch{}}, nil
}

func (s *spool) close() error {
	err := s.file.Close()
	if !s.gone {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// add keeps bytes of a stream from an offset on.
func (s *spool) add(of streamOf, offset int64, b []byte) error {
	s.streams[of] = append(s.streams[of], stretch{offset, offset + int64(len(b)), s.size})
	s.size += int64(len(b))
	if s.buf = append(s.buf, b...); len(s.buf) < spoolBuffer {
		return nil
	}
	return s.flush()
}

func (s *spool) flush() error {
	_, err := s.file.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// sort makes the streams ready to be read.
func (s *spool) sort() error {
	for _, list := range s.streams {
		slices.SortFunc(list, func(a, b stretch) int { return int(a.offset - b.offset) })
	}
	return s.flush()
}

// missing takes bytes that are not there, from an offset of their stream on; behind
// says that they follow on others.
type missing func(b []byte, offset int64, behind bool)

// read overwrites b, the bytes of a stream from an offset on, with the new ones.
func (s *spool) read(of streamOf, offset int64, b []byte, missing missing) error {
	list := s.streams[of]
	i, _ := slices.BinarySearchFunc(list, offset, func(x stretch, at int64) int {
		if x.end <= at {
			return -1
		}
		return 1
	})
	for len(b) > 0 {
		behind := i > 0 && list[i-1].end == offset
		if i == len(list) || list[i].offset >= offset+int64(len(b)) {
			missing(b, offset, behind)
			return nil
		}
		x := &list[i]
		if x.offset > offset {
			n := x.offset - offset
			missing(b[:n], offset, behind)
			b, offset = b[n:], x.offset
		}
		n := min(int64(len(b)), x.end-offset)
		if _, err := s.file.ReadAt(b[:n], x.at+offset-x.offset); err != nil {
			return err
		}
		b, offset = b[n:], offset+n
		i++
	}
	return nil
}
