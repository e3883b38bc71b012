package evidence

import (
	"time"

	"pulsar-dissect/capture"
)

// What is held of packets that will be written in any case, so that findings
// become comments on them.
const (
	heldTime  = time.Second
	heldBytes = 8 << 20
)

// Keeper keeps the packets of one run. After the first error it does nothing
// more (Err).
type Keeper struct {
	options Options
	hold    hold
	files   files
	written uint64
	err     error
}

// New makes a keeper. Unless there is a ring, the first file is opened at once.
func New(o Options) (*Keeper, error) {
	k := &Keeper{options: o}
	k.files.options = &k.options
	if k.rings() {
		return k, nil
	}
	return k, k.files.open()
}

func (k *Keeper) rings() bool { return k.options.RingBytes > 0 || k.options.RingTime > 0 }

// Add takes a packet, which is copied.
func (k *Keeper) Add(p *capture.Packet) {
	if k.err != nil {
		return
	}
	k.hold.add(p)
	k.release(p.Time)
}

// release lets go what has been held long enough.
func (k *Keeper) release(now int64) {
	most, longest := int64(heldBytes), heldTime
	if k.rings() {
		most, longest = k.options.RingBytes, k.options.RingTime
	}
	for k.hold.len() > 0 && (most > 0 && k.hold.bytes > most || longest > 0 && now-k.hold.oldest().packet.Time > longest.Nanoseconds()) {
		if !k.rings() {
			k.write()
		}
		k.hold.drop()
	}
}

// write writes the packet held longest.
func (k *Keeper) write() {
	if k.err != nil {
		return
	}
	p := k.hold.oldest()
	if k.err = k.files.write(&p.packet, p.comment, k.options.Stats); k.err == nil {
		k.written++
	}
}

// Comment says something of packets, by their numbers. Of packets that are
// written already it is said at the end of the file.
func (k *Keeper) Comment(numbers []uint64, text string) {
	late := false
	for _, n := range numbers {
		p := k.hold.find(n)
		if p == nil {
			late = true
			continue
		}
		if p.comment != "" {
			p.comment += "\n"
		}
		p.comment += text
	}
	if late {
		k.files.note(text)
	}
}

// Dump writes all that is held, and has it on disk.
func (k *Keeper) Dump() {
	for k.hold.len() > 0 {
		k.write()
		k.hold.drop()
	}
	k.flush()
}

// Idle says that no packet is at hand, at a time in ns since the Unix epoch. A file
// that is long enough by then ends: who fetches files need not wait for a packet.
func (k *Keeper) Idle(now int64) {
	k.release(now)
	if k.err == nil && k.files.long(now) {
		k.err = k.files.close(k.options.Stats())
	}
	k.flush()
}

func (k *Keeper) flush() {
	if k.err == nil {
		k.err = k.files.flush()
	}
}

// Err is why nothing more is written, nil while all is well.
func (k *Keeper) Err() error { return k.err }

// Written counts packets.
func (k *Keeper) Written() uint64 { return k.written }

// Files are those that are there.
func (k *Keeper) Files() []string { return k.files.kept }

// Close writes what is held, unless that is a ring, and ends the file.
func (k *Keeper) Close() error {
	if !k.rings() {
		k.Dump()
	}
	if err := k.files.close(k.options.Stats()); k.err == nil {
		k.err = err
	}
	return k.err
}
