package schema

import (
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

// jsonReader writes JSON anew: on one line, without repeated keys. Where the
// type is known, each value is held against it.
type jsonReader struct{ jsonScanner }

func readJSON(w *writer, t *avroType, b []byte) bool {
	r := &jsonReader{jsonScanner{writer: w, b: b}}
	if !r.value(t) {
		return false
	}
	if r.space() != 0 || r.at < len(b) {
		return r.bad("nothing behind the value")
	}
	return true
}

// value writes the next value. t is nil where nothing is known.
func (r *jsonReader) value(t *avroType) bool {
	k, ok := r.token()
	if !ok {
		return false
	}
	t = r.check(t, k)
	switch k.kind {
	case '{':
		return r.object(t)
	case '[':
		return r.array(t)
	case '"':
		r.dst = jsontext.AppendString(r.dst, k.text)
	case '0':
		r.dst = append(r.dst, k.text...)
	default:
		r.dst = append(r.dst, jsonWords[k.kind]...)
	}
	return r.room()
}

func (r *jsonReader) object(t *avroType) bool {
	o := r.begin()
	for first := true; ; first = false {
		more, ok := r.more(first, '}')
		if !more {
			if ok {
				r.end(&o)
			}
			return ok && r.room()
		}
		if r.space() != '"' {
			return r.bad("a key")
		}
		key, ok := r.string()
		if !ok || !r.key(&o, key) {
			return false
		}
		if r.space() != ':' {
			return r.bad("a colon")
		}
		r.at++
		if !r.enter(keyed(key)) || !r.value(t.member(key)) {
			return false
		}
		r.leave()
	}
}

func (r *jsonReader) array(t *avroType) bool {
	r.dst = append(r.dst, '[')
	for i := 0; ; i++ {
		more, ok := r.more(i == 0, ']')
		if !more {
			return ok && r.put(append(r.dst, ']')) && r.room()
		}
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		if !r.enter(place(i)) || !r.value(t.item()) {
			return false
		}
		r.leave()
	}
}

// more says whether another member or item follows; the comma before it is
// read, or the end.
func (r *jsonReader) more(first bool, end byte) (more, ok bool) {
	switch c := r.space(); {
	case c == end:
		r.at++
		return false, true
	case first:
		return true, true
	case c == ',':
		r.at++
		return true, true
	}
	return false, r.bad("a comma or " + string(end))
}

// member is the type of a member of a JSON object, nil where it is not known.
func (t *avroType) member(key []byte) *avroType {
	switch {
	case t == nil:
		return nil
	case t.kind == "map":
		return t.items
	}
	for i := range t.fields {
		if t.fields[i].name == string(key) {
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
func (r *jsonReader) check(t *avroType, k jsonToken) *avroType {
	if t == nil {
		return nil
	}
	if fit := t.fitting(k); fit != nil {
		if fit.logical != "" {
			return nil // writers have many ways to write dates and decimals
		}
		return fit
	}
	r.doubt("%s, expected %s", k.found(), t.expected())
	return nil
}

// fitting is the type that a token may begin a value of: t itself, or a branch
// of it.
func (t *avroType) fitting(k jsonToken) *avroType {
	if t.kind == "union" {
		for _, branch := range t.branches {
			if fit := branch.fitting(k); fit != nil {
				return fit
			}
		}
		return nil
	}
	if t.logical != "" && k.kind != 'n' {
		return t
	}
	if jsonForms[t.kind](t, k) {
		return t
	}
	return nil
}

// jsonForms say how values of Avro's kinds look in JSON, as clients write it:
// bytes as text, floats that are no numbers as text.
var jsonForms = map[string]func(*avroType, jsonToken) bool{
	"null":    func(_ *avroType, k jsonToken) bool { return k.kind == 'n' },
	"boolean": func(_ *avroType, k jsonToken) bool { return k.kind == 't' || k.kind == 'f' },
	"int":     func(_ *avroType, k jsonToken) bool { return k.isInteger(32) },
	"long":    func(_ *avroType, k jsonToken) bool { return k.isInteger(64) },
	"float":   isFloat,
	"double":  isFloat,
	"bytes":   isText,
	"string":  isText,
	"fixed":   isText,
	"enum": func(t *avroType, k jsonToken) bool {
		return k.kind == '"' && slices.Contains(t.symbols, string(k.text))
	},
	"array":  func(_ *avroType, k jsonToken) bool { return k.kind == '[' },
	"map":    isObject,
	"record": isObject,
	"error":  isObject,
}

func isText(_ *avroType, k jsonToken) bool { return k.kind == '"' }

func isObject(_ *avroType, k jsonToken) bool { return k.kind == '{' }

func isFloat(_ *avroType, k jsonToken) bool {
	if k.kind == '"' {
		text := string(k.text)
		return text == "NaN" || text == "Infinity" || text == "-Infinity"
	}
	return k.kind == '0'
}

func (k jsonToken) isInteger(bits int) bool {
	if k.kind != '0' {
		return false
	}
	_, err := strconv.ParseInt(string(k.text), 10, bits)
	return err == nil
}

// found names what a token begins.
func (k jsonToken) found() string {
	switch k.kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return strconv.Quote(short(string(k.text)))
	case '0':
		return short(string(k.text))
	}
	return jsonWords[k.kind]
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
