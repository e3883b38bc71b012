package schema

import (
	"reflect"
	"strings"

	"pulsar-dissect/render"
)

const (
	summaryKind = "summary"
	diffKind    = "diff"
)

// summary describes the record that ends a run by the type that it is made of.
func (d *definitions) summary() object {
	return structure("What the run has shown; its last record", d.recordOf(render.SummaryType(), summaryKind)...)
}

// diff describes the record of a comparison likewise.
func (d *definitions) diff() object {
	return structure("How a run differs from an earlier one", d.recordOf(render.DiffType(), diffKind)...)
}

func (d *definitions) recordOf(t reflect.Type, kind string) []field {
	fields := d.fieldsOf(t)
	for i := range fields {
		if fields[i].name == "kind" {
			fields[i].schema = object{{"const", kind}}
		}
	}
	return fields
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
		return d.reference(definitionOf(t.Name()), func() object { return structure("", d.fieldsOf(t)...) })
	case reflect.Bool:
		return truth
	case reflect.Float64:
		return object{{"type", "number"}}
	case reflect.String:
		return text
	}
	return integer
}

// definitionOf is what the definition of a part of a record is called.
func definitionOf(part string) string {
	part = strings.TrimSuffix(part, "Record")
	if of, ok := strings.CutPrefix(part, diffKind); ok {
		return diffKind + "_" + strings.ToLower(of)
	}
	return summaryKind + "_" + part
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
