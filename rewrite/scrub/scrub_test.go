package scrub_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/rewrite/pcapng"
	"pulsar-dissect/rewrite/scrub"
	"pulsar-dissect/session"
)

func open(t *testing.T, path string) *capture.Source {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	return source
}

// frames runs the stages up to frames. What is wrong with a container is no
// matter here.
func frames(t *testing.T, path string) iter.Seq2[*decode.Event, error] {
	t.Helper()
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	return decode.New(decode.Limits{}, nil).Events(a.Events(open(t, path).Packets()))
}

// scrubbed writes a scrubbed capture; an empty path where that is refused.
func scrubbed(t *testing.T, path string, o scrub.Options) (out string, unfit uint64) {
	t.Helper()
	made, err := scrub.NewStreams(o)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	for e, err := range frames(t, path) {
		if err != nil {
			continue
		}
		if err := made.Event(e); err != nil {
			if refusal := (*scrub.Refusal)(nil); errors.As(err, &refusal) {
				return "", 0
			}
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	w := pcapng.New(&b, "test")
	if _, err := made.Copy(open(t, path).Packets(), segment.Limits{}, w); w.Err() != nil {
		t.Fatal(err)
	}
	out = filepath.Join(t.TempDir(), "scrubbed.pcapng")
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return out, made.Unfit
}

// seen is what a capture shows.
type seen struct {
	findings []string
	shape    []string // of frames and messages: what has to stay
	secrets  map[string]bool
	windows  map[[8]byte]bool // of payloads
	payloads [][]byte
	hosts    map[string]bool
	kept     bytes.Buffer // commands: names and schemas stay, which may be in payloads, too
}

func look(t *testing.T, path string) *seen {
	t.Helper()
	x := &seen{secrets: map[string]bool{}, windows: map[[8]byte]bool{}, hosts: map[string]bool{}}
	rules := diagnose.New(diagnose.Options{})
	for e, err := range session.New(session.Options{NoSum: true}).Events(frames(t, path)) {
		if err != nil {
			continue
		}
		rules.Add(e)
		switch e.Kind {
		case session.FrameSeen:
			x.frame(e)
		case session.MessageSeen:
			x.message(e)
		case session.ConnectionEnd:
			for _, end := range e.Conn.TCP.Ends {
				x.hosts[end.AddrPort().Addr().String()] = true
			}
		}
	}
	for _, f := range rules.Finish() {
		s := &f.Subject
		x.findings = append(x.findings, fmt.Sprint(f.Rule.Name, f.Severity, f.Count, " ", s.ConnID, s.Topic, s.Subscription, s.Producer, s.Consumer, s.MessageID))
	}
	slices.Sort(x.findings)
	return x
}

func (x *seen) frame(e *session.Event) {
	f := e.Frame
	x.shape = append(x.shape, fmt.Sprint(f.TypeName(), f.Direction, f.Offset, " ", f.Size, f.Checksum, f.Incomplete, f.Last.Time, e.Conn.ID))
	secrets := 0
	for i := range f.Base.Nodes {
		if n := &f.Base.Nodes[i]; n.Field != nil && n.Field.Secret {
			secrets++
			x.secret(f.Base.Bytes(n))
		}
	}
	if secrets == 0 {
		x.kept.Write(f.Base.Data)
	}
	if b, ok := f.Metadata.Text(wire.Top, field.MessageMetadataProducerName); ok && f.HasMetadata {
		x.kept.Write(b)
	}
}

func (x *seen) message(e *session.Event) {
	m := e.Message
	x.shape = append(x.shape, fmt.Sprint(m.State, m.Batched, m.Index, m.BatchSize, " ", len(m.Payload), m.Codec, m.Variant))
	if m.State == decode.StateOK && m.Marker == nil {
		x.payload(m.Payload)
	}
	w, key, properties := m.Metadata, int32(field.MessageMetadataPartitionKey), int32(field.MessageMetadataProperties)
	if m.Single != nil {
		w, key, properties = m.Single, field.SingleMessageMetadataPartitionKey, field.SingleMessageMetadataProperties
	}
	if w == nil {
		return
	}
	b, _ := w.Text(wire.Top, key)
	x.secret(b)
	for i := range w.Each(wire.Top, properties) {
		name, _ := w.Text(i, field.KeyValueKey)
		if v, _ := w.Text(i, field.KeyValueValue); !strings.HasPrefix(string(name), "__") {
			x.secret(v)
		}
	}
}

// secret notes a text that is long enough not to be there by chance.
func (x *seen) secret(b []byte) {
	if len(b) >= 6 && len(x.secrets) < 300 {
		x.secrets[string(b)] = true
	}
}

func (x *seen) payload(b []byte) {
	x.payloads = append(x.payloads, bytes.Clone(b))
	for ; len(b) >= 8; b = b[8:] {
		different := map[byte]bool{}
		for _, c := range b[:8] {
			different[c] = true
		}
		if len(different) > 4 && len(x.windows) < 1<<20 {
			x.windows[[8]byte(b)] = true
		}
	}
}

// captures lists those that ship with the project, and those that are shared.
func captures(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{filepath.Join(testkit.Root(t), "testdata", "captures", "*", "*.pcap")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return paths
}

func sharedCaptures(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.pcap", "*.pcapng"} {
		found, err := filepath.Glob(filepath.Join(testkit.Shared(t), "captures", pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return paths
}

func TestCaptures(t *testing.T) { checkAll(t, captures(t), 25) }

func TestSharedCaptures(t *testing.T) { checkAll(t, sharedCaptures(t), 150) }

func checkAll(t *testing.T, paths []string, least int) {
	done := 0
	for _, path := range paths {
		out, unfit := scrubbed(t, path, scrub.Options{Seed: []byte("seed")})
		if out == "" {
			continue
		}
		done++
		name := filepath.Base(path)
		if unfit > 0 {
			t.Errorf("%s: %d entries do not fit", name, unfit)
		}
		before, after := look(t, path), look(t, out)
		if !slices.Equal(before.findings, after.findings) {
			t.Errorf("%s: findings\n%s\nand before\n%s", name, strings.Join(after.findings, "\n"), strings.Join(before.findings, "\n"))
		}
		if !slices.Equal(before.shape, after.shape) {
			t.Errorf("%s: %d frames and messages, %d before, are not the same", name, len(after.shape), len(before.shape))
		}
		checkNothingLeft(t, name, before, after, out)
	}
	if done < least {
		t.Errorf("%d captures scrubbed, want %d at least", done, least)
	}
}

// checkNothingLeft looks for what the original holds in the bytes of the result
// and in its payloads.
func checkNothingLeft(t *testing.T, name string, before, after *seen, out string) {
	t.Helper()
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range append(after.payloads, raw) {
		for i := 0; i+8 <= len(b); i++ {
			if w := [8]byte(b[i:]); before.windows[w] && !bytes.Contains(before.kept.Bytes(), w[:]) {
				t.Errorf("%s: %q of a payload is still there", name, w)
				break
			}
		}
		for s := range before.secrets {
			if bytes.Contains(b, []byte(s)) && !bytes.Contains(before.kept.Bytes(), []byte(s)) {
				t.Errorf("%s: %q is still there", name, s)
			}
		}
		for h := range before.hosts {
			if bytes.Contains(b, []byte(h)) {
				t.Errorf("%s: address %s is still there", name, h)
			}
		}
	}
	for h := range before.hosts {
		if after.hosts[h] {
			t.Errorf("%s: address %s is still used", name, h)
		}
	}
}

// What cannot be read is overwritten, and cannot be read in the result either:
// metadata, a command, and what stands between frames.
func TestUnreadable(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	send := wiremake.Payload{
		Command:  wiremake.Filled(pb.BaseCommand_SEND, 1),
		Metadata: &pb.MessageMetadata{ProducerName: new("p"), SequenceId: new(uint64(1)), PublishTime: new(uint64(1))},
		Body:     []byte("a payload of some length"),
	}
	damaged := send.Frame()
	metadata := bytes.LastIndex(damaged, wiremake.Bytes(send.Metadata))
	damaged[metadata+3] = 0x36 // wire type 6
	connect, ping := wiremake.Frame(wiremake.Filled(pb.BaseCommand_CONNECT, 1)), wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}})
	c.Send(wiremake.Client, connect, damaged, wiremake.Raw([]byte{8, 11, 0x5a, 6, 8, 1, 16, 5, 0x8e, 0xff}), ping, ping)
	c.Close()
	path := filepath.Join(t.TempDir(), "damaged.pcap")
	if err := os.WriteFile(path, wiremake.Pcap(tape.Packets), 0o600); err != nil {
		t.Fatal(err)
	}
	checkAll(t, []string{path}, 1)
	if findings := look(t, path).findings; len(findings) == 0 {
		t.Error("nothing is wrong in what was damaged")
	}
}

// With names of topics and others, too, the findings stay, under other names.
func TestNames(t *testing.T) {
	for _, name := range []string{"py-nack", "producer-errors", "go-errors", "ack"} {
		path := filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")
		out, _ := scrubbed(t, path, scrub.Options{Seed: []byte("seed"), Topics: true, Names: true})
		before, after := look(t, path), look(t, out)
		if len(before.findings) != len(after.findings) || len(before.findings) == 0 {
			t.Errorf("%s: %d findings, %d before", name, len(after.findings), len(before.findings))
		}
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range session.New(session.Options{}).Events(frames(t, path)) {
			if err != nil || e.Topic() == "" {
				continue
			}
			last := e.Topic()[strings.LastIndexByte(e.Topic(), '/')+1:]
			for _, end := range []string{"-DLQ", "-RETRY"} {
				last = strings.TrimSuffix(last, end)
			}
			if !strings.HasPrefix(last, "__") && !strings.Contains(e.Topic(), "pulsar/system") && bytes.Contains(raw, []byte(last)) {
				t.Fatalf("%s: topic %s is still there", name, last)
			}
		}
	}
}

// The same seed makes the same file, another one another.
func TestSeed(t *testing.T) {
	path := filepath.Join(testkit.Root(t), "testdata", "captures", "rust-codecs", "rust-codecs.pcap")
	read := func(seed string) []byte {
		out, _ := scrubbed(t, path, scrub.Options{Seed: []byte(seed)})
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(read("a"), read("a")) {
		t.Error("the same seed makes different files")
	}
	if bytes.Equal(read("a"), read("b")) {
		t.Error("another seed makes the same file")
	}
}
