package endtoend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Keys are private keys, and the data keys that they have opened. They are not
// safe for concurrent use.
type Keys struct {
	keys  []privateKey // in the order of loading
	cache cache
}

// privateKey unwraps data keys.
type privateKey struct {
	file   string // base name, for messages
	unwrap func(wrapped []byte) (dataKey []byte, err error)
	fault  error // why it cannot be used; then there is no unwrap
}

// Load reads private keys: PEM files with RSA or EC keys in the forms PKCS#1,
// PKCS#8 or SEC 1, or folders. Of a folder every private key in it is taken,
// not those of its subfolders; public keys and other files are passed over, and
// a private key that cannot be used is named in the errors of Open. The error
// of Load tells which path is of no use, and why.
func Load(paths []string) (*Keys, error) {
	k := &Keys{}
	for _, p := range paths {
		if err := k.load(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if len(k.keys) > mostKeys {
			return nil, fmt.Errorf("%s: more than %d private keys", p, mostKeys)
		}
	}
	return k, nil
}

// Len is the number of private keys.
func (k *Keys) Len() int {
	if k == nil {
		return 0
	}
	return len(k.keys)
}

var errNoKey = errors.New("no private key in it; expected PEM with an RSA or EC key (PKCS#1, PKCS#8 or SEC 1)")

func (k *Keys) load(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return bare(err)
	case info.IsDir():
		return k.loadFolder(path)
	case info.Size() > largestFile:
		return fmt.Errorf("%d bytes, a key file has at most %d", info.Size(), largestFile)
	}
	found, err := readKeys(path)
	if err != nil {
		return err
	}
	for _, key := range found {
		if key.fault != nil {
			return key.fault
		}
	}
	k.keys = append(k.keys, found...)
	return nil
}

// loadFolder takes what is a private key. Links are followed: secrets are
// often mounted as such.
func (k *Keys) loadFolder(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return bare(err)
	}
	before := len(k.keys)
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestFile {
			continue
		}
		found, err := readKeys(file)
		if errors.Is(err, errNoKey) {
			continue
		}
		if err != nil {
			found = []privateKey{{file: e.Name(), fault: err}}
		}
		k.keys = append(k.keys, found...)
	}
	if len(k.keys) == before {
		return errors.New("no private key in this folder (subfolders are not looked at)")
	}
	return nil
}

func readKeys(path string) ([]privateKey, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, bare(err)
	}
	found := parsePEM(b)
	if len(found) == 0 {
		return nil, errNoKey
	}
	for i := range found {
		found[i].file = filepath.Base(path)
	}
	return found, nil
}

// bare takes the path off an error that will be shown with it.
func bare(err error) error {
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// named says whether the key's file is named after a key name of clients: ops
// fits ops, ops.pem and ops-private.pem.
func (p *privateKey) named(name string) bool {
	n := len(name)
	if n == 0 || len(p.file) < n || p.file[:n] != name {
		return false
	}
	return len(p.file) == n || p.file[n] == '.' || p.file[n] == '-' || p.file[n] == '_'
}
