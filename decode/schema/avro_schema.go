package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pulsar-dissect/decode/wire/jsontext"
)

// avroType is a type of an Avro schema, compiled for the walk over values.
type avroType struct {
	kind    string
	name    string // full, of named types
	logical string // where the reader knows it
	read    func(*avroReader, *avroType) bool

	fields   []avroField // record
	symbols  []string    // enum
	items    *avroType   // array, map
	branches []*avroType // union
	size     int         // fixed
	scale    int         // decimal
}

type avroField struct {
	name   string
	quoted []byte // as a key in JSON, with the colon
	typ    *avroType
}

// avroKinds are the kinds of types. parse reads what is special about one.
var avroKinds = map[string]struct {
	read  func(*avroReader, *avroType) bool
	parse func(*avroParser, *avroType, map[string]any) error
}{
	"null":    {(*avroReader).null, nil},
	"boolean": {(*avroReader).boolean, nil},
	"int":     {(*avroReader).int, nil},
	"long":    {(*avroReader).long, nil},
	"float":   {(*avroReader).float, nil},
	"double":  {(*avroReader).double, nil},
	"bytes":   {(*avroReader).bytes, nil},
	"string":  {(*avroReader).string, nil},
	"record":  {(*avroReader).record, (*avroParser).record},
	"error":   {(*avroReader).record, (*avroParser).record},
	"enum":    {(*avroReader).enum, (*avroParser).enum},
	"array":   {(*avroReader).array, (*avroParser).array},
	"map":     {(*avroReader).mapping, (*avroParser).mapping},
	"fixed":   {(*avroReader).fixed, (*avroParser).fixed},
}

// avroWords are the names of kinds: no defined type can have them.
var avroWords = map[string]bool{"null": true, "boolean": true, "int": true, "long": true, "float": true, "double": true, "bytes": true,
	"string": true, "record": true, "error": true, "enum": true, "array": true, "map": true, "fixed": true}

// avroParser reads the JSON of a schema. It is laxer than the specification
// where registered schemas are, and no value can be misread for it: names may
// hold $ (nested Java classes), a name may be defined again, defaults are not
// looked at. Its kinds are handed in, since they lead back to it.
type avroParser struct {
	names     map[string]*avroType
	namespace string
	types     int
	depth     int
	prepare   func(*avroParser, *avroType, map[string]any) error
}

// parseAvro reads an Avro schema.
func parseAvro(data []byte) (*avroType, error) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	p := &avroParser{names: map[string]*avroType{}, prepare: prepareAvro}
	return p.parse(v)
}

// prepareAvro gives a type its reader.
func prepareAvro(p *avroParser, t *avroType, m map[string]any) error {
	kind, ok := avroKinds[t.kind]
	if !ok {
		return fmt.Errorf("there is no type %q", short(t.kind))
	}
	t.read = kind.read
	if kind.parse != nil {
		if m == nil {
			return fmt.Errorf("a type %s without its parts", t.kind)
		}
		if err := kind.parse(p, t, m); err != nil {
			return err
		}
	}
	return t.setLogical(m)
}

func (p *avroParser) parse(v any) (*avroType, error) {
	if p.types++; p.types > mostTypes {
		return nil, fmt.Errorf("more than %d types", mostTypes)
	}
	if p.depth++; p.depth > deepest {
		return nil, fmt.Errorf("nested more than %d levels deep", deepest)
	}
	defer func() { p.depth-- }()
	switch v := v.(type) {
	case string:
		return p.byName(v)
	case []any:
		return p.union(v)
	case map[string]any:
		name, ok := v["type"].(string)
		if !ok {
			return p.parse(v["type"])
		}
		if !avroWords[name] {
			return p.byName(name)
		}
		t := &avroType{kind: name}
		return t, p.prepare(p, t, v)
	}
	return nil, errors.New("a type is missing: neither a name nor an object nor a list")
}

