package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"

	"github.com/spf13/cobra"

	"pulsar-dissect/internal/nearest"
)

// profile measures a run of the program (--profile KIND=FILE).
type profile struct {
	stop func() error
	file *os.File
}

// profileKinds has a row for each kind of profile: its start gives what ends it.
var profileKinds = []struct {
	name  string
	start func(io.Writer) (stop func() error, err error)
}{
	{"cpu", func(w io.Writer) (func() error, error) {
		return func() error { pprof.StopCPUProfile(); return nil }, pprof.StartCPUProfile(w)
	}},
	{"mem", func(w io.Writer) (func() error, error) {
		return func() error { runtime.GC(); return pprof.Lookup("allocs").WriteTo(w, 0) }, nil
	}},
	{"trace", func(w io.Writer) (func() error, error) {
		return func() error { trace.Stop(); return nil }, trace.Start(w)
	}},
}

// flag adds the flag to all commands. It is for those who work on the program,
// so the help does not list it.
func (p *profile) flag(root *cobra.Command) {
	value := root.PersistentFlags().String("profile", "", "measure the run: cpu=FILE, mem=FILE or trace=FILE")
	_ = root.PersistentFlags().MarkHidden("profile") // the flag exists
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if *value == "" {
			return nil
		}
		return p.start(*value)
	}
}

func (p *profile) start(value string) error {
	kind, path, _ := strings.Cut(value, "=")
	var names []string
	for _, k := range profileKinds {
		if names = append(names, k.name); k.name != kind || path == "" {
			continue
		}
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		p.file = file
		p.stop, err = k.start(file)
		return err
	}
	hint := "Write it like --profile cpu=FILE."
	if near, ok := nearest.Name(kind, names); ok {
		hint = fmt.Sprintf("Write it like --profile %s=FILE.", near)
	}
	return wrongUse(hint, "--profile %s: want one of %s, and a file", value, strings.Join(names, ", "))
}

// end writes what was measured.
func (p *profile) end() error {
	if p.stop == nil {
		return nil
	}
	err := p.stop()
	if closed := p.file.Close(); err == nil {
		err = closed
	}
	return err
}
