package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
)

// packageKinds are those that are made for Linux.
var packageKinds = []string{"deb", "rpm"}

// packages makes the packages of a target, if it has any.
func (r *release) packages(t target) error {
	if t.system != "linux" {
		return nil
	}
	for _, kind := range packageKinds {
		cmd := exec.Command(r.nfpm, "package", "--config", "release/nfpm.yaml", "--packager", kind, "--target", r.output(t, "."+kind))
		cmd.Env = append(os.Environ(), "VERSION="+r.version, "PROCESSOR="+t.processor, "BINARY="+r.built(t),
			"COMPLETIONS="+filepath.Join(r.dir, completionFolder), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
		if err := run(cmd); err != nil {
			return err
		}
	}
	return nil
}

// completionFolder is where completions of shells lie, below the folder of the
// release.
const completionFolder = "completions"

var shells = []string{"bash", "zsh", "fish", "powershell"}

// completions has the binary for this machine write them.
func (r *release) completions() error {
	own := r.built(target{runtime.GOOS, runtime.GOARCH})
	if err := os.MkdirAll(filepath.Join(r.dir, completionFolder), 0o755); err != nil {
		return err
	}
	for _, shell := range shells {
		text, err := exec.Command(own, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completions for %s: %w", shell, err)
		}
		err = writeFile(filepath.Join(r.dir, completionFolder, program+"."+shell), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
