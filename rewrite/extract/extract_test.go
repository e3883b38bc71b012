package extract

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/session"
)

func folder(t *testing.T, l Limits) (*Folder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	f, err := Open(dir, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, dir
}

// message is one of a topic; sent if it has no id.
func message(topic, producer string, offset int64, id *session.MessageID, payload string) *session.Event {
	m := &wire.Walk{}
	b := binary.AppendUvarint([]byte{1<<3 | wire.Len}, uint64(len(producer)))
	b = append(append(b, producer...), 2<<3, 7, 3<<3, 1) // sequence_id 7, publish_time 1
	if err := m.Parse(wire.MessageMetadata, b); err != nil {
		panic(err)
	}
	e := &session.Event{Kind: session.MessageSeen, Conn: &session.Conn{Conn: &decode.Conn{}}, Frame: &decode.Frame{Offset: offset},
		Message: &session.Message{Message: &decode.Message{Metadata: m, Payload: []byte(payload)}}}
	e.Producer = &session.Producer{}
	e.Producer.Topic = topic
	if id != nil {
		e.Message.ID, e.Message.HasID = *id, true
	}
	return e
}

func receipt(offset int64, id session.MessageID) *session.Event {
	return &session.Event{Kind: session.ExchangeSeen, Conn: &session.Conn{Conn: &decode.Conn{}}, Exchange: &session.Exchange{
		Kind: session.Send, HasRequest: true, Request: session.Ref{Offset: offset}, HasID: true, ID: id}}
}

func take(t *testing.T, f *Folder, events ...*session.Event) {
	t.Helper()
	for _, e := range events {
		if err := f.Event(e); err != nil {
			t.Fatal(err)
		}
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A SEND is named by its producer until its receipt comes; what was delivered,
// too, stays once; other bytes under the same name get a number.
func TestNames(t *testing.T) {
	f, dir := folder(t, Limits{})
	id := session.MessageID{Ledger: 5, Entry: 1, Partition: -1, BatchIndex: -1}
	take(t, f,
		message("persistent://public/default/orders", "p", 0, nil, `{"a":1}`),
		message("persistent://public/default/orders", "p", 100, nil, "text"),
		receipt(0, id),
		message("persistent://public/default/orders", "p", 200, &id, `{"a":1}`),
		message("persistent://public/default/orders", "p", 300, &id, `{"a":2}`),
		message("persistent://t/ns/orders", "p", 400, &session.MessageID{Ledger: 5, Entry: 2}, "\x00"),
	)
	want := []string{"orders-5-1.json", "orders-5-1~2.json", "orders-p-7.txt", "t_ns_orders-5-2.bin"}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "orders-5-1~2.json")); err != nil || string(b) != `{"a":2}` {
		t.Errorf("%s, %v", b, err)
	}
	if c := f.Counts; c != (Counts{Files: 4, Bytes: 7 + 4 + 7 + 1, Again: 1}) {
		t.Errorf("%+v", c)
	}
}

// No name leads out of the folder, or to a file that is there already.
func TestHostileNames(t *testing.T) {
	f, dir := folder(t, Limits{})
	for _, name := range []string{"../../etc/passwd", "/abs", `..\..\x`, "..", ".", "", "a\x00b", "-rf", strings.Repeat("x", 5000), "con:", "\u202e", "~root"} {
		take(t, f, message(name, name, 0, nil, name), message(name, name, 0, &session.MessageID{Ledger: 1<<64 - 1, Entry: 1<<64 - 1}, name))
	}
	for _, name := range files(t, dir) {
		if strings.ContainsAny(name, "/\\\x00:") || name[0] == '.' || name[0] == '-' || len(name) > 255 {
			t.Errorf("%q", name)
		}
	}
	if up := files(t, filepath.Dir(dir)); !slices.Equal(up, []string{"b"}) {
		t.Errorf("outside the folder: %q", up)
	}
	if _, err := Open(dir, Limits{}); err == nil {
		t.Error("a folder with files in it is taken")
	}
}

func TestLimits(t *testing.T) {
	f, dir := folder(t, Limits{Files: 2, Bytes: 100})
	for i := range 4 {
		take(t, f, message("t", "p", 0, &session.MessageID{Ledger: 1, Entry: uint64(i)}, strings.Repeat("x", 40+i)))
	}
	if n := len(files(t, dir)); n != 2 || f.Refused != 2 {
		t.Errorf("%d files, %d refused", n, f.Refused)
	}
	f, dir = folder(t, Limits{Bytes: 100})
	for i := range 4 {
		take(t, f, message("t", "p", 0, &session.MessageID{Ledger: 1, Entry: uint64(i)}, strings.Repeat("x", 40+i)))
	}
	if n := len(files(t, dir)); n != 2 || f.Refused != 2 {
		t.Errorf("%d files, %d refused", n, f.Refused)
	}
}
