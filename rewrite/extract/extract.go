package extract

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// Limits of what is written; zero fields take the defaults.
type Limits struct {
	Files int   // files
	Bytes int64 // of all of them
}

// The default limits.
const (
	DefaultFiles = 10_000
	DefaultBytes = 1 << 30
)

// waitingSends is how many SENDs are remembered that have no receipt yet.
const waitingSends = 100_000

// Counts says what was written, and what was not.
type Counts struct {
	Files   int
	Bytes   int64
	Again   int // messages that were written before, under the same name
	Unread  int // entries that could not be read
	Refused int // messages beyond the limits
}

// Folder writes payloads into a folder. Close has to be called.
type Folder struct {
	Counts
	root    *os.Root
	limits  Limits
	sums    map[string][sha256.Size]byte // of what is written, by name
	waiting map[send][]waiting           // files of SENDs that have no id yet
}

// send names a SEND.
type send struct {
	conn   int
	offset int64
}

// waiting is a file that gets another name when the receipt comes.
type waiting struct {
	name, topic string
	suffix      string // index and extension
}

// Open makes a folder ready, which is made if it is not there and has to be
// empty if it is.
func Open(path string, l Limits) (*Folder, error) {
	if l.Files == 0 {
		l.Files = DefaultFiles
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty", path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, limits: l, sums: map[string][sha256.Size]byte{}, waiting: map[send][]waiting{}}, nil
}

// Close ends writing.
func (f *Folder) Close() error { return f.root.Close() }

// Event takes an event: of a message that is wanted, or of any receipt.
func (f *Folder) Event(e *session.Event) error {
	switch e.Kind {
	case session.MessageSeen, session.ChunkedMessage:
		return f.message(e)
	case session.ExchangeSeen:
		return f.receipt(e)
	}
	return nil
}

func (f *Folder) message(e *session.Event) error {
	m := e.Message
	switch {
	case m.State == decode.StateChunk:
		return nil // the whole message comes as an event of its own
	case m.State != decode.StateOK || m.Metadata == nil:
		f.Unread++
		return nil
	case f.Files >= f.limits.Files || f.Bytes+int64(len(m.Payload)) > f.limits.Bytes:
		f.Refused++
		return nil
	}
	suffix := extension(m.Payload)
	if m.HasID {
		_, err := f.write(stored(e.Topic(), &m.ID, m), suffix, m.Payload)
		return err
	}
	name, err := f.write(sent(e.Topic(), m), suffix, m.Payload)
	if e.Frame != nil && name != "" && len(f.waiting) < waitingSends {
		k := send{conn: e.Conn.ID, offset: e.Frame.Offset}
		f.waiting[k] = append(f.waiting[k], waiting{name, e.Topic(), index(m) + suffix})
	}
	return err
}

// receipt gives the files of a SEND the names of their place.
func (f *Folder) receipt(e *session.Event) error {
	x := e.Exchange
	if x.Kind != session.Send || !x.HasRequest {
		return nil
	}
	k := send{conn: e.Conn.ID, offset: x.Request.Offset}
	files := f.waiting[k]
	delete(f.waiting, k)
	if !x.HasID || int64(x.ID.Ledger) < 0 {
		return nil
	}
	for _, w := range files {
		name := harmless(w.topic) + "-" + strconv.FormatInt(int64(x.ID.Ledger), 10) + "-" + strconv.FormatInt(int64(x.ID.Entry), 10) + w.suffix
		if err := f.rename(w.name, name); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) rename(from, to string) error {
	sum := f.sums[from]
	if have, ok := f.sums[to]; ok {
		if have != sum {
			return nil // another message has that name: both stay
		}
		f.Again++
		f.Files--
		delete(f.sums, from)
		return f.root.Remove(from)
	}
	if err := f.root.Rename(from, to); err != nil {
		return err
	}
	delete(f.sums, from)
	f.sums[to] = sum
	return nil
}

// write writes a file and gives its name; none where the same was written before.
// Another payload of the same name gets a number.
func (f *Folder) write(name, suffix string, payload []byte) (string, error) {
	sum := sha256.Sum256(payload)
	full := name + suffix
	for n := 2; ; n++ {
		have, ok := f.sums[full]
		if !ok {
			break
		}
		if have == sum {
			f.Again++
			return "", nil
		}
		full = name + "~" + strconv.Itoa(n) + suffix
	}
	file, err := f.root.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	f.sums[full] = sum
	f.Files++
	f.Bytes += int64(len(payload))
	_, err = file.Write(payload)
	return full, errors.Join(err, file.Close())
}
