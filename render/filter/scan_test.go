package filter

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// plainly has all numbers as float64, which json.Number is not compared by.
func plainly(t testing.TB, v any) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainly(t, v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainly(t, v[i])
		}
		return append([]any{}, v...)
	case types.Int:
		return float64(v)
	case types.Uint:
		return float64(v)
	case types.Double:
		return float64(v)
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			t.Skip(err)
		}
		return f
	}
	return v
}

func library(t testing.TB, b []byte) (v any, err error) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func TestDecode(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `""`, `"a"`, `"a\"b"`, `"\\"`, `"\\\""`, `"\u0041\n"`, `true`, `false`, `null`, `0`, `-1`, `18446744073709551615`, `9223372036854775808`,
		`1.5`, `{"a":1}`, `{"a":{"b":[1,2,{"c":"}]"}]},"d":"x,y"}`, `[[],{},[{}]]`, `{"":""}`, `{"a\"b":1}`, `{"k":[true,false,null]}`,
	} {
		want, err := library(t, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := after([]byte(text + ",")); n != len(text) {
			t.Errorf("%s ends at %d", text, n)
		}
		got, err := readValue([]byte(text))
		want = plainly(t, want)
		if got = plainly(t, got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{
		`{"a"}`, `{"a":}`, `{a:1}`, `{"a":1`, `[1,2`, `{"a":1]`, `["a]`, `{"a":1 "b":2}`, `[x]`, `[tru]`, `{"a":"\x"}`, `{"\x":1}`,
	} {
		if got, err := readValue([]byte(text)); err == nil {
			t.Errorf("%s is taken as %#v", text, got)
		}
	}
}

// All records of a capture are read as encoding/json reads them.
func TestDecodeRecords(t *testing.T) {
	j := render.NewJSON(render.JSONOptions{MaxPayload: 1024})
	n := 0
	each(t, base(t), &Filter{}, func(e *session.Event) {
		line := bytes.TrimSuffix(j.Append(nil, e), []byte("\n"))
		want, err := library(t, line)
		if err != nil {
			t.Fatal(err)
		}
		want = plainly(t, want)
		got, err := readValue(line)
		if got = plainly(t, got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", line, got, err)
		}
		n++
	})
	if n != 144 {
		t.Errorf("%d records", n)
	}
}

// Whatever the bytes, nothing panics; compact JSON is read as encoding/json
// reads it.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(record1))
	f.Add([]byte(`[1,{"a":"\""},[]]`))
	f.Add([]byte(`{"a`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := after(b); n < 0 || n > len(b) {
			return
		} else if n == 0 {
			b = []byte("0")
		}
		got, err := readValue(b)
		var compact bytes.Buffer
		if !utf8.Valid(b) || json.Compact(&compact, b) != nil || !bytes.Equal(compact.Bytes(), b) {
			return
		}
		want, wantErr := library(t, b)
		if wantErr != nil {
			return
		}
		if want = plainly(t, want); err != nil || !reflect.DeepEqual(plainly(t, got), want) {
			t.Fatalf("%s: got %#v, %v, want %#v", b, got, err, want)
		}
	})
}

// Integers are exact.
func TestDecodeNumbers(t *testing.T) {
	for text, want := range map[string]any{
		"0": types.Int(0), "-9223372036854775808": types.Int(-1 << 63), "9223372036854775807": types.Int(1<<63 - 1),
		"9223372036854775808": types.Uint(1 << 63), "18446744073709551615": types.Uint(1<<64 - 1), "1.5": types.Double(1.5), "1e3": types.Double(1000),
	} {
		if got, err := readValue([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %#v, %v", text, got, err)
		}
	}
}
