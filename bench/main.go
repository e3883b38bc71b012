package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// commands are the runs that are measured on each input.
var commands = [][]string{
	{"events", "-o", "json"},
	{"events", "-o", "json", "--no-findings"},
	{"events", "-o", "json", "--no-findings", "--no-sha256", "--max-payload", "0"},
	{"timeline", "-o", "json"},
	{"messages", "-o", "json"},
	{"analyze"},
	{"diagnose"},
}

// result is one row of the table, and of the JSON file.
type result struct {
	Input    string   `json:"input"`
	Command  []string `json:"command"`
	Bytes    int64    `json:"bytes"`
	Frames   int64    `json:"frames"`
	CPU      float64  `json:"cpu_seconds"`
	Wall     float64  `json:"wall_seconds"`
	PeakKB   int64    `json:"peak_kb"`
	GBs      float64  `json:"gb_per_cpu_second"`
	MFrames  float64  `json:"million_frames_per_cpu_second"`
	Failures string   `json:"failures,omitempty"`
}

func main() {
	binary := flag.String("binary", "bin/pulsar-dissect", "binary to measure")
	dir := flag.String("dir", "bench/data", "where inputs are made")
	only := flag.String("only", "", "measure this input alone")
	runs := flag.Int("runs", 3, "runs of each row; the best counts")
	scale := flag.Float64("scale", 1, "size of the inputs")
	onlyMake := flag.Bool("generate", false, "only make the inputs")
	out := flag.String("json", "bench/out/bench.json", "where the results go as JSON")
	flag.Parse()
	if *onlyMake {
		*runs = 0
	}
	if err := run(*binary, *dir, *only, *runs, *scale, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(binary, dir, only string, runs int, scale float64, out string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	fmt.Printf("%-14s %-66s %8s %9s %8s %9s %9s\n", "input", "command", "GB/s", "Mframes/s", "CPU s", "wall s", "peak MB")
	var results []result
	for _, in := range inputs {
		if only != "" && only != in.name {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%s-%g.pcap", in.name, scale))
		if err := generate(in, path, scale); err != nil {
			return err
		}
		if runs == 0 {
			continue
		}
		frames, err := countFrames(binary, path)
		if err != nil {
			return err
		}
		for _, c := range commands {
			r := best(binary, path, c, runs)
			r.Input, r.Frames = in.name, frames
			r.MFrames = float64(frames) / r.CPU / 1e6
			fmt.Printf("%-14s %-66s %8.2f %9.2f %8.2f %9.2f %9.1f %s\n", r.Input, fmt.Sprint(c), r.GBs, r.MFrames, r.CPU, r.Wall, float64(r.PeakKB)/1024, r.Failures)
			results = append(results, r)
		}
	}
	return save(out, results)
}

// best runs a command several times on one core and keeps the fastest run.
func best(binary, path string, args []string, runs int) result {
	var out result
	for range runs {
		r := once(binary, path, args)
		if out.CPU == 0 || r.CPU < out.CPU {
			out = r
		}
	}
	return out
}

func once(binary, path string, args []string) result {
	r := result{Command: args}
	if info, err := os.Stat(path); err == nil {
		r.Bytes = info.Size()
	}
	cmd := exec.Command(binary, append(args, path)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	start := time.Now()
	err := cmd.Run()
	r.Wall = time.Since(start).Seconds()
	if err != nil {
		r.Failures = err.Error()
	}
	if cmd.ProcessState == nil {
		return r
	}
	r.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.PeakKB = u.Maxrss
	}
	r.GBs = float64(r.Bytes) / r.CPU / 1e9
	return r
}

// countFrames asks the binary itself how many frames the input holds.
func countFrames(binary, path string) (int64, error) {
	b, err := exec.Command(binary, "analyze", "-o", "json", path).Output()
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

func save(path string, results []result) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	b, err := json.MarshalIndent(map[string]any{"go": runtime.Version(), "arch": runtime.GOARCH, "cpus": runtime.NumCPU(), "results": results}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}
