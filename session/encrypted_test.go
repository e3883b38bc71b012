package session_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/endtoend"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

// eachEvent calls take for every event of a capture.
func eachEvent(t *testing.T, path string, o session.Options, take func(*session.Event)) {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	packets := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(src.Packets())
	for e, err := range session.New(o).Events(decode.New(decode.Limits{}, nil).Events(packets)) {
		if err != nil {
			t.Fatal(err)
		}
		take(e)
	}
}

func keysOf(t *testing.T, path string) *endtoend.Keys {
	t.Helper()
	k, err := endtoend.Load([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func sealedCapture(t *testing.T) (pcap, keys string) {
	dir := filepath.Join(testkit.Root(t), "testdata", "captures", "py-encrypt")
	return filepath.Join(dir, "py-encrypt.pcap"), filepath.Join(dir, "keys")
}

// The hashes of what the producer was given to send: four single messages,
// then a batch of four.
var plainSums = []string{"b1b27789c5abe2e0", "0ccaca1145ad8ddb", "3d0965640c7077cf", "146ea188847db6e4",
	"fc4d4486dae042e6", "e1f3b90d444e3681", "c13ac6eca44a4814", "0a5a833962cb01b5"}

func TestEncryptedMessages(t *testing.T) {
	pcap, keys := sealedCapture(t)
	var sent, delivered []string
	eachEvent(t, pcap, session.Options{Keys: keysOf(t, keys)}, func(e *session.Event) {
		if e.Kind != session.MessageSeen {
			return
		}
		m := e.Message
		if m.State != decode.StateOK || !m.Encrypted || m.Fault != "" {
			t.Errorf("offset %d: state %s, encrypted %t, fault %q", e.Offset, m.State, m.Encrypted, m.Fault)
		}
		sum := hex.EncodeToString(m.Sum[:8])
		if e.Direction == decode.ClientToServer {
			sent = append(sent, sum)
		} else {
			delivered = append(delivered, sum)
		}
	})
	if !slices.Equal(sent, plainSums) {
		t.Errorf("sent %v\nexpected %v", sent, plainSums)
	}
	// Delivered to a consumer with the key and to one without.
	if want := slices.Concat(plainSums, plainSums); !slices.Equal(delivered, want) {
		t.Errorf("delivered %v\nexpected %v", delivered, want)
	}
}

// What cannot be opened stays one record per entry, and says what is missing.
func TestEncryptedWithoutTheKey(t *testing.T) {
	pcap, _ := sealedCapture(t)
	other := filepath.Join(testkit.Root(t), "decode", "endtoend", "testdata", "keys", "p256-pkcs8.pem")
	for _, c := range []struct {
		keys *endtoend.Keys
		want string
	}{
		{nil, "encrypted for lab-key-dev; no private key was given"},
		{keysOf(t, other), "encrypted for lab-key-dev; tried p256-pkcs8.pem (256 bytes are no data key wrapped for curve P-256)"},
	} {
		n := 0
		eachEvent(t, pcap, session.Options{Keys: c.keys}, func(e *session.Event) {
			if e.Kind != session.MessageSeen {
				return
			}
			n++
			m := e.Message
			if m.State != decode.StateEncrypted || m.Fault != c.want || len(m.Payload) != 0 || m.HasSum {
				t.Errorf("offset %d: state %s, fault %q, expected %q", e.Offset, m.State, m.Fault, c.want)
			}
		})
		if n != 15 {
			t.Errorf("%d records, expected 15: 5 entries, sent once and delivered twice", n)
		}
	}
}

// Chunks are encrypted one by one; put together they are what was sent.
func TestEncryptedChunks(t *testing.T) {
	pcap := testkit.Capture(t, "encryption.pcap")
	want := truthOfChunks(t, testkit.Capture(t, "encryption.truth.json"))
	var got []string
	eachEvent(t, pcap, session.Options{Keys: keysOf(t, testkit.Capture(t, "encryption.keys"))}, func(e *session.Event) {
		if e.Kind == session.ChunkedMessage {
			got = append(got, fmt.Sprintf("%s %d %x", e.Message.State, len(e.Message.Payload), e.Message.Sum))
		}
	})
	if want = slices.Concat(want, want); len(want) != 4 || !slices.Equal(got, want) {
		t.Errorf("got %v\nexpected %v", got, want)
	}
	eachEvent(t, pcap, session.Options{}, func(e *session.Event) {
		if e.Kind == session.ChunkedMessage &&
			(e.Message.State != decode.StateEncrypted || e.Message.Fault != "encrypted for ops; no private key was given") {
			t.Errorf("without keys: %s, %q", e.Message.State, e.Message.Fault)
		}
	})
}

func truthOfChunks(t *testing.T, path string) (want []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var truth struct {
		Producers []struct {
			Topic    string
			Messages []struct {
				Size   int
				SHA256 string
			}
		}
	}
	if err := json.Unmarshal(b, &truth); err != nil {
		t.Fatal(err)
	}
	for _, p := range truth.Producers {
		if strings.HasSuffix(p.Topic, "/enc-chunk") {
			for _, m := range p.Messages {
				want = append(want, fmt.Sprintf("ok %d %s", m.Size, m.SHA256))
			}
		}
	}
	return want
}
