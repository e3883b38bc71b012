package filter

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"pulsar-dissect/session"
)

// record is an event as an expression sees it: its JSON, read back, so that
// both have the same names and values. It is made when it is asked for, and
// its fields are decoded when they are.
type record struct {
	encode func(dst []byte, e *session.Event) []byte
	stale  bool // it is that of an event before
	buf    []byte
	fields []recordField
}

type recordField struct {
	name    string
	text    []byte
	value   any
	decoded bool
}

// make makes the record of an event, unless it is at hand.
func (r *record) make(e *session.Event) error {
	if !r.stale {
		return nil
	}
	r.buf = r.encode(r.buf[:0], e)
	r.fields = r.fields[:0]
	end := after(r.buf)
	if end < 0 {
		return errNoJSON
	}
	if err := items(r.buf[:end], r.add); err != nil {
		return err
	}
	r.stale = false
	return nil
}

// add takes a field. Names at the top of records are our own, so few that each
// is a string once only.
func (r *record) add(name, text []byte) {
	r.fields = append(r.fields, recordField{name: known(name[1 : len(name)-1]), text: text})
}

// known gives a name as a string without making one, where it is in the schema.
func known(name []byte) string {
	if s, ok := topNames[string(name)]; ok {
		return s
	}
	return string(name)
}

// ResolveName gives a variable of an expression.
func (r *record) ResolveName(name string) (any, bool) {
	if name == wholeRecord {
		return r.whole(), true
	}
	for i := range r.fields {
		if f := &r.fields[i]; f.name == name {
			return r.valueOf(f), true
		}
	}
	return nil, false
}

func (r *record) valueOf(f *recordField) any {
	if !f.decoded {
		v, err := readValue(f.text)
		if err != nil {
			v = types.WrapErr(err)
		}
		f.value, f.decoded = v, true
	}
	return f.value
}

func (r *record) whole() map[string]any {
	all := map[string]any{}
	for i := range r.fields {
		all[r.fields[i].name] = r.valueOf(&r.fields[i])
	}
	return all
}

// Parent says that there are no variables but these.
func (r *record) Parent() cel.Activation { return nil }

// values makes CEL values of what readValue gives.
type values struct{}

// NativeToValue gives a CEL value.
func (a values) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case map[string]any:
		return types.NewStringInterfaceMap(a, v)
	case []any:
		return types.NewDynamicList(a, v)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}
