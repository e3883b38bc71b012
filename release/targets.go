package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const program = "pulsar-dissect"

// target is an operating system and a processor, as Go names them.
type target struct {
	system, processor string
}

var targets = []target{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func (t target) String() string { return t.system + "_" + t.processor }

// binary is the name of the program's file.
func (t target) binary() string {
	if t.system == "windows" {
		return program + ".exe"
	}
	return program
}

// built is where the target's binary lies.
func (r *release) built(t target) string { return filepath.Join(r.dir, t.String(), t.binary()) }

// build makes the binary of a target. Neither the commit nor an id of the build
// goes into it, so that the same source gives the same bytes.
func (r *release) build(t target) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", r.built(t), "./cmd/"+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.system, "GOARCH="+t.processor, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	return run(cmd)
}

func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
