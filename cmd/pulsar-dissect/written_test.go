package main

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// What fails in the middle leaves no file. A device or a pipe stays: it was there
// before, and is no file that is half written.
func TestPartialFiles(t *testing.T) {
	dir := t.TempDir()
	file, link, other := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "socket")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("unix", other)
	if err != nil {
		t.Skip(err)
	}
	defer l.Close() // it is done with
	broken := errors.New("broken")
	for _, path := range []string{file, link} {
		err := writeCapture(path, nil, streams{}, func(w io.Writer) error {
			_, err := w.Write([]byte("half"))
			return errors.Join(err, broken)
		}, func() { t.Error("said to be written") })
		if !errors.Is(err, broken) {
			t.Error(err)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v, want that there is no file", path, err)
		}
	}
	if err := removePartial(other); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(other); err != nil {
		t.Errorf("what is no file was removed: %v", err)
	}
}

// Full is a disk without space.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Nothing is said to be written that still was in a buffer when the disk was full.
func TestFullDisk(t *testing.T) {
	err := writeCapture(stdinPath, nil, streams{out: full{}}, func(w io.Writer) error {
		_, err := w.Write([]byte("little"))
		return err
	}, func() { t.Error("said to be written") })
	if !errors.Is(err, errFull) {
		t.Error(err)
	}
}
