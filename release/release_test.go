package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var epoch = time.Unix(1_700_000_000, 0).UTC()

// stage gives two files to pack, with a time of today.
func stage(t *testing.T) (*release, []file) {
	t.Helper()
	r := &release{version: "1.2.3", time: epoch, dir: t.TempDir()}
	var files []file
	for _, f := range []file{{name: "a.txt", mode: 0o644}, {name: "man/b.1", mode: 0o755}} {
		f.from = filepath.Join(r.dir, filepath.Base(f.name))
		if err := os.WriteFile(f.from, []byte("content of "+f.name), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return r, files
}

// Archives of the same files are the same, wherever and whenever they are made.
func TestArchivesAreReproducible(t *testing.T) {
	for extension, pack := range map[string]func(*release, target, []file) error{".tar.gz": packTar, ".zip": packZip} {
		var made [][]byte
		for range 2 {
			r, files := stage(t)
			for _, f := range files {
				if err := os.Chtimes(f.from, time.Time{}, time.Now().Add(-time.Duration(len(made))*time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
			x := target{"linux", "arm64"}
			if err := pack(r, x, files); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(r.output(x, extension))
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, b)
		}
		if !bytes.Equal(made[0], made[1]) {
			t.Errorf("two %s of the same files differ", extension)
		}
	}
}

func TestTar(t *testing.T) {
	r, files := stage(t)
	x := target{"darwin", "amd64"}
	if err := packTar(r, x, files); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(r.dir, "pulsar-dissect_1.2.3_darwin_amd64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for a := tar.NewReader(z); ; {
		h, err := a.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(a)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %o %d %q %q", h.Name, h.Mode, h.ModTime.Unix(), h.Uname, content))
	}
	want := []string{
		`pulsar-dissect_1.2.3_darwin_amd64/a.txt 644 1700000000 "" "content of a.txt"`,
		`pulsar-dissect_1.2.3_darwin_amd64/man/b.1 755 1700000000 "" "content of man/b.1"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestZip(t *testing.T) {
	r, files := stage(t)
	x := target{"windows", "amd64"}
	if err := packZip(r, x, files); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(r.dir, "pulsar-dissect_1.2.3_windows_amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var got []string
	for _, f := range z.File {
		got = append(got, fmt.Sprintf("%s %o %d %d", f.Name, f.Mode().Perm(), f.Modified.Unix(), f.UncompressedSize64))
	}
	want := []string{
		"pulsar-dissect_1.2.3_windows_amd64/a.txt 644 1700000000 16",
		"pulsar-dissect_1.2.3_windows_amd64/man/b.1 755 1700000000 18",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// The list of what is linked in names the modules of the binary: here of the
// test itself.
func TestInventory(t *testing.T) {
	r := &release{version: "1.2.3", time: epoch, dir: t.TempDir()}
	x := target{"linux", "amd64"}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(r.built(x)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.built(x), content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.inventory(x); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.output(x, ".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	m := b.Metadata
	if m.Timestamp != "2023-11-14T22:13:20Z" || m.Component.PURL != "pkg:golang/pulsar-dissect@1.2.3" {
		t.Errorf("metadata: %+v", m)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(content)); m.Component.Hashes[0].Content != want {
		t.Errorf("hash %s, want %s", m.Component.Hashes[0].Content, want)
	}
	if len(b.Components) == 0 || b.Components[0].Name != "std" || b.Dependencies[0].On[0] != b.Components[0].Ref {
		t.Errorf("components %+v, dependencies %+v", b.Components, b.Dependencies)
	}
}

func TestSums(t *testing.T) {
	r, _ := stage(t)
	if err := os.Mkdir(filepath.Join(r.dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.sums(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(r.dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x  a.txt\n%x  b.1\n", sha256.Sum256([]byte("content of a.txt")), sha256.Sum256([]byte("content of man/b.1")))
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
