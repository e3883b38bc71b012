package capture

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
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
	window  *window   // that reader reads from
	closers []io.Closer
	buffer  []byte // that window began with
	packet  Packet // read ahead for merging
	stale   bool   // packet is not there or has been handed out
	fault   error  // why it could not be opened
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
	switch {
	case in.path != stdinPath:
		return in.path
	case in.options.StdinName != "":
		return in.options.StdinName
	}
	return stdinName
}

// open makes the file ready to be read from its start. A quiet one warns of
// nothing, keeps nothing, is not counted and reads no more than it must.
func (in *input) open(quiet bool) error {
	in.log = &fileLog{file: in.name(), stats: FileStats{Name: in.name()}}
	if err := in.openFile(quiet); err != nil {
		_ = in.close() // err says more
		return in.named(err)
	}
	return nil
}

func (in *input) openFile(quiet bool) error {
	file, err := in.file()
	if err != nil {
		return err
	}
	in.closers = []io.Closer{file}
	var src io.Reader = file
	if !quiet {
		in.log.tell, in.log.secrets = in.options.Warn, &in.shared.secrets
		src = &counted{file, &in.shared.progress}
	}
	if in.path == stdinPath && in.options.Idle != nil {
		src = in.readAhead(io.NopCloser(src), in.shared.size)
	}
	in.window = newWindow(src, in.shared.buffer())
	if c := findCodec(in.window.peek(codecMagicSize)); c != nil {
		if err := in.unpack(c, quiet); err != nil {
			return err
		}
	}
	if a, ok := in.window.src.(*ahead); ok && in.path == stdinPath {
		a.idle = in.options.Idle // of the one that is read by who takes packets
	}
	in.buffer = in.window.buf
	in.window.src = &reporting{in.window.src, &in.shared.progress}
	in.reader, err = openContainer(in.window, in.log)
	return err
}

// unpack puts a window on what the file holds in place of that on the file. The
// buffer of the latter is not used again: its goroutine may not be done with it.
func (in *input) unpack(c *codec, quiet bool) error {
	u := &unpacker{codec: c, raw: in.window}
	if err := u.open(); err != nil {
		return err
	}
	in.log.within = c.name
	buf := in.shared.buffer()
	if quiet {
		in.closers = append(in.closers, u)
		in.window = newWindow(u, buf)
		return nil
	}
	in.window = newWindow(in.readAhead(u, len(buf)), buf)
	return nil
}

func (in *input) readAhead(src io.ReadCloser, blockSize int) *ahead {
	a := newAhead(src, blockSize)
	in.closers = append(in.closers, a)
	return a
}

// named adds the file's name where an error does not have it.
func (in *input) named(err error) error {
	var system *os.PathError
	if errors.As(err, &system) && system.Path == in.path {
		return fmt.Errorf("%s: %w", in.name(), system.Err)
	}
	return fmt.Errorf("%s: %w", in.name(), err)
}

func (in *input) file() (io.ReadCloser, error) {
	if in.path == stdinPath {
		return io.NopCloser(in.options.Stdin), nil
	}
	if info, err := os.Stat(in.path); err == nil && info.IsDir() {
		return nil, errors.New("a directory; name the files in it, as in DIR/*.pcap")
	}
	return os.Open(in.path)
}

// next reads the next packet; after an error it gives io.EOF.
func (in *input) next(p *Packet) error {
	if in.ended {
		return io.EOF
	}
	if err := in.reader.next(p); err != nil {
		return in.end(err)
	}
	p.File = in.index
	in.log.stats.Count(p)
	return nil
}

// end closes the file after err and tells of what made its bytes end.
func (in *input) end(err error) error {
	in.ended = true
	if err == io.EOF {
		err = in.failure()
	}
	in.log.stats.Broken = err != io.EOF
	in.log.finish()
	_ = in.close() // what was only read may close as it likes
	return err
}

// failure is io.EOF unless the bytes of the file ended before their time.
func (in *input) failure() error {
	failed, at := in.window.failure(), in.window.offset
	if failed == nil {
		return io.EOF
	}
	var packed *unpackError
	if errors.As(failed, &packed) && packed.harmless() {
		in.log.warn(in.log.stats.Packets, at, "%v", packed)
		return io.EOF
	}
	return &Error{Place: in.log.place(in.log.stats.Packets, at), Reason: "the file cannot be read any further", Err: failed}
}

// pull reads the next packet ahead, opening the file where that was put off.
func (in *input) pull() error {
	if in.fault != nil && !in.ended {
		return in.unread(in.fault)
	}
	if in.reader == nil && !in.ended {
		if err := in.open(false); err != nil {
			return in.unread(err)
		}
	}
	err := in.next(&in.packet)
	in.stale = err != nil
	return err
}

// unread: the file could not be opened.
func (in *input) unread(err error) error {
	in.ended, in.log.stats.Broken = true, true
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
	var errs []error
	for _, c := range slices.Backward(in.closers) {
		errs = append(errs, c.Close())
	}
	if in.buffer != nil {
		in.shared.buffers = append(in.shared.buffers, in.buffer)
	}
	in.closers, in.reader, in.window, in.buffer = nil, nil, nil, nil
	return errors.Join(errs...)
}
