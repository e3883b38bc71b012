package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// file is one of an archive.
type file struct {
	name string // in the archive, with slashes
	from string
	mode os.FileMode
}

// files lists what goes into an archive, sorted by name.
func (r *release) files(t target) ([]file, error) {
	all := []file{
		{t.binary(), r.built(t), 0o755},
		{"README.md", "README.md", 0o644},
		{"CHANGELOG.md", "CHANGELOG.md", 0o644},
	}
	for folder, pattern := range map[string]string{
		"man":         "docs/man/*.1",
		"completions": filepath.Join(r.dir, completionFolder, "*"),
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			all = append(all, file{path.Join(folder, filepath.Base(f)), f, 0o644})
		}
	}
	slices.SortFunc(all, func(a, b file) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return all, nil
}

func packTar(r *release, t target, files []file) error {
	return writeFile(r.output(t, ".tar.gz"), func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		a := tar.NewWriter(z)
		for _, f := range files {
			if err := r.addTar(a, t, f); err != nil {
				return err
			}
		}
		if err := a.Close(); err != nil {
			return err
		}
		return z.Close()
	})
}

func (r *release) addTar(a *tar.Writer, t target, f file) error {
	content, err := os.ReadFile(f.from)
	if err != nil {
		return err
	}
	err = a.WriteHeader(&tar.Header{
		Name: path.Join(r.stem(t), f.name), Mode: int64(f.mode), Size: int64(len(content)), ModTime: r.time, Format: tar.FormatUSTAR,
	})
	if err == nil {
		_, err = a.Write(content)
	}
	return err
}

func packZip(r *release, t target, files []file) error {
	return writeFile(r.output(t, ".zip"), func(w io.Writer) error {
		a := zip.NewWriter(w)
		for _, f := range files {
			if err := r.addZip(a, t, f); err != nil {
				return err
			}
		}
		return a.Close()
	})
}

func (r *release) addZip(a *zip.Writer, t target, f file) error {
	content, err := os.ReadFile(f.from)
	if err != nil {
		return err
	}
	h := &zip.FileHeader{Name: path.Join(r.stem(t), f.name), Method: zip.Deflate, Modified: r.time}
	h.SetMode(f.mode)
	w, err := a.CreateHeader(h)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// writeFile makes a file of what is written.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close() // the first error says more
		return err
	}
	return f.Close()
}
