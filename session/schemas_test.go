package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/decode/schema"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// exact decodes JSON without rounding numbers.
func exact(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// equal compares decoded JSON; 0.0 is 0.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || number(string(a)) == number(string(b)))
	case []any:
		b, ok := b.([]any)
		for i := range a {
			if !ok || len(a) != len(b) || !equal(a[i], b[i]) {
				return false
			}
		}
		return ok && len(a) == len(b)
	case map[string]any:
		b, ok := b.(map[string]any)
		for k := range a {
			if !ok || len(a) != len(b) || !equal(a[k], b[k]) {
				return false
			}
		}
		return ok && len(a) == len(b)
	}
	return reflect.DeepEqual(a, b)
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return -1.23e45
	}
	return f
}

// valuesOf reads the values of a capture: each line of JSON by direction,
// topic, subscription and position of its message, in order.
func valuesOf(t *testing.T, path string, o session.Options) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	eachEvent(t, path, o, func(e *session.Event) {
		if e.Kind != session.MessageSeen || !e.Message.HasValue() {
			return
		}
		key := e.Direction.String() + " " + e.Topic()
		if e.Consumer != nil {
			id := e.Message.ID
			key += fmt.Sprintf(" %s %d:%d", e.Consumer.Subscription, id.Ledger, id.Entry)
		}
		got, err := e.Message.AppendValue(nil)
		if err != nil {
			got = []byte(err.Error())
		}
		values[key] = append(values[key], string(got))
	})
	return values
}

// clientEvent is a row of what a client said that it sent and received.
type clientEvent struct {
	Kind, Topic string
	ID          struct{ Ledger, Entry uint64 }
	Value       json.RawMessage
}

func clientEvents(t *testing.T, name string) (path string, events []clientEvent) {
	t.Helper()
	dir := filepath.Join(testkit.Root(t), "testdata", "captures", name)
	b, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err == nil {
		err = json.Unmarshal(b, &events)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name+".pcap"), events
}

func TestValuesOfPython(t *testing.T) {
	path, events := clientEvents(t, "py-schema")
	values := valuesOf(t, path, session.Options{NoSum: true})
	sent := map[string]int{}
	checked := 0
	for _, e := range events {
		key, i := "c2s "+e.Topic, sent[e.Topic]
		if e.Kind == "received" {
			key, i = fmt.Sprintf("s2c %s s %d:%d", e.Topic, e.ID.Ledger, e.ID.Entry), 0
		} else {
			sent[e.Topic]++
		}
		if i >= len(values[key]) || !equal(exact(t, []byte(values[key][i])), exact(t, e.Value)) {
			t.Errorf("%s: %v, expected %s", key, values[key], e.Value)
		}
		checked++
	}
	if checked != 17 {
		t.Errorf("%d values checked, expected 17", checked)
	}
}

// The Go client prints what it sent: structs as their members.
func TestValuesOfGo(t *testing.T) {
	path, events := clientEvents(t, "go-schema")
	values := valuesOf(t, path, session.Options{NoSum: true})
	sent := map[string]int{}
	for _, e := range events {
		if e.Kind != "sent" {
			continue
		}
		i := sent[e.Topic]
		sent[e.Topic]++
		want := ""
		if err := json.Unmarshal(e.Value, &want); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"c2s " + e.Topic, fmt.Sprintf("s2c %s s %d:%d", e.Topic, e.ID.Ledger, e.ID.Entry)} {
			n := i
			if strings.HasPrefix(key, "s2c") {
				n = 0
			}
			if n >= len(values[key]) {
				t.Errorf("%s has no value %d", key, n)
				continue
			}
			got := exact(t, []byte(values[key][n]))
			if m, ok := got.(map[string]any); ok {
				got = fmt.Sprintf("{%v %v}", m["id"], m["sym"])
			}
			if fmt.Sprint(got) != want {
				t.Errorf("%s: %v, expected %s", key, got, want)
			}
		}
	}
	if len(sent) != 4 {
		t.Errorf("values on %d topics, expected 4", len(sent))
	}
}

// What a Java client printed of the values that it received, of every type of
// schema.
func TestValuesOfJava(t *testing.T) {
	var truth struct {
		Consumers []struct {
			Topic, Subscription string
			Received            []struct{ MessageID, Value string }
		}
	}
	b, err := os.ReadFile(testkit.Capture(t, "schema.truth.json"))
	if err == nil {
		err = json.Unmarshal(b, &truth)
	}
	if err != nil {
		t.Fatal(err)
	}
	values := valuesOf(t, testkit.Capture(t, "schema.pcap"), session.Options{NoSum: true})
	checked := 0
	for _, c := range truth.Consumers {
		for _, m := range c.Received {
			if m.Value == "" || strings.HasPrefix(m.Value, "java.nio.") {
				continue
			}
			key := fmt.Sprintf("s2c %s %s %s", c.Topic, c.Subscription, strings.TrimSuffix(m.MessageID, ":-1:-1"))
			if len(values[key]) != 1 || !printedAs(t, exact(t, []byte(values[key][0])), m.Value) {
				t.Errorf("%s: %v, expected %q", key, values[key], m.Value)
			}
			checked++
		}
	}
	if checked != 54 {
		t.Errorf("%d values checked, expected 54", checked)
	}
}

