package schema

import (
	"reflect"
	"strings"

	"pulsar-dissect/render"
)

const summaryKind = "summary"

// summary describes the record that ends a run by the type that it is made of.
func (d *definitions) summary() object {
	fields := d.fieldsOf(render.SummaryType())
	for i := range fields {
		if fields[i].name == "kind" {
			fields[i].schema = object{{"const", summaryKind}}
		}
	}
	return structure("What the run has shown; its last record", fields...)
}

// special are types that have a JSON form of their own.
var special = map[string]object{
	"instant":  moment,
	"wireText": text,
	"tally":    counters,
}

// ofType describes what encoding/json makes of a type.
func (d *definitions) ofType(t reflect.Type) object {
	if o, ok := special[t.Name()]; ok {
		return o
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.ofType(t.Elem())
	case reflect.Slice:
		return listOf(d.ofType(t.Elem()))
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", d.ofType(t.Elem())}}
	case reflect.Struct:
		name := "summary_" + strings.TrimSuffix(t.Name(), "Record")
		return d.reference(name, func() object { return structure("", d.fieldsOf(t)...) })
	case reflect.Bool:
		return truth
	case reflect.String:
		return text
	}
	return integer
}

// fieldsOf lists the members of an object; those of an embedded struct stand
// among them.
func (d *definitions) fieldsOf(t reflect.Type) (fields []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			fields = append(fields, d.fieldsOf(f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, field{name, d.ofType(f.Type), "", presence(!strings.HasPrefix(options, "omit"))})
	}
	return fields
}
