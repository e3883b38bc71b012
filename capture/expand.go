package capture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Expand replaces globs that the shell left as they are (path/filepath.Match).
// An error means that one of them names nothing, or that there is no path.
func Expand(paths []string) ([]string, error) {
	var names []string
	for _, p := range paths {
		found, err := expandOne(p)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	if len(names) == 0 {
		return nil, errors.New("no capture file is named; - reads standard input")
	}
	if first := slices.Index(names, stdinPath); first >= 0 && slices.Contains(names[first+1:], stdinPath) {
		return nil, errors.New(stdinName + " is named twice")
	}
	return names, nil
}

func expandOne(path string) ([]string, error) {
	if path == stdinPath || !strings.ContainsAny(path, `*?[`) {
		return []string{path}, nil
	}
	if _, err := os.Lstat(path); err == nil {
		return []string{path}, nil
	}
	found, err := filepath.Glob(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no file is named like this", path)
	}
	return found, nil
}

// totalSize adds up the sizes of files in bytes; 0 if one of them has none.
func totalSize(names []string) (total int64) {
	for _, name := range names {
		info, err := os.Stat(name)
		if name == stdinPath || err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}
