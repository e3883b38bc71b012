package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pulsar-dissect/proto/pb"
)

const measurement = `{"type":"record","name":"Meas","namespace":"lab","fields":[
	{"name":"unit","type":["null","string"]}, {"name":"n","type":"int"}, {"name":"big","type":"long"},
	{"name":"val","type":"double"}, {"name":"ok","type":"boolean"}, {"name":"raw","type":"bytes"},
	{"name":"kind","type":{"type":"enum","name":"Kind","symbols":["A","B"]}},
	{"name":"tags","type":{"type":"array","items":"string"}},
	{"name":"m","type":{"type":"map","values":"int"}},
	{"name":"in","type":["null",{"type":"record","name":"In","fields":[{"name":"x","type":"int"}]}]},
	{"name":"day","type":{"type":"int","logicalType":"date"}}]}`

// A value comes out as it is, on one line; what does not fit is named, and the
// value shown all the same.
func TestJSON(t *testing.T) {
	s := compile(t, Info{Type: pb.Schema_Json, Data: []byte(measurement)})
	if s.Name != "lab.Meas" || s.NeedsWriter() {
		t.Errorf("name %q, needs its writer: %t", s.Name, s.NeedsWriter())
	}
	for _, c := range []struct{ payload, value, misfit string }{
		{`{"unit":"a","n":1,"val":0.0}`, `{"unit":"a","n":1,"val":0.0}`, ""},
		{" {\n\"unit\" : null ,\r\n \"tags\" : [ \"x\" , \"y\" ] }\n", `{"unit":null,"tags":["x","y"]}`, ""},
		{`{"val":1e400,"big":9223372036854775807}`, `{"val":1e400,"big":9223372036854775807}`, ""},
		{`{"val":"NaN"}`, `{"val":"NaN"}`, ""},
		{`{"day":[2024,2,29],"in":{"x":1}}`, `{"day":[2024,2,29],"in":{"x":1}}`, ""},
		{`{"more":{"than":["is",{"known":1}]}}`, `{"more":{"than":["is",{"known":1}]}}`, ""},
		{`{"n":1,"unit":"é\u00e9","n":2}`, `{"unit":"éé","n":2}`, ""},
		{`{}`, `{}`, ""},
		{`{"n":null}`, `{"n":null}`, "n: null, expected int"},
		{`{"n":1.5}`, `{"n":1.5}`, "n: 1.5, expected int"},
		{`{"n":2147483648}`, `{"n":2147483648}`, "n: 2147483648, expected int"},
		{`{"big":9223372036854775808}`, `{"big":9223372036854775808}`, "big: 9223372036854775808, expected long"},
		{`{"unit":7}`, `{"unit":7}`, "unit: 7, expected null or string"},
		{`{"val":"much"}`, `{"val":"much"}`, `val: "much", expected double`},
		{`{"ok":"true"}`, `{"ok":"true"}`, `ok: "true", expected boolean`},
		{`{"raw":[1]}`, `{"raw":[1]}`, "raw: an array, expected bytes"},
		{`{"kind":"C"}`, `{"kind":"C"}`, `kind: "C", expected one of A, B`},
		{`{"tags":["a",{"b":1}]}`, `{"tags":["a",{"b":1}]}`, "tags[1]: an object, expected string"},
		{`{"m":{"k":true}}`, `{"m":{"k":true}}`, "m.k: true, expected int"},
		{`{"in":{"x":"1"},"n":false}`, `{"in":{"x":"1"},"n":false}`, `in.x: "1", expected int`},
		{`[1]`, `[1]`, "an array, expected record"},
		{`"x"`, `"x"`, `"x", expected record`},
	} {
		got, err := s.Append(nil, Value{Payload: []byte(c.payload)})
		misfit := ""
		if err != nil {
			misfit = err.Error()
		}
		if string(got) != c.value || misfit != c.misfit {
			t.Errorf("%s: %s, %q\nexpected %s, %q", c.payload, got, misfit, c.value, c.misfit)
		}
	}
}