func (p *avroParser) byName(name string) (*avroType, error) {
	if !avroWords[name] {
		for _, full := range [...]string{p.full(name, ""), name} {
			if t := p.names[full]; t != nil {
				return t, nil
			}
		}
	}
	t := &avroType{kind: name}
	return t, p.prepare(p, t, nil)
}

// full is the full name of a type: a name with dots is full already.
func (p *avroParser) full(name, namespace string) string {
	if namespace == "" {
		namespace = p.namespace
	}
	if namespace == "" || strings.Contains(name, ".") {
		return name
	}
	return namespace + "." + name
}

// name reads the name of a type, and gives it to the types that follow.
func (p *avroParser) name(t *avroType, m map[string]any) error {
	name, _ := m["name"].(string)
	namespace, _ := m["namespace"].(string)
	if name == "" {
		return fmt.Errorf("a type %s without a name", t.kind)
	}
	t.name = p.full(name, namespace)
	p.names[t.name] = t
	return nil
}

func (p *avroParser) record(t *avroType, m map[string]any) error {
	if err := p.name(t, m); err != nil {
		return err
	}
	outer := p.namespace
	p.namespace = t.name[:max(strings.LastIndexByte(t.name, '.'), 0)]
	defer func() { p.namespace = outer }()
	list, ok := m["fields"].([]any)
	if !ok {
		return fmt.Errorf("record %s has no list of fields", short(t.name))
	}
	seen := map[string]bool{}
	for _, v := range list {
		f, err := p.field(v)
		if err == nil && seen[f.name] {
			err = errors.New("it is there twice")
		}
		if err != nil {
			return fmt.Errorf("field %s of %s: %w", short(f.name), short(t.name), err)
		}
		seen[f.name] = true
		t.fields = append(t.fields, f)
	}
	return nil
}

func (p *avroParser) field(v any) (f avroField, err error) {
	m, _ := v.(map[string]any)
	f.name, _ = m["name"].(string)
	if f.name == "" {
		return f, errors.New("it has no name")
	}
	f.quoted = append(jsontext.AppendText(nil, f.name), ':')
	f.typ, err = p.parse(m["type"])
	return f, err
}

func (p *avroParser) union(list []any) (*avroType, error) {
	t := &avroType{kind: "union", read: (*avroReader).union}
	for _, v := range list {
		branch, err := p.parse(v)
		if err != nil {
			return nil, err
		}
		t.branches = append(t.branches, branch)
	}
	return t, nil
}

func (p *avroParser) enum(t *avroType, m map[string]any) error {
	list, ok := m["symbols"].([]any)
	if !ok {
		return errors.New("an enum without symbols")
	}
	for _, v := range list {
		symbol, ok := v.(string)
		if !ok {
			return errors.New("a symbol of an enum that is no text")
		}
		t.symbols = append(t.symbols, symbol)
	}
	return p.name(t, m)
}

func (p *avroParser) array(t *avroType, m map[string]any) (err error) {
	t.items, err = p.parse(m["items"])
	return err
}

func (p *avroParser) mapping(t *avroType, m map[string]any) (err error) {
	t.items, err = p.parse(m["values"])
	return err
}

func (p *avroParser) fixed(t *avroType, m map[string]any) error {
	n, ok := whole(m["size"])
	if !ok {
		return errors.New("a fixed type without a size")
	}
	t.size = n
	return p.name(t, m)
}

// whole reads a number of JSON that is a size or a count.
func whole(v any) (int, bool) {
	f, ok := v.(float64)
	if n := int(f); ok && f >= 0 && f < 1<<31 && float64(n) == f {
		return n, true
	}
	return 0, false
}

// compileAvro makes the reader of AVRO payloads.
func compileAvro(s *Schema, i *Info, _ compiler) error {
	t, err := parseAvro(i.Data)
	if err != nil {
		return err
	}
	if t.name != "" {
		s.Name = t.name
	}
	s.read = func(w *writer, b []byte) bool { return readAvro(w, t, b) }
	return nil
}
