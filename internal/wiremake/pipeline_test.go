package wiremake_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// longEnv names the environment variable that has these tests try all shared
// captures at every byte, which takes hours.
const longEnv = "PULSAR_TEST_LONG"

// everyKind are the kinds of records.
func everyKind() (kinds []session.Kind) {
	for k := session.Kind(0); k <= session.ConnectionEnd; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// dissect runs all stages over packets and gives the records of the run.
func dissect(t testing.TB, packets iter.Seq2[capture.Packet, error]) []byte {
	t.Helper()
	var out bytes.Buffer
	face := render.NewRecords(&out, render.Options{MaxPayload: 1024}, everyKind()...).WithSummary()
	rules := diagnose.New(diagnose.Options{})
	decrypter, err := decrypt.New(decrypt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	parser := segment.NewParser(segment.Limits{})
	assembler, decoder, talks := reassembly.New(reassembly.Limits{}, parser), decode.New(decode.Limits{}, nil), session.New(session.Options{})
	for e, err := range talks.Events(decoder.Events(decrypter.Events(assembler.Events(packets)))) {
		if err != nil {
			continue // the container is damaged: what was read before is there
		}
		rules.Add(e)
		if err := face.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	rules.Finish()
	err = face.Close(&render.End{Totals: summary.Totals{Segments: parser.Stats(), Reassembly: assembler.Counters(), Decrypt: decrypter.Counters(),
		Decode: decoder.Counters(), Session: talks.Counters()}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// dissectFile is dissect of the bytes of a capture file; nil where they are
// none.
func dissectFile(t testing.TB, file []byte) []byte {
	t.Helper()
	src, err := capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(file)})
	if err != nil {
		return nil
	}
	defer src.Close()
	return dissect(t, src.Packets())
}

// valid says what is wrong with lines of JSON: no line may be anything but one
// object in UTF-8, without a key twice.
func valid(lines []byte) error {
	if !utf8.Valid(lines) {
		return errors.New("not UTF-8")
	}
	for line := range bytes.Lines(lines) {
		if !bytes.HasSuffix(line, []byte("}\n")) || !json.Valid(line) {
			return fmt.Errorf("no JSON object: %.300q", line)
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := uniqueKeys(d); err != nil {
			return fmt.Errorf("%w: %.300q", err, line)
		}
	}
	return nil
}

// uniqueKeys reads one value.
func uniqueKeys(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delimiter, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if delimiter == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if name := key.(string); seen[name] {
				return fmt.Errorf("key %q twice", name)
			} else {
				seen[name] = true
			}
		}
		if err := uniqueKeys(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// hostile runs a damaged capture: no panic, valid lines, and no more memory
// than a bound far above what it may take.
func hostile(t *testing.T, what string, file []byte) []byte {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			path := filepath.Join(os.TempDir(), "hostile.pcap")
			err := os.WriteFile(path, file, 0o644)
			t.Fatalf("%s: panic: %v (the capture is %s, %v)", what, r, path, err)
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := dissectFile(t, file)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 300<<20 {
		t.Errorf("%s: %d MiB allocated for %d bytes", what, n>>20, len(file))
	}
	if err := valid(out); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return out
}

// smallCaptures are those of the repository up to a size, and where the
// environment asks for it those that are shared.
func smallCaptures(t *testing.T, size int64) (paths []string) {
	t.Helper()
	patterns := []string{filepath.Join(testkit.Root(t), "testdata", "captures", "*", "*.pcap*")}
	if os.Getenv(longEnv) != "" {
		patterns = append(patterns, filepath.Join(testkit.Shared(t), "captures", "*.pcap*"))
	}
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if st, err := os.Stat(path); err == nil && st.Size() < size && !strings.HasSuffix(path, ".json") {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) < 10 {
		t.Fatalf("only %d captures", len(paths))
	}
	return paths
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// frames are the records of whole frames.
func frames(lines []byte) map[string]bool {
	out := map[string]bool{}
	for line := range bytes.Lines(lines) {
		if bytes.HasPrefix(line, []byte(`{"kind":"frame"`)) && !bytes.Contains(line, []byte(`"incomplete":true`)) {
			out[string(line)] = true
		}
	}
	return out
}

// TestTruncated cuts captures at every byte. What is before the cut is read:
// no frame is there that the whole does not have.
func TestTruncated(t *testing.T) {
	long := os.Getenv(longEnv) != ""
	for _, path := range smallCaptures(t, 20<<10) {
		file := readFile(t, path)
		whole := frames(hostile(t, path, file))
		step := 1
		if !long && len(file) > 1000 {
			step = len(file)/40 | 1
		}
		if !long && strings.Contains(path, "edge-ackempty") {
			step = 1
		}
		if testing.Short() {
			step *= 16
		}
		most := 0
		for at := 0; at < len(file)+step; at += step {
			n := min(at, len(file)-1)
			part := frames(hostile(t, fmt.Sprintf("%s, %d of %d bytes", path, n, len(file)), file[:n]))
			most = max(most, len(part))
			if !strings.Contains(path, "crashers") {
				continue // who the client is may be told later
			}
			for f := range part {
				if !whole[f] {
					t.Fatalf("%s, %d of %d bytes: %s", path, n, len(file), f)
				}
			}
		}
		if strings.HasSuffix(path, ".pcap") && most < len(whole)*3/4-1 {
			t.Errorf("%s: %d frames at most, the whole has %d", path, most, len(whole))
		}
	}
}
