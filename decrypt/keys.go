package decrypt

import (
	"bytes"
	"crypto/rsa"
	"fmt"
)

type random [randomSize]byte

// keyring holds the secrets of all sources.
type keyring struct {
	limits   *Limits
	counters *Counters
	files    []*keyFile
	blocks   func() [][]byte // key logs within the capture; may be nil
	read     int             // how many of them have been read
	servers  []*rsa.PrivateKey

	byRandom  map[random]*randomKeys
	randoms   []random          // in the order in which they came
	bySession map[string][]byte // master secrets
	byRSA     map[string][]byte // premaster secrets by the start of the encrypted ones
}

// randomKeys are the secrets of one client random, by keyKind.
type randomKeys [keyKinds][]byte

func newKeyring(l *Limits, c *Counters) keyring {
	return keyring{limits: l, counters: c, byRandom: map[random]*randomKeys{}, bySession: map[string][]byte{}, byRSA: map[string][]byte{}}
}

// mayGrow says whether a secret that is not there may yet come.
func (k *keyring) mayGrow() bool { return len(k.files) > 0 || k.blocks != nil }

// of gives the secrets of a client random, nil if there are none. Sources that
// grew are read first where want is not among those known.
func (k *keyring) of(r random, want keyKind) *randomKeys {
	if e := k.byRandom[r]; e != nil && e[want] != nil {
		return e
	}
	k.refresh()
	return k.byRandom[r]
}

// refresh reads what is new in the sources.
func (k *keyring) refresh() {
	for _, f := range k.files {
		_ = k.readFile(f) // what was read before stays; a file that has gone is not needed any more
	}
	if k.blocks == nil {
		return
	}
	texts := k.blocks()
	for ; k.read < len(texts); k.read++ {
		k.addText(texts[k.read])
	}
}

// open reads a key log for the first time.
func (k *keyring) open(path string) error {
	f := &keyFile{path: path, size: -1}
	if err := k.readFile(f); err != nil {
		return fmt.Errorf("TLS key log %s: %w (for a log that is yet to be written, make an empty file first)", path, err)
	}
	k.files = append(k.files, f)
	return nil
}

// readFile reads what is new in a key log.
func (k *keyring) readFile(f *keyFile) error {
	return f.refresh(func(line []byte) {
		if k.add(line) {
			f.secrets++
		}
	})
}

func (k *keyring) addText(text []byte) {
	for line := range bytes.Lines(text) {
		k.add(line)
	}
}

// add takes a line of a key log, and says whether it holds a secret. The last one for a secret counts: the end of
// a growing log may have been read while it was half written.
func (k *keyring) add(line []byte) bool {
	l, ok := parseKeyLine(line)
	if !ok {
		return false
	}
	switch l.kind {
	case keyRSA:
		k.keep(k.byRSA, l)
	case keySession:
		k.keep(k.bySession, l)
	default:
		k.addRandom(random(l.id), l)
	}
	return true
}

// keep adds to a map of rare keys, as long as there is room.
func (k *keyring) keep(m map[string][]byte, l keyLine) {
	if len(m) >= k.limits.KeyLogEntries {
		k.counters.KeyLogLimit++
		return
	}
	m[string(l.id)] = l.secret
}

func (k *keyring) addRandom(r random, l keyLine) {
	e := k.byRandom[r]
	if e == nil {
		if len(k.randoms) >= k.limits.KeyLogEntries {
			delete(k.byRandom, k.randoms[0])
			k.randoms = k.randoms[1:]
			k.counters.KeyLogLimit++
		}
		e = new(randomKeys)
		k.byRandom[r] = e
		k.randoms = append(k.randoms, r)
	}
	e[l.kind] = l.secret
}
