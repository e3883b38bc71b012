package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// choice is what the flags say.
type choice struct {
	binary, dir, only, out string
	runs                   int
	scale                  float64
}

func main() {
	var c choice
	flag.StringVar(&c.binary, "binary", "bin/pulsar-dissect", "binary to measure")
	flag.StringVar(&c.dir, "dir", "bench/data", "where inputs are made")
	flag.StringVar(&c.only, "only", "", "measure only inputs whose names begin so")
	flag.IntVar(&c.runs, "runs", 3, "runs of each row, of which the best counts; 0: only make the inputs")
	flag.Float64Var(&c.scale, "scale", 1, "size of the inputs")
	flag.StringVar(&c.out, "json", "bench/out/bench.json", "where the results go as JSON")
	measured := flag.String("bound", "", "only read this file, for the row of that name")
	flag.Parse()
	err := error(nil)
	if *measured != "" {
		err = bound(*measured)
	} else {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (c *choice) run() error {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	list, missing := subjects(c.binary)
	var all []result
	for i := range inputs {
		in := &inputs[i]
		if !strings.HasPrefix(in.name, c.only) {
			continue
		}
		results, err := c.measure(in, list)
		if err != nil {
			return err
		}
		if c.runs > 0 {
			show(results, missing)
		}
		all = append(all, results...)
	}
	if c.runs == 0 {
		return nil
	}
	return save(c.out, all)
}

func (c *choice) measure(in *input, list []subject) ([]result, error) {
	path, err := in.made(c.dir, c.scale)
	if err != nil || c.runs == 0 {
		return nil, err
	}
	frames, err := countFrames(c.binary, path, in.flags)
	if err != nil {
		return nil, err
	}
	results, err := series(in, path, list, c.runs)
	for i := range results {
		r := &results[i]
		r.Frames = frames
		r.MFrames = float64(frames) / r.CPU / 1e6
	}
	return results, err
}

// show prints the rows of one input, with how many times the CPU time of each
// the bound and tshark take.
func show(results []result, missing []string) {
	first := results[0]
	fmt.Printf("\n%s: %.0f MB, %d frames\n", first.Input, float64(first.Bytes)/1e6, first.Frames)
	fmt.Printf("  %-46s %7s %10s %7s %7s %8s %7s", "", "GB/s", "Mframes/s", "CPU s", "wall s", "peak MB", "/bound")
	var others []result
	for _, r := range results {
		if strings.HasPrefix(r.Subject, "tshark") {
			others = append(others, r)
			fmt.Printf(" %15s", "x "+r.Subject)
		}
	}
	fmt.Println()
	for _, r := range results {
		fmt.Printf("  %-46s %7.2f %10.2f %7.2f %7.2f %8.1f %7.2f", r.Subject, r.GBs, r.MFrames, r.CPU, r.Wall, float64(r.PeakKB)/1024, r.CPU/first.CPU)
		for _, o := range others {
			fmt.Printf(" %15.1f", o.CPU/r.CPU)
		}
		fmt.Println(" " + r.Failure)
	}
	for _, m := range missing {
		fmt.Printf("  %-46s not measured: it is not installed\n", m)
	}
}

func save(path string, results []result) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	b, err := json.MarshalIndent(map[string]any{
		"go": runtime.Version(), "arch": runtime.GOARCH, "cpus": runtime.NumCPU(), "processor": processor(),
		"tshark": firstLine("tshark", "--version"), "results": results,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

// processor is the model of the CPU as Linux names it, or empty.
func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo") // not there: not named
	_, rest, _ := strings.Cut(string(b), "model name\t: ")
	name, _, _ := strings.Cut(rest, "\n")
	return name
}

func firstLine(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "not installed"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}
