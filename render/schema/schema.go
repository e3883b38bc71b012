package schema

import (
	"encoding/json"
	"slices"
	"strconv"
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
	d := newDefinitions()
	var choices []any
	for _, k := range records(d) {
		choices = append(choices, d.reference(k.name, k.schema))
	}
	choices = append(choices, d.reference(summaryKind, d.summary), d.reference(diffKind, d.diff))
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", ID},
		{"title", "A record of pulsar-dissect"},
		{"description", "One line of the output of -o json. \"kind\" tells what it is about."},
		{"type", "object"},
		{"properties", object{{"kind", oneOf(Kinds()...)}}},
		{"required", []string{"kind"}},
		{"oneOf", choices},
		{"$defs", append(parts, d.all...)},
	}
}

// Kinds lists the kinds of records.
func Kinds() (names []string) {
	for _, k := range records(newDefinitions()) {
		names = append(names, k.name)
	}
	return append(names, summaryKind, diffKind)
}

// Names lists the names that stand at the top of records of events, sorted.
func Names() []string {
	var all []string
	for _, k := range records(newDefinitions()) {
		for _, f := range k.all() {
			all = append(all, f.name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
