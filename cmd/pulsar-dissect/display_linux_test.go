package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
)

// typist is the program on a terminal.
type typist struct {
	*exec.Cmd
	t    *testing.T
	tty  *os.File     // where a person sits
	line *os.File     // where the program is
	mode unix.Termios // of the terminal before

	mu    sync.Mutex
	shown bytes.Buffer
	more  *sync.Cond
	ended bool
}

// onTerminal runs the program on a terminal of 80 columns and 24 lines.
func onTerminal(t *testing.T, args ...string) *typist {
	t.Helper()
	return onTerminalOf(t, "xterm-256color", args...)
}

func onTerminalOf(t *testing.T, kind string, args ...string) *typist {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	t.Cleanup(cancel)
	p := &typist{Cmd: exec.CommandContext(ctx, program(t), args...), t: t}
	p.more = sync.NewCond(&p.mu)
	p.Env = append(os.Environ(), "TERM="+kind, "NO_COLOR=1")
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("there are no pseudo terminals here:", err)
	}
	t.Cleanup(func() { _, _ = master.Close(), slave.Close() })
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	p.tty, p.line, p.mode = master, slave, modeOf(t, slave)
	p.Stdin, p.Stdout, p.Stderr = slave, slave, slave
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(master)
	context.AfterFunc(ctx, func() { p.take(nil, true) })
	t.Cleanup(p.same)
	return p
}

// A terminal that cannot place text is told of, with what to use instead.
func TestTerminalDumb(t *testing.T) {
	p := onTerminalOf(t, "dumb", "tui", captureFile(t, "mixed"))
	p.sees("the terminal cannot place text, says TERM=dumb")
	p.sees("consumers, stats, diagnose or timeline")
	if err := p.Wait(); err == nil {
		t.Error("no error")
	}
}

func modeOf(t *testing.T, f *os.File) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}

// same checks that the terminal is as it was.
func (p *typist) same() {
	if now := modeOf(p.t, p.line); now != p.mode {
		p.t.Errorf("the terminal was left in another mode: %+v, not %+v", now, p.mode)
	}
}

func (p *typist) read(from *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		p.take(buf[:n], err != nil)
		if err != nil {
			return
		}
	}
}

func (p *typist) take(text []byte, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown.Write(text)
	p.ended = p.ended || ended
	p.more.Broadcast()
}

// sees waits for a text, and forgets what was shown up to it.
func (p *typist) sees(text string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if i := bytes.Index(p.shown.Bytes(), []byte(text)); i >= 0 {
			p.shown.Next(i + len(text))
			return
		}
		if p.ended {
			p.t.Fatalf("%q does not come in %q", text, p.shown.String())
		}
		p.more.Wait()
	}
}

func (p *typist) types(keys string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// leftScreen is what a terminal is told to show again what it showed before.
const leftScreen = "\x1b[?1049l"

// exits waits for the end.
func (p *typist) exits(status int) {
	p.t.Helper()
	p.sees(leftScreen)
	err := p.Wait()
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) && exit.ExitCode() == status || err == nil && status == statusDone {
		return
	}
	p.t.Errorf("it ended with %v, not with %d", err, status)
}

func captureFile(t *testing.T, name string) string {
	return filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")
}

// From the tables down to the bytes of a frame, into files, and out.
func TestTerminal(t *testing.T) {
	dir := t.TempDir()
	p := onTerminal(t, "tui", "--refresh", "200ms", captureFile(t, "mixed"))
	p.sees("orders-small")
	p.types("6/LZ4\r")
	p.sees("batch of 8")
	p.types("\x1b[1~\r")
	p.sees("at offset")
	p.types("\x1b")
	p.sees("[6 Events]")
	for _, f := range []struct{ name, said, begins string }{
		{"out.jsonl", " records: ", `{"kind":"`}, {"out.pcapng", " packets, of ", "\n\r\r\n"},
	} {
		p.types("e" + filepath.Join(dir, f.name) + "\r")
		p.sees(f.said)
		b, err := os.ReadFile(filepath.Join(dir, f.name))
		if err != nil || !strings.HasPrefix(string(b), f.begins) {
			t.Errorf("%s: %v %.20q", f.name, err, b)
		}
	}
	p.types("t")
	p.sees("STEPS")
	p.types("q")
	p.exits(statusDone)
}

// A filter has the file read again; a wrong one says what is wrong.
func TestTerminalFilter(t *testing.T) {
	p := onTerminal(t, "tui", "--refresh", "200ms", captureFile(t, "mixed"))
	p.sees("orders-small")
	p.types("6fsize >\r")
	p.sees("the expression ends where a value is expected")
	p.types("f\x15type == \"PRODUCER\"\r")
	p.sees("filter: type ==")
	p.types("\x1b[1~")
	p.sees("PRODUCER")
	p.types("\x03")
	p.exits(statusDone)
}

