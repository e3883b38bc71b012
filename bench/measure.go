package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"time"
)

// result is one row of the table, and of the JSON file.
type result struct {
	Input   string  `json:"input"`
	Subject string  `json:"subject"`
	Bytes   int64   `json:"bytes"`
	Frames  int64   `json:"frames"`
	CPU     float64 `json:"cpu_seconds"`
	Wall    float64 `json:"wall_seconds"`
	PeakKB  int64   `json:"peak_kb"`
	GBs     float64 `json:"gb_per_cpu_second"`
	MFrames float64 `json:"million_frames_per_cpu_second"`
	Failure string  `json:"failure,omitempty"`
}

// series runs all subjects in turn, several times round, and keeps the fastest
// run of each.
func series(in *input, path string, list []subject, runs int) ([]result, error) {
	copied, err := fresh(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(copied) }() // bench/data is no part of the project
	out := make([]result, len(list))
	for round := range runs {
		for i := range list {
			if list[i].once && round > 0 {
				continue
			}
			if r := once(in, copied, &list[i]); round == 0 || r.CPU < out[i].CPU {
				out[i] = r
			}
		}
	}
	return out, nil
}

// once runs a subject on one core.
func once(in *input, path string, s *subject) result {
	r := result{Input: in.name, Subject: s.name}
	if info, err := os.Stat(path); err == nil {
		r.Bytes = info.Size()
	}
	argv := s.argv
	if s.ours {
		argv = append(append([]string{}, argv...), in.flags...)
	}
	cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], path)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	start := time.Now()
	err := cmd.Run()
	r.Wall = time.Since(start).Seconds()
	if err != nil {
		r.Failure = err.Error()
	}
	if cmd.ProcessState == nil {
		return r
	}
	r.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	r.PeakKB = peak(cmd.ProcessState.SysUsage())
	r.GBs = float64(r.Bytes) / r.CPU / 1e9
	return r
}

// bound reads a file and computes the CRC-32C of all of it: what any program has
// to do that verifies checksums.
func bound(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	_, err = io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return err
}

// countFrames asks the binary itself how many frames the input holds.
func countFrames(binary, path string, flags []string) (int64, error) {
	args := append([]string{"analyze", "--no-findings", "-o", "json"}, flags...)
	b, err := exec.Command(binary, append(args, path)...).Output()
	if err != nil {
		return 0, fmt.Errorf("%s analyze %s: %w", binary, path, err)
	}
	lines := json.NewDecoder(bytes.NewReader(b))
	for {
		var record struct {
			Kind   string
			Frames int64
		}
		if err := lines.Decode(&record); err != nil {
			return 0, fmt.Errorf("no summary of %s: %w", path, err)
		}
		if record.Kind == "summary" {
			return record.Frames, nil
		}
	}
}
