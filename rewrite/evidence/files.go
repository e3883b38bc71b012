package evidence

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/rewrite/pcapng"
)

// fileBuffer is the size of the buffer in front of a file, in bytes.
const fileBuffer = 256 << 10

// files are the files of a run.
type files struct {
	options *Options
	number  int      // of the latest one, where there is a series
	kept    []string // those that were not removed again
	file    *os.File // nil if none is open
	buffer  *bufio.Writer
	writer  *pcapng.Writer
	ids     map[source]uint32
	sources []source // by id
	packets uint64   // in the file that is open
	began   int64    // time of its first packet, ns
	last    int64    // of its latest
	notes   []string // for its end
}

// source is where a packet came from. Each gets an interface in a file.
type source struct {
	file int
	id   uint32
	link capture.LinkType
}

// File is the path of a file of the series, counted from 1, or of the only one.
func (o *Options) File(n int) string {
	if !o.Rotates() {
		return o.Path
	}
	end := filepath.Ext(o.Path)
	return fmt.Sprintf("%s-%05d%s", strings.TrimSuffix(o.Path, end), n, end)
}

func (f *files) open() error {
	path, file, err := f.create()
	if err != nil {
		return err
	}
	f.file, f.buffer = file, bufio.NewWriterSize(file, fileBuffer)
	f.writer = pcapng.New(f.buffer, f.options.Application)
	f.ids, f.sources, f.packets = map[source]uint32{}, nil, 0
	f.kept = append(f.kept, path)
	return f.removeOld()
}

// create makes the file that the user named; of a series the next one that is not
// there yet, since nobody named those of an earlier run to be written over.
func (f *files) create() (path string, file *os.File, err error) {
	if !f.options.Rotates() {
		file, err = os.Create(f.options.Path)
		return f.options.Path, file, err
	}
	for {
		f.number++
		path = f.options.File(f.number)
		file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			return path, file, err
		}
	}
}

// removeOld removes files of this run beyond those that are to be kept.
func (f *files) removeOld() error {
	if f.options.Keep <= 0 || len(f.kept) <= f.options.Keep {
		return nil
	}
	old := f.kept[0]
	f.kept = f.kept[1:]
	return os.Remove(old)
}

// write writes a packet, to a new file if the one at hand is full.
func (f *files) write(p *capture.Packet, comment string, stats func() capture.Stats) error {
	if f.full(p, comment) {
		if err := f.close(stats()); err != nil {
			return err
		}
	}
	if f.file == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.packets == 0 {
		f.began = p.Time
	}
	f.packets++
	f.last = p.Time
	id, err := f.interfaceOf(p)
	if err != nil {
		return err
	}
	return f.writer.Packet(id, p, comment)
}

// blockCost is what a block takes besides the bytes and the comment in it, at
// most.
const blockCost = 96

// full says whether a packet, and what stands at the end of the file, would make
// it too large, or too long.
func (f *files) full(p *capture.Packet, comment string) bool {
	o := f.options
	if f.file == nil || f.packets == 0 {
		return false
	}
	end := int64(blockCost * (len(f.sources) + 1))
	for _, n := range f.notes {
		end += int64(len(n)) + 1
	}
	return o.RotateCount > 0 && f.packets >= uint64(o.RotateCount) ||
		o.RotateSize > 0 && f.writer.Written()+int64(blockCost+len(p.Data)+len(comment))+end > o.RotateSize ||
		f.long(p.Time)
}

// long says whether the file that is open has as much time as it may, at a time in
// ns since the Unix epoch.
func (f *files) long(now int64) bool {
	return f.file != nil && f.packets > 0 && f.options.RotateTime > 0 && now-f.began >= f.options.RotateTime.Nanoseconds()
}

// interfaceOf is the number that the interface of a packet has in the file. Those
// of a live capture keep their numbers, so the ones before it are described, too.
func (f *files) interfaceOf(p *capture.Packet) (uint32, error) {
	s := source{p.File, p.Interface, p.Link}
	if id, known := f.ids[s]; known {
		return id, nil
	}
	for f.options.Name != nil && uint32(len(f.sources)) < p.Interface {
		if err := f.describe(source{p.File, uint32(len(f.sources)), p.Link}); err != nil {
			return 0, err
		}
	}
	err := f.describe(s)
	return f.ids[s], err
}

func (f *files) describe(s source) error {
	name := ""
	if f.options.Name != nil {
		name = f.options.Name(s.id)
	}
	f.ids[s] = uint32(len(f.sources))
	f.sources = append(f.sources, s)
	return f.writer.Interface(s.link, name)
}

// describeRest describes the interfaces of a live capture of which no packet was
// written, so that they are counted, too.
func (f *files) describeRest(stats capture.Stats) error {
	if f.options.Name == nil {
		return nil
	}
	for len(f.sources) < len(stats.Files[0].Interfaces) {
		if err := f.describe(source{0, uint32(len(f.sources)), linkEthernet}); err != nil {
			return err
		}
	}
	return nil
}

// linkEthernet stands where no packet tells the link type.
const linkEthernet = 1

// note keeps a comment for the end of the file, or of the next where one has ended.
func (f *files) note(text string) {
	if len(f.kept) > 0 && len(f.notes) < maxNotes {
		f.notes = append(f.notes, text)
	}
}

// maxNotes is how many findings are told at the end of a file.
const maxNotes = 100

func (f *files) flush() error {
	if f.file == nil {
		return nil
	}
	return f.buffer.Flush()
}

// close ends the file that is open, with what was counted until now.
func (f *files) close(stats capture.Stats) error {
	if f.file == nil {
		return nil
	}
	err := f.count(stats)
	err = errors.Join(err, f.buffer.Flush(), f.file.Close())
	f.file, f.notes = nil, nil
	return err
}

// count writes the counts of interfaces, the first with what was found too late
// to stand at its packets.
func (f *files) count(stats capture.Stats) error {
	if err := f.describeRest(stats); err != nil {
		return err
	}
	comment := strings.Join(f.notes, "\n")
	for id, s := range f.sources {
		if s.file >= len(stats.Files) || int(s.id) >= len(stats.Files[s.file].Interfaces) {
			continue
		}
		text := ""
		if id == 0 {
			text = comment
		}
		if err := f.writer.Statistics(uint32(id), f.last, &stats.Files[s.file].Interfaces[s.id], text); err != nil {
			return err
		}
	}
	return nil
}

// Rotates says whether there may be several files.
func (o *Options) Rotates() bool { return o.RotateSize > 0 || o.RotateTime > 0 || o.RotateCount > 0 }

// Options say what is kept, and where.
type Options struct {
	Path        string
	Application string                 // named in the files
	Name        func(id uint32) string // names of interfaces; nil: they are not known

	RotateSize  int64         // bytes of a file; 0: no limit
	RotateTime  time.Duration // of packets in a file; 0: no limit
	RotateCount int           // packets of a file; 0: no limit
	Keep        int           // files; 0: all

	// A ring holds the latest packets up to so many bytes or so long, and writes
	// them only when Dump is called. Both 0: everything is written.
	RingBytes int64
	RingTime  time.Duration

	// Stats gives the counts that stand at the end of a file.
	Stats func() capture.Stats
}
