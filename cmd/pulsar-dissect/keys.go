package main

import (
	"strings"

	"pulsar-dissect/decode/endtoend"
)

// keys is the value of a flag that names private keys, and may be given
// several times.
type keys struct {
	paths  []string
	loaded *endtoend.Keys
}

// Set adds a file or folder. Its keys are read at once, so that a path which
// is of no use is told of before any capture is read.
func (k *keys) Set(path string) error {
	paths := append(k.paths, path)
	loaded, err := endtoend.Load(paths)
	if err != nil {
		return err
	}
	k.paths, k.loaded = paths, loaded
	return nil
}

func (k *keys) String() string { return strings.Join(k.paths, ", ") }

// Type is how help texts call the value.
func (k *keys) Type() string { return "PATH" }
