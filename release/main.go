package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// release is a version and where it is made.
type release struct {
	version string
	time    time.Time // of all files
	nfpm    string    // the program that makes packages
	dir     string
}

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "the version, such as 0.1.0")
	flag.StringVar(&r.nfpm, "nfpm", "bin/nfpm", "the program that makes packages")
	flag.StringVar(&r.dir, "dir", "dist", "the folder, which is made anew")
	seconds := flag.Int64("time", 0, "time of all files, seconds since 1970 (before 1980: 1980)")
	flag.Parse()
	r.time = time.Unix(max(*seconds, earliest), 0).UTC()
	if err := r.make(); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// earliest is the first time that a ZIP archive can tell, 1980 (APPNOTE 4.4.6).
const earliest = 315532800

func (r *release) make() error {
	if r.version == "" {
		return fmt.Errorf("no -version is given")
	}
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.build(t); err != nil {
			return err
		}
	}
	if err := r.completions(); err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.give(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return r.sums()
}

// give makes what is given out for a target.
func (r *release) give(t target) error {
	files, err := r.files(t)
	if err != nil {
		return err
	}
	pack := packTar
	if t.system == "windows" {
		pack = packZip
	}
	if err := pack(r, t, files); err != nil {
		return err
	}
	if err := r.inventory(t); err != nil {
		return err
	}
	return r.packages(t)
}

// output is the path of a file that is given out.
func (r *release) output(t target, extension string) string {
	return filepath.Join(r.dir, r.stem(t)+extension)
}

// stem begins the names of a target's files, and names the folder in archives.
func (r *release) stem(t target) string { return fmt.Sprintf("%s_%s_%s", program, r.version, t) }
