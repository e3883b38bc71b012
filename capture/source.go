package capture

import (
	"errors"
	"io"
	"iter"
	"os"
	"time"
)

// Options are what a user can choose about reading.
type Options struct {
	// Reorder sorts packets by time where they lie no further apart than this.
	// 0 leaves them in the order of the file.
	Reorder time.Duration
	// Partial has the other files read where one cannot be opened: its error
	// comes up in the loop over Packets. Open fails if none can be.
	Partial bool
	// Warn takes faults that do not end reading. It is called from within Open
	// and from within the loop over Packets.
	Warn func(Warning)
	// Progress is called about once per MiB with the bytes read of all files,
	// as they are on disk. total is 0 where it is not known.
	Progress func(done, total int64)
	// Stdin is what "-" reads, os.Stdin if nil.
	Stdin io.Reader
	// StdinName is what messages call it, "standard input" if empty.
	StdinName string
	// Idle is called when standard input has nothing more to give for now, and every
	// second while nothing comes, from within the loop over Packets. nil: that is not looked at.
	Idle func()
}

// Source reads packets of one or more files.
type Source struct {
	shared shared
	names  []string
	inputs []*input
	feed   feed
}

// feed gives packets one by one: io.EOF at the end; after another error it can
// be asked again.
type feed interface {
	next(p *Packet) error
}

// Open makes files ready to be read; "-" is standard input. A path that does not
// exist is taken as a glob. Each file is looked at: an error tells of every one
// that cannot be read, what it looks like and what may help.
func Open(paths []string, o Options) (*Source, error) {
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	names, err := Expand(paths)
	if err != nil {
		return nil, err
	}
	s := &Source{names: names}
	s.shared.progress.tell = o.Progress
	s.shared.progress.total = totalSize(names)
	s.shared.size = readBufferFor(len(names))
	if err := s.openAll(&o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Source) openAll(o *Options) error {
	var errs []error
	opened := false
	for i, path := range s.names {
		in := &input{path: path, index: i, options: o, shared: &s.shared}
		s.inputs = append(s.inputs, in)
		in.fault = s.openInput(in)
		errs = append(errs, in.fault)
		opened = opened || in.fault == nil
	}
	s.feed = s.feedFor(o)
	if o.Partial && opened {
		return nil
	}
	return errors.Join(errs...)
}

func (s *Source) feedFor(o *Options) feed {
	var f feed = s.inputs[0]
	if len(s.inputs) > 1 {
		f = newMerger(s.inputs)
	}
	if o.Reorder > 0 {
		f = newSorter(f, o.Reorder.Nanoseconds(), s.warnFull)
	}
	return f
}

// warnFull tells that a limit of the sorter was reached.
func (s *Source) warnFull(p *Packet, limit string) {
	log := s.inputs[p.File].log
	log.warn(log.stats.Packets, 0, "more than %s lie within the time in which packets are put in order: from packet %d of the run on it is less time",
		limit, p.Number)
}

func (s *Source) openInput(in *input) error {
	if len(s.names) > 1 {
		return in.park()
	}
	return in.open(false)
}

// Files are the paths read, globs expanded, in the order of Packet.File.
func (s *Source) Files() []string { return s.names }

// Packets gives the packets that are left. An error means that a file could not
// be read to its end (*Error says where and why); the loop may go on with the
// packets of other files. A second loop goes on where the first one stopped.
func (s *Source) Packets() iter.Seq2[Packet, error] {
	return func(yield func(Packet, error) bool) {
		var p Packet
		for {
			err := s.feed.next(&p)
			if err == io.EOF {
				return
			}
			if err != nil {
				p = Packet{}
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// Secrets are the TLS key logs (NSS key log text) of the Decryption Secrets
// Blocks of pcapng files read so far, in the order met.
func (s *Source) Secrets() [][]byte { return s.shared.secrets.texts }

// Stats tells what has been read so far.
func (s *Source) Stats() Stats {
	var st Stats
	for _, in := range s.inputs {
		st.Files = append(st.Files, in.log.stats)
	}
	return st
}

// Close ends reading; no packets are left then.
func (s *Source) Close() error {
	s.feed = &merger{} // of no files
	var errs []error
	for _, in := range s.inputs {
		errs = append(errs, in.close())
	}
	return errors.Join(errs...)
}