// Where the file cannot be read again, what was read stays.
func TestTerminalGone(t *testing.T) {
	b, err := os.ReadFile(captureFile(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "gone.pcap")
	appendTo(t, file, b)
	p := onTerminal(t, "tui", "--refresh", "200ms", file)
	p.sees("orders-small")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p.types("f1 == 1\r")
	p.sees("no such file")
	p.types("3")
	p.sees("IN FLIGHT")
	p.types("q")
	p.exits(statusDone)
}

// The screen follows the size of the terminal.
func TestTerminalResize(t *testing.T) {
	p := onTerminal(t, "tui", "--refresh", "200ms", captureFile(t, "mixed"))
	p.sees("orders-small") // the first size has been taken
	if err := pty.Setsize(p.tty, &pty.Winsize{Rows: 30, Cols: 150}); err != nil {
		t.Fatal(err)
	}
	p.sees("OUT B/s")
	p.types("q")
	p.exits(statusDone)
}

// The terminal is as it was after a signal, too.
func TestTerminalSignals(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		p := onTerminal(t, "tui", captureFile(t, "mixed"))
		p.sees("Topics")
		if err := p.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		p.exits(statusInterrupted)
	}
}

// What is wrong with an input is told once the screen is off, too.
func TestTerminalBroken(t *testing.T) {
	b, err := os.ReadFile(captureFile(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cut.pcap")
	if err := os.WriteFile(file, b[:len(b)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	p := onTerminal(t, "tui", "--refresh", "200ms", file)
	p.sees("cut.pcap")
	p.sees("N: warning: ")
	p.types("q")
	p.exits(statusDone)
	p.sees("pulsar-dissect: warning: " + file)
}

// What is captured just now is shown while it comes, and summed up in the end; a
// frame is read from the file that it was written to.
func TestTerminalLive(t *testing.T) {
	b, err := os.ReadFile(captureFile(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "growing.pcap"), filepath.Join(dir, "written.pcapng")
	appendTo(t, from, b[:len(b)/2])
	p := onTerminal(t, "sniff", "--follow", from, "--face", "top", "--refresh", "200ms", "-w", to)
	p.sees("live")
	p.types("6")
	p.sees("SEND_RECEIPT")
	appendTo(t, from, b[len(b)/2:])
	p.sees("CLOSE_PRODUCER")
	p.sees("nothing for") // a second: what is held for comments has been written
	p.types("\x1b[1~")
	p.sees(">") // the first is chosen
	p.types("\r")
	p.sees("at offset")
	p.types("q")
	p.exits(statusDone)
	p.sees("591 packets (")
}

// Without a file the bytes of the latest frames are in memory, and a message is
// followed in the list.
func TestTerminalLiveUnwritten(t *testing.T) {
	p := onTerminal(t, "sniff", "--follow", captureFile(t, "flow"), "--face", "top", "--refresh", "200ms")
	p.sees("flow-zero")
	p.types("6/SEND \r")
	p.sees("producer 3 seq")
	p.types("\x1b[1~t")
	p.sees("these are the events in the list")
	p.types("\r")
	p.sees("total size")
	p.types("q")
	p.exits(statusDone)
}

func appendTo(t *testing.T, path string, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// stops has the terminal take nothing any more, or goes on.
func (p *typist) stops(how int) {
	p.t.Helper()
	if err := unix.IoctlSetInt(int(p.line.Fd()), unix.TCXONC, how); err != nil {
		p.t.Fatal(err)
	}
}

// Capture goes on while the terminal takes nothing.
func TestTerminalStuck(t *testing.T) {
	b, err := os.ReadFile(captureFile(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "growing.pcap"), filepath.Join(dir, "written.pcapng")
	appendTo(t, from, b[:len(b)/2])
	p := onTerminal(t, "sniff", "--follow", from, "--face", "top", "--refresh", "200ms", "-w", to)
	p.sees("live")
	const off, on = 0, 1 // TCOOFF, TCOON
	p.stops(off)
	p.types("6123456") // there is something to be shown
	appendTo(t, from, b[len(b)/2:])
	for deadline := time.Now().Add(soon / 2); packetsIn(to) < 591; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%d packets are written while the terminal is stopped", packetsIn(to))
			break
		}
	}
	p.stops(on)
	p.sees("CLOSE_PRODUCER")
	p.types("q")
	p.exits(statusDone)
}

// packetsIn counts the packets of a file that is being written.
func packetsIn(path string) (n int) {
	source, err := capture.Open([]string{path}, capture.Options{Partial: true})
	if err != nil {
		return 0
	}
	defer source.Close()
	for _, err := range source.Packets() {
		if err != nil {
			return n
		}
		n++
	}
	return n
}