func TestNotJSON(t *testing.T) {
	s := compile(t, Info{Type: pb.Schema_Json, Data: []byte(measurement)})
	for payload, want := range map[string]string{
		``:                       "not JSON: it ends at byte 0, expected a value",
		`{"n":`:                  "n: not JSON: it ends at byte 5, expected a value",
		`{"n":1`:                 "not JSON: it ends at byte 6, expected a comma or }",
		`{"n":1,}`:               "not JSON: byte 7 is '}', expected a key",
		`{"n" 1}`:                "not JSON: byte 5 is '1', expected a colon",
		`{"n":1} x`:              "not JSON: byte 8 is 'x', expected nothing behind the value",
		`{"tags":["a",}`:         "tags[1]: not JSON: byte 13 is '}', expected a value",
		`{"tags":["a" "b"`:       "tags: not JSON: byte 13 is '\"', expected a comma or ]",
		`{"unit":"a`:             "unit: not JSON: it ends at byte 10, expected the end of a string",
		`{"unit":"a\`:            "unit: not JSON: it ends at byte 11, expected the end of a string",
		`{"unit":"\x"}`:          "unit: not JSON: a string with a wrong escape ends at byte 12",
		"{\"unit\":\"\n\"}":      "unit: not JSON: byte 9 is '\\n', expected no control character in a string",
		"\"\xff\"":               "not JSON: a string that is not UTF-8 ends at byte 3",
		`nul`:                    "not JSON: byte 0 is 'n', expected a value",
		`01`:                     "not JSON: byte 1 is '1', expected nothing behind the value",
		`-`:                      "not JSON: it ends at byte 1, expected a digit",
		`1.e1`:                   "not JSON: byte 2 is 'e', expected a digit",
		`1e+`:                    "not JSON: it ends at byte 3, expected a digit",
		"\x00":                   "not JSON: byte 0 is '\\x00', expected a value",
		strings.Repeat("[", 300): strings.Repeat("[0]", 100) + ": nested more than 100 levels deep",
	} {
		got, err := s.Append([]byte("kept"), Value{Payload: []byte(payload)})
		if err == nil || !strings.HasPrefix(err.Error(), want) || string(got) != "kept" {
			t.Errorf("%.40s: %q, %v\nexpected %s", payload, got, err, want)
		}
	}
}

// Where the fields are not described in Avro's terms, anything that is JSON is
// taken: clients of before 2.1, and none at all.
func TestJSONUndescribed(t *testing.T) {
	for _, data := range []string{"", "null", `{"type":"object","id":"urn:jsonschema:x","properties":{"a":{"type":"integer"}}}`} {
		s := compile(t, Info{Type: pb.Schema_Json, Name: "old", Data: []byte(data)})
		if got, err := s.Append(nil, Value{Payload: []byte(`{"a": "x"}`)}); err != nil || string(got) != `{"a":"x"}` || s.Name != "old" {
			t.Errorf("%s: %s, %v, %s", data, got, err, s.Name)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"unit":"a","n":1,"val":0.0,"m":{"k":1,"k":2},"tags":["x"],"in":{"x":1}}`))
	f.Add([]byte(`[-0.5e+10,0,"\u00e9\\\/\b\f\n\r\t",{"":{}}]`))
	f.Add([]byte("{\"a\":\"\\ud800\",\"\xff\":[{},null,true,-1.5e9]}"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		checkValue(t, Info{Type: pb.Schema_Json, Data: []byte(measurement)}, Value{Payload: payload})
		_, err := compile(t, Info{Type: pb.Schema_Json}).Append(nil, Value{Payload: payload})
		if valid := json.Valid(payload) && utf8.Valid(payload); valid != (err == nil) && !(valid && strings.Contains(err.Error(), "nested more than")) {
			t.Errorf("%q: %v; the library says that it is valid: %t", payload, err, valid)
		}
	})
}
