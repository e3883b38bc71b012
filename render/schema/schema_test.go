package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/anatomy"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	counts "pulsar-dissect/session/stats"
	"pulsar-dissect/session/summary"
	"pulsar-dissect/session/trace"
)

// compile compiles the document.
func compile(t testing.TB) *jsonschema.Schema {
	t.Helper()
	return compiler(t, false).MustCompile(ID)
}

// byKind compiles the definition of each kind, which takes less time than to
// find the one that fits for each record.
func byKind(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	c := compiler(t, true)
	kinds := map[string]*jsonschema.Schema{}
	for _, k := range Kinds() {
		kinds[k] = c.MustCompile(ID + "#/$defs/" + k)
	}
	return kinds
}

// compiler reads the document; a strict one takes no field of a command that
// the descriptors do not have.
func compiler(t testing.TB, strict bool) *jsonschema.Compiler {
	t.Helper()
	text, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	if strict {
		text = bytes.ReplaceAll(text, []byte(`"additionalProperties": true`), []byte(`"additionalProperties": false`))
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(ID, document); err != nil {
		t.Fatal(err)
	}
	return c
}

// lines gives what events -o json writes for captures.
func lines(t *testing.T, files ...string) [][]byte {
	t.Helper()
	source, err := capture.Open(files, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	var out bytes.Buffer
	all := []session.Kind{}
	for k := session.FrameSeen; k <= session.ConnectionEnd; k++ {
		all = append(all, k)
	}
	records := render.NewRecords(&out, render.Options{Files: source.Files(), MaxPayload: 64}, all...).WithSummary()
	parser := segment.NewParser(segment.Limits{})
	asm := reassembly.New(reassembly.Limits{}, parser)
	open, err := decrypt.New(decrypt.Options{KeyLogs: keyLogs(files), Secrets: source.Secrets})
	if err != nil {
		t.Fatal(err)
	}
	dec := decode.New(decode.Limits{}, nil)
	ses := session.New(session.Options{})
	rules := diagnose.New(diagnose.Options{})
	at := decode.Position{}
	rules.Dispatch().Watch(dispatch.Watcher{Ended: func(_ *dispatch.Consumer, v *dispatch.Verdict) {
		if err := records.Consumer(v, at); err != nil {
			t.Fatal(err)
		}
	}})
	for e, err := range ses.Events(dec.Events(open.Events(asm.Events(source.Packets())))) {
		if err == nil {
			err = records.Event(e)
		}
		if err != nil {
			t.Fatal(err)
		}
		if e != nil {
			at = e.At
			rules.Add(e)
		}
	}
	if err := records.Findings(&render.Diagnosis{Found: rules.Finish()}); err != nil {
		t.Fatal(err)
	}
	if err := records.Close(&render.End{Totals: summary.Totals{Capture: source.Stats(), Segments: parser.Stats()}}); err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
}

// keyLogs finds NAME.keylog beside NAME.pcap.
func keyLogs(files []string) (logs []string) {
	for _, f := range files {
		log := strings.TrimSuffix(f, ".pcap") + ".keylog"
		if _, err := os.Stat(log); err == nil {
			logs = append(logs, log)
		}
	}
	return logs
}

// check validates each line and gives the kinds that occurred.
func check(t *testing.T, schemas map[string]*jsonschema.Schema, lines [][]byte) map[string]bool {
	t.Helper()
	kinds := map[string]bool{}
	for i, line := range lines {
		if err := noDuplicates(line); err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		record, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		kind, _ := record.(map[string]any)["kind"].(string)
		s := schemas[kind]
		if s == nil {
			t.Fatalf("line %d: no such kind: %s", i+1, line)
		}
		if err := s.Validate(record); err != nil {
			t.Fatalf("line %d: %v\n%s", i+1, err, line)
		}
		kinds[kind] = true
	}
	return kinds
}

// noDuplicates tells of a name that an object has twice.
func noDuplicates(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	return noDuplicatesIn(d)
}

func noDuplicatesIn(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	opening, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if opening == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if seen[name.(string)] {
				return fmt.Errorf("the name %s occurs twice", name)
			}
			seen[name.(string)] = true
		}
		if err := noDuplicatesIn(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// What stats writes is as the schema says, whatever it counts by.
func TestStatsRecords(t *testing.T) {
	s := byKind(t)
	file := filepath.Join(testkit.Root(t), "testdata", "captures", "ack", "ack.pcap")
	for _, by := range counts.Groupings {
		var out bytes.Buffer
		face := render.NewStats(&out, render.Options{Format: render.JSONLines}, render.StatsOptions{
			Options: counts.Options{By: by, Interval: 1e9, Limits: counts.Limits{Rows: 20}}})
		eachEvent(t, file, func(e *session.Event) {
			if err := face.Event(e); err != nil {
				t.Fatal(err)
			}
		})
		if err := face.Close(&render.End{}); err != nil {
			t.Fatal(err)
		}
		kinds := check(t, s, bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")))
		if len(kinds) != 1 || !kinds["stats"] {
			t.Errorf("by %s: %v", by, kinds)
		}
	}
}

// What trace writes is as the schema says.
func TestStepRecords(t *testing.T) {
	var out bytes.Buffer
	face := render.NewTrace(&out, render.Options{Format: render.JSONLines}, trace.Want{ID: &trace.Entry{Ledger: 51, Entry: 2}})
	eachEvent(t, filepath.Join(testkit.Root(t), "testdata", "captures", "ack", "ack.pcap"), func(e *session.Event) {
		if err := face.Event(e); err != nil {
			t.Fatal(err)
		}
	})
	if err := face.Close(&render.End{}); err != nil {
		t.Fatal(err)
	}
	kinds := check(t, byKind(t), bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")))
	if len(kinds) != 1 || !kinds["step"] {
		t.Errorf("%v", kinds)
	}
}

// What show and decode write is as the schema says, of every frame of captures
// with batches, damage, encryption and all commands that clients send.
func TestDissectionRecords(t *testing.T) {
	var out bytes.Buffer
	o := render.Options{Format: render.JSONLines, MaxPayload: 32}
	for _, name := range []string{"base", "go-batch-codecs", "py-encrypt", "snap96", "producer-errors"} {
		face := render.NewDissection(&out, o, &reassembly.Extents{}, nil)
		eachEvent(t, filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap"), func(e *session.Event) {
			if err := face.Event(e); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, form := range anatomy.Forms() {
		a, err := render.MakeAnatomy(form, []byte{8, 51, 16, 2, 0xff}, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := render.WriteAnatomy(&out, o, a, form, "why"); err != nil {
			t.Fatal(err)
		}
	}
	records := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	kinds := check(t, byKind(t), records)
	if len(kinds) != 1 || !kinds["dissection"] || len(records) < 200 {
		t.Errorf("%d records, %v", len(records), kinds)
	}
}

// The columns of tables for other programs are fields of the records.
func TestCellColumns(t *testing.T) {
	var document any
	text, err := Document()
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string][]string{
		"timeline": {"frame", "gap", "skipped", "conflict", "proxy", "bookie"}, "pairs": {"exchange"}, "messages": {"message", "chunked_message"},
		"consumers": {"consumer"}, "stats": {"stats"}, "txns": {"transaction"}, "diagnose": {"finding"},
	}
	around := map[string]bool{"timeline topic": true, "timeline subscription": true} // not of the records
	for listing, columns := range render.CellColumns {
		for _, column := range columns {
			found := around[listing+" "+column]
			for _, kind := range kinds[listing] {
				found = found || hasPath(document, definition(document, kind), strings.Split(column, "."))
			}
			if !found {
				t.Errorf("%s: no record has %q", listing, column)
			}
		}
	}
}

func definition(document any, name string) any {
	return document.(map[string]any)["$defs"].(map[string]any)[name]
}

// hasPath says whether values of a schema have a member at a path.
func hasPath(document, schema any, path []string) bool {
	s, ok := schema.(map[string]any)
	switch {
	case len(path) == 0:
		return true
	case !ok:
		return false
	}
	if r, ok := s["$ref"].(string); ok {
		return hasPath(document, definition(document, strings.TrimPrefix(r, "#/$defs/")), path)
	}
	for _, choice := range anyOf(s) {
		if hasPath(document, choice, path) {
			return true
		}
	}
	name, list := strings.CutSuffix(path[0], "[]")
	properties, _ := s["properties"].(map[string]any)
	member, ok := properties[name]
	if !ok {
		member, ok = s["additionalProperties"].(map[string]any)
	}
	if list && ok {
		member = member.(map[string]any)["items"]
	}
	return ok && hasPath(document, member, path[1:])
}

func anyOf(s map[string]any) []any {
	list, _ := s["anyOf"].([]any)
	return list
}

func eachEvent(t *testing.T, file string, take func(*session.Event)) {
	t.Helper()
	source, err := capture.Open([]string{file}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	streams := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(source.Packets())
	for e, err := range session.New(session.Options{}).Events(decode.New(decode.Limits{}, nil).Events(streams)) {
		if err != nil {
			t.Fatal(err)
		}
		take(e)
	}
}

func TestNoDuplicates(t *testing.T) {
	for line, want := range map[string]bool{`{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}`: true, `{"a":1,"a":2}`: false, `{"b":[{"a":{},"a":[]}]}`: false} {
		if got := noDuplicates([]byte(line)) == nil; got != want {
			t.Errorf("%s: got %v", line, got)
		}
	}
}

// Every line for every capture of the repository is as the schema says.
func TestRecordsOfTestdata(t *testing.T) {
	s := byKind(t)
	files, err := filepath.Glob(filepath.Join(testkit.Root(t), "testdata", "captures", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, file := range files {
		if !strings.Contains(filepath.Base(file), ".pcap") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			for k := range check(t, s, lines(t, file)) {
				kinds[k] = true
			}
		})
	}
	for _, k := range []string{"frame", "message", "exchange", "permits", "finding", "consumer", "connection", "summary"} {
		if !kinds[k] {
			t.Errorf("no record of kind %s in %d files", k, len(files))
		}
	}
}

// sample are shared captures that have what is rare: chunks, gaps, PROXY
// prefaces, damage, codecs, transactions, other protocols.
var sample = []string{
	"go-chunk.pcap", "cap-gap3.pcap", "cap-drop5.pcap", "haproxy-v2-both.pcap", "go-batch-codecs.pcap", "go-txn.pcap", "file-snap96.pcap",
	"go-errors.pcap", "cap-midstream40.pcap", "cap-oneway-broker.pcap", "connect-auth.pcap", "go-old03.pcap", "bookkeeper.pcap", "encryption.pcap",
	"tls13-mtls.pcap", "tls12-resume.pcap", "tls-nokeys.pcap", "tls12-handshake-fails.pcap", "tls13-lossy.pcap",
}

func TestRecordsOfShared(t *testing.T) {
	s := byKind(t)
	kinds := map[string]bool{}
	for _, name := range sample {
		t.Run(name, func(t *testing.T) {
			for k := range check(t, s, lines(t, testkit.Capture(t, name))) {
				kinds[k] = true
			}
		})
	}
	if _, err := os.Stat(testkit.Shared(t)); err == nil {
		for _, k := range []string{"gap", "skipped", "proxy", "chunked_message"} {
			if !kinds[k] {
				t.Errorf("no record of kind %s", k)
			}
		}
	}
}

func TestSeveralFiles(t *testing.T) {
	base := filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
	got := lines(t, base, base)
	check(t, byKind(t), got)
	if !bytes.Contains(got[0], []byte(`,"file":"`+base+`"`)) {
		t.Errorf("no file in %s", got[0])
	}
}

// A record that is not as it should be is told apart.
func TestSchemaRejects(t *testing.T) {
	s := compile(t)
	gap := `{"kind":"gap","time":"2026-11-30T17:22:45.266525000Z","packet":1,"conn":"10.0.0.1:2-10.0.0.3:4","conn_id":0,"dir":"c2s","offset":0,"bytes":5,"acked":true,"cause":"capture"}`
	for _, v := range []struct {
		name, old, new string
		valid          bool
	}{
		{"as it is", "", "", true},
		{"a field renamed", `"cause"`, `"reason"`, false},
		{"a field missing", `"acked":true,`, ``, false},
		{"another type", `"bytes":5`, `"bytes":"5"`, false},
		{"a fraction", `"bytes":5`, `"bytes":5.5`, false},
		{"below its least", `"bytes":5`, `"bytes":-5`, false},
		{"a value that is no name", `"c2s"`, `"up"`, false},
		{"a time without nanoseconds", `.266525000Z`, `Z`, false},
		{"a kind that does not exist", `"kind":"gap"`, `"kind":"hole"`, false},
		{"a field too many", `"bytes"`, `"more":1,"bytes"`, false},
		{"time unknown", `"bytes"`, `"time_unknown":true,"bytes"`, true},
		{"time known is not said", `"bytes"`, `"time_unknown":false,"bytes"`, false},
	} {
		record, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(gap, v.old, v.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(record); (err == nil) != v.valid {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// A frame's command is as its type says, with numbers of 64 bits.
func TestCommands(t *testing.T) {
	frame := `{"kind":"frame","time":"2026-11-30T17:22:45.266525000Z","packet":1,"conn":"10.0.0.1:2-10.0.0.3:4","conn_id":0,"dir":"c2s","offset":0,` +
		`"size":9,"type":%q,"command":%s,"first_packet":1,"first_time":"2026-11-30T17:22:45.266525000Z"}`
	s := compile(t)
	for _, v := range []struct {
		command, fields string
		valid           bool
	}{
		{"CLOSE_PRODUCER", `{"producer_id":0,"request_id":18446744073709551615}`, true},
		{"CLOSE_PRODUCER", `{"producer_id":0,"request_id":18446744073709551616}`, false},
		{"CLOSE_PRODUCER", `{"producer_id":0,"request_id":-1}`, false},
		{"CLOSE_PRODUCER", `{"producer_id":"0"}`, false},
		{"CLOSE_PRODUCER", `{"added_later":"0"}`, true},
		{"SUBSCRIBE", `{"subType":"Key_Shared"}`, true},
		{"SUBSCRIBE", `{"subType":99}`, true},
		{"SUBSCRIBE", `{"subType":"Shred"}`, false},
		{"CONNECT", `{"auth_data":"<redacted 5 bytes, sha256 01234567>"}`, true},
		{"UNKNOWN(99)", `{"type":99,"unknown_fields":[{"number":99,"wire_type":2,"value":"AA=="}]}`, true},
		{"PING", `{"unknown_fields":[{"number":99}]}`, false},
		{"NOTHING", `{}`, false},
	} {
		record, err := jsonschema.UnmarshalJSON(strings.NewReader(fmt.Sprintf(frame, v.command, v.fields)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(record); (err == nil) != v.valid {
			t.Errorf("%s %s: %v", v.command, v.fields, err)
		}
	}
}

func TestNames(t *testing.T) {
	names := Names()
	for _, name := range []string{"kind", "type", "command", "metadata", "result", "latency_ns", "payload_text", "state", "c2s"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("not sorted, or twice: %v", names)
	}
}

// The document says which version it is, and lists every kind.
func TestDocument(t *testing.T) {
	text, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		ID         string `json:"$id"`
		Properties struct {
			Kind struct{ Enum []string }
		}
		OneOf []any `json:"oneOf"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	want := []string{"frame", "message", "exchange", "permits", "chunked_message", "gap", "skipped", "conflict", "proxy", "bookie", "finding", "consumer", "transaction", "stats", "step", "dissection", "connection", "summary", "diff"}
	if d.ID != "urn:pulsar-dissect:schema:1" || !slices.Equal(d.Properties.Kind.Enum, want) || len(d.OneOf) != len(want) {
		t.Errorf("id %s, kinds %v, %d choices", d.ID, d.Properties.Kind.Enum, len(d.OneOf))
	}
}
