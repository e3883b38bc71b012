package pcapng

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
)

// A key log that is written is there when the file is read.
func TestSecrets(t *testing.T) {
	const keyLog = "CLIENT_RANDOM 01 02\n"
	var b bytes.Buffer
	w := New(&b, "test")
	packet := capture.Packet{Time: 1, Data: []byte{1, 2, 3}, OrigLen: 3}
	for _, err := range []error{w.Secrets([]byte(keyLog)), w.Interface(1, "eth0"), w.Packet(0, &packet, "")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "secrets.pcapng")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	n := 0
	for _, err := range source.Packets() {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if s := source.Secrets(); n != 1 || len(s) != 1 || string(s[0]) != keyLog {
		t.Errorf("%d packets, secrets %q", n, s)
	}
}
