package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkValue reads a value and holds what comes out to its promises: one line
// of valid JSON in valid UTF-8 without repeated keys, or an Error; dst before
// it untouched.
func checkValue(t *testing.T, i Info, v Value) {
	t.Helper()
	s, err := Compile(i)
	if err != nil {
		return
	}
	const before = "before"
	out, err := s.Append([]byte(before), v)
	if e := (*Error)(nil); err != nil && !errors.As(err, &e) {
		t.Fatalf("an error that is no Error: %v", err)
	}
	if !bytes.HasPrefix(out, []byte(before)) {
		t.Fatalf("what was there became %q", out)
	}
	out = out[len(before):]
	if len(out) == 0 && err == nil {
		t.Fatal("neither value nor error")
	}
	if len(out) == 0 {
		return
	}
	if len(out) > valueLimit(len(v.Payload)+len(v.Key))+len(v.Payload)*8+1<<16 {
		t.Errorf("%d bytes of JSON from %d of payload", len(out), len(v.Payload))
	}
	if !json.Valid(out) || !utf8.Valid(out) || bytes.ContainsAny(out, "\n\r") {
		t.Fatalf("no line of JSON: %q", out)
	}
	if key, ok := repeatedKey(out); ok {
		t.Errorf("key %q is there twice: %s", key, out)
	}
}

// repeatedKey finds a key that an object of b has twice.
func repeatedKey(b []byte) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var open []map[string]bool // nil: an array
	isKey := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return "", false
		}
		if err != nil {
			return fmt.Sprint(err), true
		}
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{':
				open = append(open, map[string]bool{})
			case '[':
				open = append(open, nil)
			default:
				open = open[:len(open)-1]
			}
		case string:
			if isKey {
				if open[len(open)-1][v] {
					return v, true
				}
				open[len(open)-1][v] = true
				isKey = false
				continue
			}
		}
		isKey = len(open) > 0 && open[len(open)-1] != nil
	}
}

func TestRepeatedKey(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1,"b":{"a":2},"c":["a","a"]}`: false,
		`{"a":1,"b":2,"a":3}`:               true,
		`[{"a":"a","b":{"x":1,"x":2}}]`:     true,
		`"a"`:                               false,
	} {
		if key, got := repeatedKey([]byte(text)); got != want {
			t.Errorf("%s: %q, %t", text, key, got)
		}
	}
	if _, ok := repeatedKey([]byte(strings.Repeat("[", 3))); ok {
		t.Error("an end is no key")
	}
}
