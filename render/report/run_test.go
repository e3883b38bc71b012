package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	schema "pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/render/report"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/summary"
)

// feed has faces show a capture.
func feed(t testing.TB, file string, faces func(render.Options) []render.Diagnosed) {
	t.Helper()
	source, err := capture.Open([]string{file}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	parser := segment.NewParser(segment.Limits{})
	assembler := reassembly.New(reassembly.Limits{}, parser)
	decoder := decode.New(decode.Limits{}, nil)
	tied := session.New(session.Options{})
	engine := diagnose.New(diagnose.Options{Rules: diagnose.Rules})
	all := faces(render.Options{Files: source.Files(), MaxPayload: 256})
	each := func(tell func(render.Diagnosed) error) {
		for _, f := range all {
			if err := tell(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	var at decode.Position
	engine.Dispatch().Watch(dispatch.Watcher{Ended: func(_ *dispatch.Consumer, v *dispatch.Verdict) {
		each(func(f render.Diagnosed) error { return f.Consumer(v, at) })
	}})
	for e, err := range tied.Events(decoder.Events(assembler.Events(source.Packets()))) {
		if err != nil {
			t.Fatal(err)
		}
		at = e.At
		each(func(f render.Diagnosed) error { return f.Event(e) })
		engine.Add(e)
	}
	found := &render.Diagnosis{Found: engine.Finish()}
	end := &render.End{Totals: summary.Totals{Capture: source.Stats(), Segments: parser.Stats(), Reassembly: assembler.Counters(), Decode: decoder.Counters(), Session: tied.Counters()}}
	each(func(f render.Diagnosed) error { return f.Findings(found) })
	each(func(f render.Diagnosed) error { return f.Close(end) })
}

var everything = []session.Kind{
	session.FrameSeen, session.MessageSeen, session.ExchangeSeen, session.PermitsChanged, session.ChunkedMessage,
	session.GapSeen, session.BytesSkipped, session.ConflictSeen, session.ProxySeen, session.BookieSeen, session.ConnectionEnd,
}

// made is a page, and the JSON output of the same run.
type made struct {
	html    string
	records []map[string]any
	lines   []string
}

func makePage(t testing.TB, file string, l report.Limits) *made {
	t.Helper()
	var page, records bytes.Buffer
	feed(t, file, func(o render.Options) []render.Diagnosed {
		return []render.Diagnosed{report.New(&page, o, l, "v1"), render.NewRecords(&records, o, everything...).WithSummary()}
	})
	m := &made{html: page.String(), lines: strings.Split(strings.TrimSpace(records.String()), "\n")}
	for _, line := range m.lines {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		m.records = append(m.records, r)
	}
	return m
}

// of gives the records of a kind.
func (m *made) of(kind string) (list []map[string]any) {
	for _, r := range m.records {
		if r["kind"] == kind {
			list = append(list, r)
		}
	}
	return list
}

func (m *made) summary() map[string]any { return m.records[len(m.records)-1] }

// save writes the page where a browser finds it.
func (m *made) save(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(m.html), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// block is the text of a block of data.
func (m *made) block(t testing.TB, id string) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)<script type="application/json" id="` + id + `">(.*?)</script>`).FindStringSubmatch(m.html)
	if found == nil {
		t.Fatalf("there is no block %s", id)
	}
	return found[1]
}

// evil is text that would run, if anything took it for markup or for an address.
const evil = `</script><script>document.title='pwned'</script><img src=x onerror="document.title='pwned'">" onerror='document.title="pwned"' javascript:document.title='pwned' <!-- ]]>` + "\u202e\u2028"

// evilCapture is a conversation in which every text of every command, the topics,
// the messages and the name of the file are evil.
func evilCapture(t testing.TB) string {
	t.Helper()
	tape := wiremake.NewTape()
	talk := tape.Talk(40000)
	for seed := range uint64(3) {
		for _, n := range wiremake.Types() {
			talk.Send(senderOf(n), evilFrame(n, seed))
		}
	}
	talk.Close()
	file := filepath.Join(t.TempDir(), "<img src=x onerror=alert(1)>.pcap")
	if err := os.WriteFile(file, wiremake.Pcap(tape.Packets), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func senderOf(n pb.BaseCommand_Type) int {
	if schema.ByNumber(int32(n)).Sender == schema.Broker {
		return wiremake.Server
	}
	return wiremake.Client
}

func evilFrame(n pb.BaseCommand_Type, seed uint64) []byte {
	c := wiremake.Filled(n, seed)
	poison(c.ProtoReflect())
	if !schema.ByNumber(int32(n)).Payload {
		return wiremake.Frame(c)
	}
	m := &pb.MessageMetadata{ProducerName: proto.String(evil), SequenceId: proto.Uint64(1<<64 - 1), PublishTime: proto.Uint64(1),
		PartitionKey: proto.String(evil), Properties: []*pb.KeyValue{{Key: proto.String("__proto__"), Value: proto.String(evil)}}}
	return wiremake.Payload{Command: c, Metadata: m, Body: []byte(evil)}.Frame()
}

// poison makes every text evil.
func poison(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		text := f.Kind() == protoreflect.StringKind
		switch {
		case f.IsList():
			for i := range v.List().Len() {
				if text {
					v.List().Set(i, protoreflect.ValueOfString(evil))
				} else if f.Message() != nil {
					poison(v.List().Get(i).Message())
				}
			}
		case text:
			m.Set(f, protoreflect.ValueOfString(evil))
		case f.Message() != nil:
			poison(v.Message())
		}
		return true
	})
}

// ackPage is the page of the capture "ack".
func ackPage(t testing.TB, l report.Limits) *made {
	t.Helper()
	return makePage(t, testkit.Capture(t, "ack.pcap"), l)
}
