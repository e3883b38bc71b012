package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/capture"
)

// writeCapture writes a file, or to standard output, with what make makes; once
// all of it is written, done is called. It never writes over one of the inputs,
// and leaves no file behind that is not whole.
func writeCapture(path string, inputs []string, s streams, make func(io.Writer) error, done func()) error {
	err := makeFile(path, inputs, s, make)
	if err == nil {
		done()
	}
	return err
}

func makeFile(path string, inputs []string, s streams, make func(io.Writer) error) error {
	if path == stdinPath {
		return makeBuffered(s.out, make)
	}
	if err := notAnInput(path, inputs); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return inputError{err}
	}
	if err := firstOf(makeBuffered(f, make), writing(f.Close())); err != nil {
		return errors.Join(err, removePartial(path))
	}
	return nil
}

func makeBuffered(to io.Writer, make func(io.Writer) error) error {
	w := bufio.NewWriterSize(to, outputBuffer)
	if err := make(w); err != nil {
		return err
	}
	return writing(w.Flush())
}

// removePartial removes a file that is not whole. What is no file, as a device or
// a pipe, stays.
func removePartial(path string) error {
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return os.Remove(at)
}

// inputs are all files that a run reads: captures, also those that patterns stand
// for, secrets, keys and schemas.
func (o *options) inputs() []string {
	captures, err := capture.Expand(o.files)
	if err != nil {
		captures = o.files // what is wrong with them is told when they are opened
	}
	named := slices.DeleteFunc(captures, func(path string) bool { return path == stdinPath })
	for _, text := range o.schemas.named {
		_, file, _ := strings.Cut(text, "=")
		named = append(named, file)
	}
	return slices.Concat(named, o.tlsKeyLogs, o.tlsKeys, o.keys.paths)
}

// notAnInput refuses to write over a file that is to be read.
func notAnInput(path string, inputs []string) error {
	at, err := os.Stat(path)
	if err != nil {
		return nil // it is not there yet; what else is wrong comes up when it is written
	}
	for _, name := range inputs {
		if in, err := os.Stat(name); err == nil && os.SameFile(at, in) {
			return wrongUse("Name another file.", "%s is an input, which is not written over", path)
		}
	}
	return nil
}

// some is a count with a noun.
func some(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
