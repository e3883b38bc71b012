package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode/wire/jsontext"
)

// compileJSON makes the reader of JSON payloads. Clients describe their fields
// in Avro's terms; those of before 2.1 in others, which are not checked.
func compileJSON(s *Schema, i *Info, _ compiler) error {
	t, err := parseAvro(i.Data)
	if err != nil {
		t = nil
	}
	if t != nil && t.name != "" {
		s.Name = t.name
	}
	s.read = func(w *writer, b []byte) bool { return readJSON(w, t, b) }
	return nil
}

// jsonReader writes JSON anew: on one line, without repeated keys, in valid
// UTF-8. Where the type is known, each value is held against it.
type jsonReader struct {
	*writer
	d *json.Decoder
}

func readJSON(w *writer, t *avroType, b []byte) bool {
	r := &jsonReader{w, json.NewDecoder(bytes.NewReader(b))}
	r.d.UseNumber()
	token, ok := r.next()
	if !ok || !r.value(t, token) {
		return false
	}
	if _, err := r.d.Token(); !errors.Is(err, io.EOF) {
		return w.fail("something behind the JSON value, at byte %d", r.d.InputOffset())
	}
	return true
}

func (r *jsonReader) next() (json.Token, bool) {
	token, err := r.d.Token()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.fail("not JSON: it ends at byte %d", r.d.InputOffset())
	case err != nil:
		return nil, r.fail("not JSON: at byte %d: %v", r.d.InputOffset(), err)
	}
	return token, true
}

// value writes what begins with a token. t is nil where nothing is known.
func (r *jsonReader) value(t *avroType, token json.Token) bool {
	t = r.check(t, token)
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return r.object(t)
		}
		return r.array(t)
	case string:
		r.dst = jsontext.AppendText(r.dst, v)
	case json.Number:
		r.dst = append(r.dst, v...)
	case bool:
		r.dst = strconv.AppendBool(r.dst, v)
	case nil:
		r.dst = append(r.dst, "null"...)
	}
	return r.room()
}

func (r *jsonReader) object(t *avroType) bool {
	o := r.begin()
	for r.d.More() {
		token, ok := r.next()
		if !ok {
			return false
		}
		key, _ := token.(string)
		if !r.key(&o, key) || !r.enter(named(key)) {
			return false
		}
		if token, ok = r.next(); !ok || !r.value(t.member(key), token) {
			return false
		}
		r.leave()
	}
	if _, ok := r.next(); !ok {
		return false
	}
	r.end(&o)
	return r.room()
}

func (r *jsonReader) array(t *avroType) bool {
	r.dst = append(r.dst, '[')
	for i := 0; r.d.More(); i++ {
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		if !r.enter(place(i)) {
			return false
		}
		if token, ok := r.next(); !ok || !r.value(t.item(), token) {
			return false
		}
		r.leave()
	}
	if _, ok := r.next(); !ok {
		return false
	}
	r.dst = append(r.dst, ']')
	return r.room()
}

// member is the type of a member of a JSON object, nil where it is not known.
func (t *avroType) member(key string) *avroType {
	switch {
	case t == nil:
		return nil
	case t.kind == "map":
		return t.items
	}
	for i := range t.fields {
		if t.fields[i].name == key {
			return t.fields[i].typ
		}
	}
	return nil
}

func (t *avroType) item() *avroType {
	if t == nil || t.kind != "array" {
		return nil
	}
	return t.items
}

// check holds a token against a type, and gives the type of what it begins:
// of a union the branch that fits.
func (r *jsonReader) check(t *avroType, token json.Token) *avroType {
	if t == nil {
		return nil
	}
	if fit := t.fitting(token); fit != nil {
		if fit.logical != "" {
			return nil // writers have many ways to write dates and decimals
		}
		return fit
	}
	r.doubt("%s, expected %s", found(token), t.expected())
	return nil
}

// fitting is the type that a token may begin a value of: t itself, or a branch
// of it.
func (t *avroType) fitting(token json.Token) *avroType {
	if t.kind == "union" {
		for _, branch := range t.branches {
			if fit := branch.fitting(token); fit != nil {
				return fit
			}
		}
		return nil
	}
	if t.logical != "" && token != nil {
		return t
	}
	if fits := jsonForms[t.kind]; fits(t, token) {
		return t
	}
	return nil
}

// jsonForms say how values of Avro's kinds look in JSON, as clients write it:
// bytes as text, floats that are no numbers as text.
var jsonForms = map[string]func(*avroType, json.Token) bool{
	"null":    func(_ *avroType, k json.Token) bool { return k == nil },
	"boolean": func(_ *avroType, k json.Token) bool { _, ok := k.(bool); return ok },
	"int":     func(_ *avroType, k json.Token) bool { return isInteger(k, 32) },
	"long":    func(_ *avroType, k json.Token) bool { return isInteger(k, 64) },
	"float":   isFloat,
	"double":  isFloat,
	"bytes":   isText,
	"string":  isText,
	"fixed":   isText,
	"enum":    func(t *avroType, k json.Token) bool { s, ok := k.(string); return ok && slices.Contains(t.symbols, s) },
	"array":   func(_ *avroType, k json.Token) bool { return k == json.Delim('[') },
	"map":     func(_ *avroType, k json.Token) bool { return k == json.Delim('{') },
	"record":  func(_ *avroType, k json.Token) bool { return k == json.Delim('{') },
	"error":   func(_ *avroType, k json.Token) bool { return k == json.Delim('{') },
}

func isText(_ *avroType, k json.Token) bool { _, ok := k.(string); return ok }

func isInteger(k json.Token, bits int) bool {
	n, ok := k.(json.Number)
	if !ok {
		return false
	}
	_, err := strconv.ParseInt(string(n), 10, bits)
	return err == nil
}

func isFloat(_ *avroType, k json.Token) bool {
	switch v := k.(type) {
	case json.Number:
		return true
	case string:
		return v == "NaN" || v == "Infinity" || v == "-Infinity"
	}
	return false
}

// found names what a token begins.
func found(token json.Token) string {
	switch v := token.(type) {
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "an array"}[v]
	case string:
		return strconv.Quote(short(v))
	case json.Number:
		return short(string(v))
	case bool:
		return strconv.FormatBool(v)
	}
	return "null"
}

// expected names a type.
func (t *avroType) expected() string {
	switch {
	case t.kind == "enum":
		return "one of " + short(strings.Join(t.symbols, ", "))
	case t.kind != "union":
		return t.kind
	}
	var all []string
	for _, branch := range t.branches {
		all = append(all, branch.expected())
	}
	return strings.Join(all, " or ")
}