// printedAs says whether a value is what the Java client printed as text.
func printedAs(t *testing.T, got any, text string) bool {
	t.Helper()
	if strings.HasPrefix(text, "{") {
		return equal(got, exact(t, []byte(text)))
	}
	if key, value, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, `(key = "`), `")`), `", value = "`); ok {
		pair, _ := got.(map[string]any)
		return printedAs(t, pair["key"], key) && printedAs(t, pair["value"], value)
	}
	for _, layout := range []string{time.UnixDate, "Mon Jan 2 15:04:05 MST 2006", "2006-01-02 15:04:05.999"} {
		if at, err := time.Parse(layout, text); err == nil {
			return got == at.UTC().Format(time.RFC3339Nano)
		}
	}
	m, ok := got.(map[string]any)
	switch {
	case ok && strings.Contains(text, ": "):
		return protobufText(t, m, text)
	case ok:
		return measured(m, text)
	case got == nil:
		return text == "null"
	}
	return fmt.Sprint(got) == text
}

// measured reads unit/n/val.
func measured(m map[string]any, text string) bool {
	part := strings.Split(text, "/")
	return len(part) == 3 && m["unit"] == part[0] && fmt.Sprint(m["n"]) == part[1] && number(fmt.Sprint(m["val"])) == number(part[2])
}

// protobufText reads lines of a field and a value.
func protobufText(t *testing.T, m map[string]any, text string) bool {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		field := m[name]
		if list, ok := field.([]any); ok && len(list) == 1 {
			field = list[0]
		}
		if s, ok := field.(string); ok && fmt.Sprintf("%q", s) != value && s != value {
			return false
		} else if !ok && number(fmt.Sprint(field)) != number(value) {
			return false
		}
	}
	return len(lines) == len(m)
}

// A schema that the user gives for a topic is taken in place of the one on the
// wire; a value that does not fit it names the field.
func TestGivenSchema(t *testing.T) {
	path, events := clientEvents(t, "py-schema")
	topic := events[0].Topic
	for schemaText, want := range map[string]string{
		`{"type":"record","name":"Mine","fields":[{"name":"rest","type":{"type":"fixed","name":"F","size":25}}]}`:        `{"rest":"AghzdHIwAgACAAAAAAAAAAACAAIGAgQAAA=="}`,
		`{"type":"record","name":"Mine","fields":[{"name":"a","type":["null","string"]},{"name":"n","type":"boolean"}]}`: "n: byte 6: 0x02 is no boolean",
	} {
		given, err := schema.Compile(schema.Info{Type: pb.Schema_Avro, Data: []byte(schemaText)})
		if err != nil {
			t.Fatal(err)
		}
		byTopic := map[string]*schema.Schema{strings.TrimPrefix(topic, "persistent://"): given}
		values := valuesOf(t, path, session.Options{NoSum: true, Schemas: byTopic})
		if got := values["c2s "+topic]; len(got) != 4 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%v, expected %s", got, want)
		}
	}
}

// Schemas are held within their limit; without one, there is no value.
func TestSchemaLimit(t *testing.T) {
	path, _ := clientEvents(t, "go-schema")
	all := valuesOf(t, path, session.Options{NoSum: true})
	s := session.Limits{Schemas: 1}
	few := valuesOf(t, path, session.Options{NoSum: true, Limits: s})
	if len(all) == 0 || len(few) == 0 || len(few) > len(all) {
		t.Errorf("%d values, of %d without a limit", len(few), len(all))
	}
	tiny := valuesOf(t, path, session.Options{NoSum: true, Limits: session.Limits{SchemaBytes: 1}})
	if len(tiny) == 0 || len(tiny) > len(all) {
		t.Errorf("%d values with 1 byte of schemas: the latest one is always kept", len(tiny))
	}
}

func TestVersionNumber(t *testing.T) {
	if n, ok := session.VersionNumber([]byte{0, 0, 0, 0, 0, 0, 1, 2}); n != 258 || !ok {
		t.Errorf("%d, %t", n, ok)
	}
	for _, b := range [][]byte{nil, {}, {1}, make([]byte, 32)} {
		if _, ok := session.VersionNumber(b); ok {
			t.Errorf("%d bytes are taken for a number", len(b))
		}
	}
}
