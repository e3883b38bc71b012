package decrypt

import (
	"errors"
	"iter"

	"pulsar-dissect/reassembly"
)

// Options says where secrets come from.
type Options struct {
	KeyLogs    []string        // paths of NSS key logs, which may grow during the run
	ServerKeys []string        // paths of RSA private keys of servers, in PEM
	Secrets    func() [][]byte // key logs within the captures, as far as read; may be nil
	Limits     Limits
	Raw        func(Raw) // takes what TLS connections carry as it was captured; may be nil
}

// Raw are bytes of one direction of a TLS connection, in their order. Data is
// borrowed until the call returns.
type Raw struct {
	Conn    *reassembly.Conn
	Side    reassembly.Side
	Offset  int64 // of the first one in the direction's stream
	Data    []byte
	Aligned bool // of the first bytes of a direction: a record begins there
}

// Decrypter opens the TLS connections among the events of reassembly. It is
// used for one run.
type Decrypter struct {
	limits   Limits
	raw      func(Raw)
	counters Counters
	keys     keyring
	sessions sessions
	buffers  buffers
	held     int    // bytes that wait, of all directions
	plain    []byte // of the record at hand

	event reassembly.Event
	yield func(*reassembly.Event, error) bool
	done  bool // the reader has gone
}

// New makes a decrypter. The error names every key log and key that cannot be
// read.
func New(o Options) (*Decrypter, error) {
	d := &Decrypter{limits: o.Limits.withDefaults(), raw: o.Raw, plain: make([]byte, longestRecord)}
	if d.raw == nil {
		d.raw = func(Raw) {}
	}
	d.keys = newKeyring(&d.limits, &d.counters)
	d.sessions = newSessions(&d.limits, &d.counters)
	d.keys.blocks = o.Secrets
	var errs []error
	for _, path := range o.KeyLogs {
		errs = append(errs, d.keys.open(path))
	}
	for _, path := range o.ServerKeys {
		k, err := readServerKey(path)
		errs = append(errs, err)
		d.keys.servers = append(d.keys.servers, k)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return d, nil
}

// Counters says what was opened, and how often limits were hit.
func (d *Decrypter) Counters() Counters { return d.counters }

// KeyLog is what was read of one of Options.KeyLogs.
type KeyLog struct {
	Path    string
	Secrets int // lines with a secret; 0: it is no key log, or an empty one
}

// KeyLogs tells of the key logs as far as they were read.
func (d *Decrypter) KeyLogs() (all []KeyLog) {
	for _, f := range d.keys.files {
		all = append(all, KeyLog{f.path, f.secrets})
	}
	return all
}

// Events reads the events of reassembly and passes them on, those of TLS
// connections with plain text in place of records.
func (d *Decrypter) Events(in iter.Seq2[*reassembly.Event, error]) iter.Seq2[*reassembly.Event, error] {
	return func(yield func(*reassembly.Event, error) bool) {
		d.yield = yield
		for e, err := range in {
			switch {
			case err != nil:
				if !yield(nil, err) {
					return
				}
			case e.Conn.Encryption != nil:
				d.take(e)
			default:
				if e.Kind == reassembly.Opened {
					e.Conn.Encryption = undecided
				}
				if !yield(e, nil) {
					return
				}
			}
			if d.done {
				return
			}
		}
	}
}

func (d *Decrypter) emit() { d.pass(&d.event) }

func (d *Decrypter) pass(e *reassembly.Event) {
	if !d.done && !d.yield(e, nil) {
		d.done = true
	}
}

// take takes an event of a connection that is or may be TLS.
func (d *Decrypter) take(e *reassembly.Event) {
	switch x := e.Conn.Encryption.(type) {
	case *opening:
		d.undecided(x, e)
	case *connection:
		d.encrypted(x, e)
	default:
		d.pass(e)
	}
}

// encrypted takes an event of a TLS connection.
func (d *Decrypter) encrypted(t *connection, e *reassembly.Event) {
	h := &t.halves[e.Side]
	switch e.Kind {
	case reassembly.Data:
		d.raw(Raw{e.Conn, e.Side, e.Offset, e.Data, h.aligned})
		d.align(t, h, e.Data)
		d.feed(t, h, e.Data, e.At)
		d.settleBoth(t, h)
	case reassembly.Gap:
		d.gap(t, h, e)
	case reassembly.Ended:
		d.close(t, e)
	default:
		d.event = *e
		d.event.Offset = h.plain
		d.emit()
	}
}

// align looks whether records begin at the first bytes of a direction whose
// start is not known.
func (d *Decrypter) align(t *connection, h *half, b []byte) {
	if h.aligned || h.reason != "" {
		return
	}
	h.aligned = true
	if !chained(b) {
		d.giveUp(t, h, reasonNoHandshake)
	}
	t.midstream = t.midstream || b[0] == contentApplication
}

// settleBoth looks after the direction that moved, and after the other one if
// it waits for it.
func (d *Decrypter) settleBoth(t *connection, h *half) {
	d.bound(t, h)
	d.tell(t, h, false)
	if o := &t.halves[h.side.Other()]; o.waits != "" {
		d.again(t, o)
		d.bound(t, o)
		d.tell(t, o, false)
	}
}

// close gives out what the connection still holds, and its end.
func (d *Decrypter) close(t *connection, e *reassembly.Event) {
	for i := range t.halves {
		d.end(t, &t.halves[i])
	}
	e.Conn.Encryption = t.facts
	d.pass(e)
}
