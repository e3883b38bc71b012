package capture

import (
	"fmt"
	"io"
	"math"
	"os"
)

// stdinPath stands for standard input, stdinName is what messages call it.
const (
	stdinPath = "-"
	stdinName = "standard input"
)

// input is one file of a Source.
type input struct {
	path    string
	index   int
	log     *fileLog
	reader  container // nil while the file is closed
	closer  io.Closer
	buffer  []byte // that reader began with
	packet  Packet // read ahead for merging
	stale   bool   // packet is not there or has been handed out
	ended   bool
	options *Options
	shared  *shared
}

// shared is what the inputs of one Source have in common.
type shared struct {
	secrets  secrets
	progress progress
	buffers  [][]byte // free read buffers
	size     int      // of a new one, in bytes
}

func (s *shared) buffer() []byte {
	if n := len(s.buffers); n > 0 {
		b := s.buffers[n-1]
		s.buffers = s.buffers[:n-1]
		return b
	}
	return make([]byte, s.size)
}

func (in *input) name() string {
	if in.path == stdinPath {
		return stdinName
	}
	return in.path
}

// open makes the file ready to be read from its start. A quiet one warns of
// nothing, keeps nothing and is not counted.
func (in *input) open(quiet bool) error {
	in.log = &fileLog{file: in.name(), stats: FileStats{Name: in.name()}}
	file, err := in.file()
	if err != nil {
		return err
	}
	var src io.Reader = file
	if !quiet {
		in.log.tell, in.log.secrets = in.options.Warn, &in.shared.secrets
		src = &counted{file, &in.shared.progress}
	}
	in.closer, in.buffer = file, in.shared.buffer()
	if in.reader, err = openContainer(newWindow(src, in.buffer), in.log); err != nil {
		in.close()
		return fmt.Errorf("%s: %w", in.name(), err)
	}
	return nil
}

func (in *input) file() (io.ReadCloser, error) {
	if in.path == stdinPath {
		return io.NopCloser(in.options.Stdin), nil
	}
	return os.Open(in.path)
}

// next reads the next packet; after an error it gives io.EOF.
func (in *input) next(p *Packet) error {
	if in.ended {
		return io.EOF
	}
	err := in.reader.next(p)
	if err != nil {
		in.ended = true
		in.log.finish()
		in.close()
		return err
	}
	p.File = in.index
	in.log.stats.add(p)
	return nil
}

// pull reads the next packet ahead, opening the file where that was put off.
func (in *input) pull() error {
	if in.reader == nil && !in.ended {
		if err := in.open(false); err != nil {
			in.ended = true
			return err
		}
	}
	err := in.next(&in.packet)
	in.stale = err != nil
	return err
}

// before is the order of merging.
func (in *input) before(other *input) bool {
	if in.packet.Time != other.packet.Time {
		return in.packet.Time < other.packet.Time
	}
	return in.index < other.index
}

// park looks up the time of the first packet and puts off opening the file
// until merging comes to it: a run may have more files than can be open at
// once. A pipe, which cannot be read again, is opened at once.
func (in *input) park() error {
	in.packet.Time = math.MinInt64
	in.stale = true
	quiet := isRegular(in.path)
	if err := in.open(quiet); err != nil || !quiet {
		return err
	}
	if err := in.reader.next(&in.packet); err != nil {
		in.packet.Time = math.MinInt64 // to be met, and told of, first
	}
	return in.close()
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return path != stdinPath && err == nil && info.Mode().IsRegular()
}

// close may be called again. The read buffer serves the next file.
func (in *input) close() error {
	if in.closer == nil {
		return nil
	}
	err := in.closer.Close()
	in.shared.buffers = append(in.shared.buffers, in.buffer)
	in.closer, in.reader, in.buffer = nil, nil, nil
	return err
}

// progress adds up what has been read of all files.
type progress struct {
	done, total, told int64
	tell              func(done, total int64)
}

// progressStep is how many bytes lie between two calls of Options.Progress.
const progressStep = 1 << 20

func (p *progress) add(n int) {
	p.done += int64(n)
	if p.tell != nil && p.done-p.told >= progressStep {
		p.told = p.done
		p.tell(p.done, p.total)
	}
}

type counted struct {
	io.Reader
	progress *progress
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.add(n)
	return n, err
}
