package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pulsar-dissect/internal/testkit"
)

// patience of a test with a process that ought to do something at once.
const soon = 20 * time.Second

// process is the program, run on a pipe.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   io.Closer // of out
	errors told
}

// told is what a process writes to standard error, to be read while it runs.
type told struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (t *told) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all.Write(b)
}

func (t *told) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all.String()
}

// program is the path of the program: this test's own binary (see TestMain).
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pulsar-dissect")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, path); err != nil {
		t.Skip(err)
	}
	return path
}

// startLive runs the program.
func startLive(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	t.Cleanup(cancel)
	l := &process{Cmd: exec.CommandContext(ctx, program(t), args...)}
	l.Stderr = &l.errors
	var err error
	if l.in, err = l.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := l.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	l.out, l.pipe = bufio.NewReader(out), out
	if err := l.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *process) line(t *testing.T) []byte {
	t.Helper()
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%v: %s %s", err, line, l.errors.String())
	}
	return line
}

// firstPackets is the head of base.pcap up to so many packets.
func firstPackets(t *testing.T, n int) []byte {
	t.Helper()
	b := testkit.Testdata(t, "captures", "base", "base.pcap")
	at := 24
	for range n {
		at += 16 + int(b[at+8]) + int(b[at+9])<<8
	}
	return b[:at]
}

// What comes on a pipe is shown while the pipe is open.
func TestLivePipe(t *testing.T) {
	l := startLive(t, "timeline", "-o", "json", "-")
	head := firstPackets(t, 12)
	if _, err := l.in.Write(head); err != nil {
		t.Fatal(err)
	}
	if line := l.line(t); !bytes.Contains(line, []byte(`"type":"CONNECT"`)) {
		t.Errorf("got %s", line)
	}
	l.in.Close()
	if _, err := io.Copy(io.Discard, l.out); err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(); err != nil {
		t.Errorf("%v: %s", err, l.errors.String())
	}
}

// Ctrl-C ends a run that waits for a pipe: what was read is shown to its end,
// every line is whole, and the exit status says that it was stopped.
func TestInterrupt(t *testing.T) {
	l := startLive(t, "events", "-")
	if _, err := l.in.Write(firstPackets(t, 30)); err != nil {
		t.Fatal(err)
	}
	lines := [][]byte{l.line(t)}
	if err := l.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for {
		line, err := l.out.ReadBytes('\n')
		if len(line) > 0 {
			lines = append(lines, line)
		}
		if err != nil {
			break
		}
	}
	for _, line := range lines {
		if !json.Valid(line) {
			t.Errorf("not a whole line: %s", line)
		}
	}
	if last := lines[len(lines)-1]; !bytes.Contains(last, []byte(`"kind":"summary"`)) {
		t.Errorf("the last line is %s", last)
	}
	exit := (*exec.ExitError)(nil)
	if err := l.Wait(); !errors.As(err, &exit) || exit.ExitCode() != statusInterrupted {
		t.Errorf("ended with %v", err)
	}
	if got := l.errors.String(); got != "pulsar-dissect: stopped before the end of the input\n" {
		t.Errorf("stderr %q", got)
	}
}

// A reader that never gives anything does not keep the program.
func TestPatientReader(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	in, out := io.Pipe()
	defer out.Close()
	p := newPatient(ctx, in)
	go io.WriteString(out, "abc") //nolint:errcheck // the test fails without it
	b := make([]byte, 8)
	if n, err := p.Read(b); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	time.AfterFunc(10*time.Millisecond, stop) // during the next
	if n, err := p.Read(b); n != 0 || err != io.EOF {
		t.Fatal(n, err)
	}
	if n, err := p.Read(b); n != 0 || err != io.EOF {
		t.Fatal(n, err)
	}
}
