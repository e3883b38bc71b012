//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// subject is the process that is looked at.
type subject struct {
	*exec.Cmd
	in      io.WriteCloser
	metrics string // address
	told    bytes.Buffer
}

// start runs the program; what it writes is let go.
func start(binary string, args ...string) (*subject, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &subject{metrics: l.Addr().String()}
	if err := l.Close(); err != nil {
		return nil, err
	}
	s.Cmd = exec.Command(binary, append(args, "--metrics", s.metrics)...)
	s.Stderr = &s.told
	if s.in, err = s.StdinPipe(); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// await waits until metrics are served, which is when capture has begun.
func (s *subject) await() error {
	for range 100 {
		if _, err := s.counters(); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.kill()
	return fmt.Errorf("no metrics: %s", s.told.String())
}

func (s *subject) kill() {
	_ = s.Process.Kill() // it may have ended
	_ = s.Wait()         // says that it was killed
}

// scraper gives up where nobody answers.
var scraper = http.Client{Timeout: 5 * time.Second}

// counters are the metrics by name, those with the same name added up.
func (s *subject) counters() (map[string]float64, error) {
	answer, err := scraper.Get("http://" + s.metrics + "/metrics")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	out := map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		name, value := "", 0.0
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			space := strings.LastIndexByte(line, ' ')
			name, _, _ = strings.Cut(line[:space], "{")
			_, err = fmt.Sscan(line[space:], &value)
		}
		if err != nil {
			return nil, err
		}
		out[strings.TrimPrefix(name, "pulsar_dissect_")] += value
	}
	return out, lines.Err()
}

// status are the numbers of /proc/PID/status, by name.
func (s *subject) status() map[string]int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Process.Pid)) // not there: all zero
	out := map[string]int{}
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(line, ":")
		n := 0
		if _, err := fmt.Sscan(rest, &n); err == nil {
			out[name] = n
		}
	}
	return out
}

// watch writes a row at each interval, and the last lines when the traffic is over.
func (s *subject) watch(every time.Duration, p *paced, over <-chan error) error {
	fmt.Printf("| %8s | %12s | %12s | %9s | %9s | %9s | %7s |\n", "time", "sent", "read", "lost", "RSS MB", "most MB", "threads")
	fmt.Printf("|%s\n", strings.Repeat(" ---: |", 7))
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.row(p); err != nil {
				return fmt.Errorf("%w: %s", err, s.told.String())
			}
		case err := <-over:
			if err != nil {
				return fmt.Errorf("%w: %s", err, s.told.String())
			}
			time.Sleep(settle)
			if err := s.row(p); err != nil {
				return err
			}
			return s.end()
		}
	}
}

// settle is how long the process has, after the last packet, for what is in the
// ring or the pipe, and to publish its counters.
const settle = 3 * time.Second

func (s *subject) row(p *paced) error {
	c, err := s.counters()
	if err != nil {
		return err
	}
	status := s.status()
	_, err = fmt.Printf("| %8s | %12d | %12.0f | %9.0f | %9.1f | %9.1f | %7d |\n", time.Since(p.start).Round(time.Second), p.sent.Load(),
		c["packets_total"], c["lost_packets_total"], float64(status["VmRSS"])/1000, float64(status["VmHWM"])/1000, status["Threads"])
	return err
}

// end has the runtime list its goroutines.
func (s *subject) end() error {
	cpu := func() time.Duration { return s.ProcessState.UserTime() + s.ProcessState.SystemTime() }
	if err := s.Process.Signal(syscall.SIGQUIT); err != nil {
		return err
	}
	_ = s.Wait() // says that it quit
	told := s.told.String()
	_, err := fmt.Printf("%d goroutines, %.0f s of CPU time\n", strings.Count(told, "\ngoroutine "), cpu().Seconds())
	return err
}
