package follow

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// turns says which file is to be read when.
type turns struct {
	pattern string
	mu      sync.Mutex // files are read in a goroutine of their own
	taken   []*turn    // the last one is being read
}

// turn is a file that was read, or is being read. It is known by what the system
// knows it by, as it may be renamed.
type turn struct {
	of   *turns
	info os.FileInfo  // as it was opened
	read atomic.Int64 // bytes
}

// candidate is a file that the pattern names.
type candidate struct {
	path string
	info os.FileInfo
}

// next is the path of the file to be read next: of those that were not, the one
// that was written to the longest time ago. "" if there is none.
func (t *turns) next() (string, error) {
	there, err := t.candidates()
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(there)
	there = slices.DeleteFunc(there, func(c candidate) bool { return !t.fresh(c.info) })
	if len(there) == 0 {
		return "", nil
	}
	return slices.MinFunc(there, func(a, b candidate) int { return a.info.ModTime().Compare(b.info.ModTime()) }).path, nil
}

func (t *turns) candidates() (there []candidate, err error) {
	paths, err := filepath.Glob(t.pattern)
	if len(paths) == 0 { // the name may hold what only looks like a pattern
		paths = []string{t.pattern}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			there = append(there, candidate{path, info})
		}
	}
	return there, err
}

// fresh tells whether a file was not read yet, or is being written anew.
func (t *turns) fresh(info os.FileInfo) bool {
	return !slices.ContainsFunc(t.taken, func(x *turn) bool { return os.SameFile(x.info, info) && info.Size() >= x.read.Load() })
}

// forget forgets files that are gone.
func (t *turns) forget(there []candidate) {
	last := len(t.taken) - 1
	n := -1
	t.taken = slices.DeleteFunc(t.taken, func(x *turn) bool {
		n++
		return n < last && !slices.ContainsFunc(there, func(c candidate) bool { return os.SameFile(x.info, c.info) })
	})
}

// take says that a file is read now.
func (t *turns) take(file *os.File) (*turn, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = slices.DeleteFunc(t.taken, func(x *turn) bool { return os.SameFile(x.info, info) })
	x := &turn{of: t, info: info}
	t.taken = append(t.taken, x)
	return x, nil
}

// over tells whether the file is done with, as there is another one.
func (x *turn) over() bool {
	next, err := x.of.next()
	return err == nil && next != "" // the next look may find more out than an error
}
