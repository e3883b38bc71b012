package testkit

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// SharedEnv names the environment variable that says where the shared material
// is, if not in the folder shared beside the module root.
const SharedEnv = "PULSAR_SHARED"

// Root is the module root: the nearest folder upwards that holds go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			t.Fatalf("no go.mod above %s", dir)
		}
	}
}

// Testdata is the content of a file under testdata at the module root.
func Testdata(t testing.TB, elem ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{Root(t), "testdata"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Shared is the folder of the shared material. The test is skipped where there
// is none; if PULSAR_SHARED names a folder that is not there, it fails.
func Shared(t testing.TB) string {
	t.Helper()
	dir, asked := os.LookupEnv(SharedEnv)
	if !asked {
		dir = filepath.Join(filepath.Dir(Root(t)), "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		if asked {
			t.Fatalf("%s: %v", SharedEnv, err)
		}
		t.Skipf("needs the shared captures: %s is not there and %s is not set", dir, SharedEnv)
	}
	return dir
}

// Capture is the path of a shared capture. The test is skipped where the
// shared material does not have it.
func Capture(t testing.TB, name string) string {
	t.Helper()
	return needed(t, filepath.Join(Shared(t), "captures", name))
}

func needed(t testing.TB, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared material lacks it: %v", err)
	}
	return path
}

// Record is one record of the oracle. Numbers are json.Number, so that request
// ids of 64 bits stay exact.
type Record = map[string]any

// Oracle gives the records that the independent decoder made of the shared
// capture NAME.pcap, in its order. NAME may also be a file name with its
// extension (file-base.pcapng). The test is skipped where there are none.
func Oracle(t testing.TB, name string) iter.Seq[Record] {
	t.Helper()
	if filepath.Ext(name) == "" {
		name += ".pcap"
	}
	path := needed(t, filepath.Join(Shared(t), "captures", "oracle", name+".oracle.jsonl.zst"))
	return func(yield func(Record) bool) {
		t.Helper()
		if err := readRecords(path, yield); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// readRecords decodes a zstd file of JSON lines until yield has enough.
func readRecords(path string, yield func(Record) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(bufio.NewReader(f), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	d := json.NewDecoder(z)
	d.UseNumber()
	for {
		var r Record
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if !yield(r) {
			return nil
		}
	}
}
