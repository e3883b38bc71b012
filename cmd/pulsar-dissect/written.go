package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
)

// writeCapture writes a file, or to standard output, with what make makes. It
// never writes over one of the inputs, and leaves no file behind that is not
// whole.
func writeCapture(path string, inputs []string, s streams, make func(io.Writer) error) error {
	if path == stdinPath {
		return make(s.out)
	}
	if isOneOf(path, inputs) {
		return wrongUse("Name another file.", "%s is an input, which is not written over", path)
	}
	f, err := os.Create(path)
	if err != nil {
		return inputError{err}
	}
	w := bufio.NewWriterSize(f, outputBuffer)
	err = make(w)
	if err == nil {
		err = writing(errors.Join(w.Flush(), f.Close()))
	} else {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// isOneOf says whether a path is one of these files, under whatever name.
func isOneOf(path string, files []string) bool {
	at, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, f := range files {
		if other, err := os.Stat(f); err == nil && os.SameFile(at, other) {
			return true
		}
	}
	return false
}

// some is a count with a noun.
func some(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
