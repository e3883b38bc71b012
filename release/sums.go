package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sums writes SHA256SUMS, as sha256sum -c reads it, of all files that are given
// out.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.dir) // sorted
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.dir, "SHA256SUMS"), func(w io.Writer) error {
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			content, err := os.ReadFile(filepath.Join(r.dir, e.Name()))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(content), e.Name()); err != nil {
				return err
			}
		}
		return nil
	})
}
