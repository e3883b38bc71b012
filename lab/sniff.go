package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sniff is the program while it captures.
type sniff struct {
	run  *exec.Cmd
	told bytes.Buffer // standard error
	out  *os.File
}

// soon is how long a program may take to begin or to end.
const soon = 30 * time.Second

// startSniff captures on loopback what goes to or from a port, and writes the
// records to a file. It waits until capture goes on.
func startSniff(binary, out string, port int, args ...string) (*sniff, error) {
	w, err := os.Create(out)
	if err != nil {
		return nil, err
	}
	s := &sniff{out: w}
	s.run = exec.Command(binary, append([]string{"sniff", "-i", "lo", "--user", "root", "--port", strconv.Itoa(port)}, args...)...)
	told, err := s.run.StderrPipe()
	if err != nil {
		return nil, err
	}
	s.run.Stdout = w
	if err := s.run.Start(); err != nil {
		return nil, err
	}
	first := make([]byte, 4096)
	n, err := told.Read(first) // what it says first, it says once it captures
	s.told.Write(first[:n])
	if err != nil {
		return nil, fmt.Errorf("capture does not begin: %w", err)
	}
	go s.told.ReadFrom(told) //nolint:errcheck // it ends with the program
	return s, nil
}

// stop ends it, once what was sent has been read, and gives what it said.
func (s *sniff) stop() (told string, err error) {
	defer s.out.Close()
	time.Sleep(time.Second) // the last packets
	if err := s.run.Process.Signal(syscall.SIGINT); err != nil {
		return s.told.String(), err
	}
	late := time.AfterFunc(soon, func() { _ = s.run.Process.Kill() })
	defer late.Stop()
	err = s.run.Wait()
	return s.told.String(), err
}

// lost is the line that says how many packets were captured and lost.
func lost(told string) string {
	for line := range strings.Lines(told) {
		if strings.Contains(line, "lost by the kernel") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(told)
}
