package manual

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Pages are the contents of files by their path below docs, with slashes.
type Pages map[string]string

// Add takes over other pages.
func (p Pages) Add(other Pages) { maps.Copy(p, other) }

// Folders are those below docs in which every file is a page.
var Folders = []string{"commands", "findings", "man", "schema"}

// Write puts the pages below dir, and removes the files of Folders that are
// none of them.
func (p Pages) Write(dir string) error {
	for _, folder := range Folders {
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			return err
		}
	}
	for path, text := range p {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Stale lists what below dir is not as the pages are, sorted.
func (p Pages) Stale(dir string) (lines []string, err error) {
	for path, text := range p {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			lines = append(lines, path+" is missing")
		case err != nil:
			return nil, err
		case !bytes.Equal(got, []byte(text)):
			lines = append(lines, path+" is not current"+firstDifference(string(got), text))
		}
	}
	for _, folder := range Folders {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if path := folder + "/" + e.Name(); p[path] == "" {
				lines = append(lines, path+" is of nothing that there is")
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf(": line %d is %q, not %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf(": %d lines, not %d", len(g), len(w))
}
