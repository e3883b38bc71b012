package scrub_test

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/decrypt"
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

// frames runs the stages up to frames, without keys of TLS, whose bytes raw takes.
// What is wrong with a container is no matter here.
func frames(t *testing.T, path string, raw func(decrypt.Raw)) iter.Seq2[*decode.Event, error] {
	t.Helper()
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	d, err := decrypt.New(decrypt.Options{Raw: raw})
	if err != nil {
		t.Fatal(err)
	}
	return decode.New(decode.Limits{}, nil).Events(d.Events(a.Events(open(t, path).Packets())))
}

// scrubbed writes a scrubbed capture.
func scrubbed(t *testing.T, path string, o scrub.Options) (out string, unfit uint64) {
	t.Helper()
	made, err := scrub.NewStreams(o)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	for e, err := range frames(t, path, made.Records) {
		if err != nil {
			continue
		}
		if err := made.Event(e); err != nil {
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
	for e, err := range session.New(session.Options{NoSum: true}).Events(frames(t, path, x.sealed)) {
		if err != nil {
			continue
		}
		rules.Add(e)
		switch e.Kind {
		case session.FrameSeen:
			x.frame(e)
		case session.MessageSeen:
			x.message(e)
		case session.BookieSeen:
			x.bookie(e)
		case session.ConnectionEnd:
			for _, end := range e.Conn.TCP.Ends {
				x.hosts[end.AddrPort().Addr().String()] = true
			}
			x.facts(e.Conn)
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
	if x.fields(&f.Base) == 0 {
		x.kept.Write(f.Base.Data)
	}
	if b, ok := f.Metadata.Text(wire.Top, field.MessageMetadataProducerName); ok && f.HasMetadata {
		x.kept.Write(b)
	}
}

// fields notes the secrets among the fields of a command, and says how many they
// are.
func (x *seen) fields(w *wire.Walk) (secrets int) {
	for i := range w.Nodes {
		if n := &w.Nodes[i]; n.Field != nil && n.Field.Secret {
			secrets++
			x.secret(w.Bytes(n))
		}
	}
	return secrets
}

// bookie notes a frame between a broker and a bookie, and its entries.
func (x *seen) bookie(e *session.Event) {
	f := e.Bookie
	x.shape = append(x.shape, fmt.Sprint(f.Op, f.Version, f.Role, f.Ledger, f.Entry, f.Status, f.LAC, " ", f.Offset, f.Size, f.Incomplete, f.Fault, f.Issues, e.Conn.ID))
	x.secret(f.MasterKey)
	for _, w := range []*wire.Walk{f.Header, f.Fields} {
		if w != nil {
			x.fields(w)
		}
	}
	e.EachStored(func(s *session.Stored) {
		x.shape = append(x.shape, fmt.Sprint(s.Ledger, s.Stored.Entry, s.LastAddConfirmed, s.Length, s.Digest, s.Verdict, len(s.Body), s.Cut, s.Frame != nil))
		if s.Frame == nil {
			x.payload(s.Body)
			return
		}
		e.EachMessage(s, x.stored)
	})
}

// stored notes a message in an entry of a bookie.
func (x *seen) stored(m *session.Message) { x.message(&session.Event{Message: m}) }

// facts notes what the handshake of TLS told, and whom it named.
func (x *seen) facts(c *session.Conn) {
	x.shape = append(x.shape, fmt.Sprint(c.ID, c.Protocol, c.Proxy != nil))
	f := decrypt.FactsOf(c.TCP)
	if f == nil {
		return
	}
	x.shape = append(x.shape, fmt.Sprint(c.ID, f.Version, f.Offered, f.Cipher, f.ALPN, f.WantedALPN, len(f.ServerName), f.Resumed, f.ExtendedMaster,
		f.EncryptThenMAC, f.EarlyData, f.Alerts, f.Keys, f.Why, len(f.FirstBytes[0]), len(f.FirstBytes[1])))
	if f.Random != (decrypt.Random{}) {
		x.secret(f.Random[:])
	}
	x.secret([]byte(f.ServerName))
	for _, cert := range []*decrypt.Certificate{f.Certificate, f.ClientCertificate} {
		if cert == nil {
			continue
		}
		x.shape = append(x.shape, fmt.Sprint(c.ID, cert.Fault, len(cert.Subject), len(cert.Issuer), len(cert.Names), cert.NotAfter.Truncate(time.Hour)))
		for _, name := range append(strings.Split(cert.Subject+","+cert.Issuer, ","), cert.Names...) {
			x.secret([]byte(name[strings.IndexByte(name, '=')+1:]))
		}
	}
}

// sealed notes what TLS connections carry, where a record begins.
func (x *seen) sealed(r decrypt.Raw) {
	const application = 23
	if len(r.Data) < decrypt.RecordHeader || r.Data[0] != application {
		return
	}
	if n, ok := decrypt.RecordSize(r.Data); ok {
		x.window(r.Data[decrypt.RecordHeader:min(n, len(r.Data))])
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
	x.window(b)
}

func (x *seen) window(b []byte) {
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

func TestCaptures(t *testing.T) { checkAll(t, captures(t), 42) }

func TestSharedCaptures(t *testing.T) { checkAll(t, sharedCaptures(t), 200) }

func checkAll(t *testing.T, paths []string, least int) {
	done := 0
	for _, path := range paths {
		out, unfit := scrubbed(t, path, scrub.Options{Seed: []byte("seed")})
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
			i := 0
			for i < min(len(before.shape), len(after.shape)) && before.shape[i] == after.shape[i] {
				i++
			}
			t.Errorf("%s: what is seen is not the same from %d on:\n%s\nand before\n%s", name, i, strings.Join(after.shape[i:min(i+3, len(after.shape))], "\n"),
				strings.Join(before.shape[i:min(i+3, len(before.shape))], "\n"))
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

func sendMetadata() *pb.MessageMetadata {
	return &pb.MessageMetadata{ProducerName: new("p"), SequenceId: new(uint64(1)), PublishTime: new(uint64(1))}
}

// What cannot be read is overwritten, and cannot be read in the result either:
// metadata, a command, and what stands between frames.
func TestUnreadable(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	send := wiremake.Payload{
		Command:  wiremake.Filled(pb.BaseCommand_SEND, 1),
		Metadata: sendMetadata(),
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
		for e, err := range session.New(session.Options{}).Events(frames(t, path, nil)) {
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
