package schema

import "encoding/json"

// The types of values, as schemas.
var (
	text     = object{{"type", "string"}}
	truth    = object{{"type", "boolean"}}
	integer  = object{{"type", "integer"}}
	count    = object{{"type", "integer"}, {"minimum", 0}}
	int32s   = between("-2147483648", "2147483647")
	uint32s  = between("0", "4294967295")
	int64s   = between("-9223372036854775808", "9223372036854775807")
	uint64s  = between("0", "18446744073709551615")
	doubles  = object{{"anyOf", []any{object{{"type", "number"}}, oneOf("NaN", "Infinity", "-Infinity")}}}
	base64   = object{{"type", "string"}, {"contentEncoding", "base64"}}
	hex      = object{{"type", "string"}, {"pattern", "^([0-9a-f][0-9a-f])*$"}}
	moment   = object{{"type", "string"}, {"format", "date-time"}, {"pattern", `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$`}}
	entryID  = object{{"type", "string"}, {"pattern", `^\d+:\d+$`}}
	always   = object{{"const", true}}
	counters = object{{"type", "object"}, {"additionalProperties", count}}
)

func between(least, most json.Number) object {
	return object{{"type", "integer"}, {"minimum", least}, {"maximum", most}}
}

func oneOf(values ...string) object { return object{{"enum", values}} }

// orText is a list of values to which others may come, such as the number of
// an enum value that the schema has no name for.
func orText(values ...string) object {
	return object{{"anyOf", []any{oneOf(values...), text}}}
}

func listOf(items object) object { return object{{"type", "array"}, {"items", items}} }

func reference(definition string) object { return object{{"$ref", "#/$defs/" + definition}} }

// field is a row of a table of members.
type field struct {
	name     string
	schema   object
	about    string
	presence presence
}

type presence bool

const (
	required presence = true
	optional presence = false
)

// structure is the schema of an object that has these members and no others.
func structure(about string, fields ...field) object {
	properties, names := object{}, []string{}
	for _, f := range fields {
		schema := f.schema
		if f.about != "" {
			schema = schema.with("description", f.about)
		}
		properties = properties.with(f.name, schema)
		if f.presence == required {
			names = append(names, f.name)
		}
	}
	o := object{{"type", "object"}}
	if about != "" {
		o = object{{"description", about}, {"type", "object"}}
	}
	return append(o, member{"properties", properties}, member{"required", names}, member{"additionalProperties", false})
}

// names lists what a numbered type calls its values, from 0 to last.
func names[T interface {
	~uint8
	String() string
}](last T) []string {
	var all []string
	for v := T(0); v <= last; v++ {
		all = append(all, v.String())
	}
	return all
}
