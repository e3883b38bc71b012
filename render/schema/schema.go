package schema

import (
	"encoding/json"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Version is raised when a field of a record is renamed, is left out or changes
// its meaning. New fields and kinds leave it as it is.
const Version = 1

// ID is the name of the document.
var ID = "urn:pulsar-dissect:schema:" + strconv.Itoa(Version)

// Document is the JSON Schema of a line of output, indented.
func Document() ([]byte, error) {
	text, err := json.MarshalIndent(document(), "", "  ")
	return append(text, '\n'), err
}

func document() object {
	m := &messages{seen: map[protoreflect.FullName]bool{}}
	var choices []any
	definitions := object{}
	for _, k := range records(m) {
		choices = append(choices, reference(k.name))
		definitions = definitions.with(k.name, k.schema())
	}
	definitions = append(definitions, parts...)
	definitions = append(definitions, m.definitions...)
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", ID},
		{"title", "A record of pulsar-dissect"},
		{"description", "One line of the output of -o json. \"kind\" tells what it is about."},
		{"type", "object"},
		{"properties", object{{"kind", oneOf(Kinds()...)}}},
		{"required", []string{"kind"}},
		{"oneOf", choices},
		{"$defs", definitions},
	}
}

// Kinds lists the kinds of records.
func Kinds() (names []string) {
	for _, k := range records(&messages{seen: map[protoreflect.FullName]bool{}}) {
		names = append(names, k.name)
	}
	return names
}

// Names lists the names that stand at the top of records of any kind, sorted.
func Names() []string {
	var all []string
	for _, k := range records(&messages{seen: map[protoreflect.FullName]bool{}}) {
		for _, f := range k.all() {
			all = append(all, f.name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
