package manual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// node is what a page needs of a JSON Schema.
type node struct {
	Description string
	Type        string
	Properties  members
	Required    []string
	Items       *node
	Enum        []any
	Const       any
	AnyOf       []node
	Ref         string  `json:"$ref"`
	Format      string  `json:"format"`
	Encoding    string  `json:"contentEncoding"`
	Defs        members `json:"$defs"`
	OneOf       []node
}

// members are those of an object, in the order of the document.
type members []member

type member struct {
	name string
	node node
}

// UnmarshalJSON keeps the order.
func (m *members) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		x := member{name: fmt.Sprint(name)}
		if err := d.Decode(&x.node); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		*m = append(*m, x)
	}
	return nil
}

// Schema makes a page of the records of a JSON Schema and one of the protocol's
// own structures within them.
func Schema(document []byte) (Pages, error) {
	var root node
	if err := json.Unmarshal(document, &root); err != nil {
		return nil, err
	}
	kinds := map[string]bool{}
	for _, k := range root.OneOf {
		kinds[named(k.Ref)] = true
	}
	records := &strings.Builder{}
	records.WriteString(made + "# Records\n\nEach line of `-o json` is one of these; `kind` says which. " +
		"[`" + Program + " schema`](../commands/schema.md) prints the JSON Schema itself. Fields that are always there have a mark. " +
		"What begins with a capital letter is a structure of the [protocol](structures.md).\n")
	structures := &strings.Builder{}
	structures.WriteString(made + "# Structures of the protocol\n\nThe fields of commands and metadata, as [records](records.md) have them: those that stood on the wire.\n")
	part := &strings.Builder{}
	for i := range root.Defs {
		switch m := &root.Defs[i]; {
		case kinds[m.name]:
			m.section(records)
		case unicode.IsUpper(rune(m.name[0])):
			m.section(structures)
		default:
			m.section(part)
		}
	}
	fmt.Fprintf(records, "\n# Parts of records\n%s", part)
	return Pages{"schema/records.md": records.String(), "schema/structures.md": structures.String()}, nil
}

// named is the definition that a reference names.
func named(reference string) string { return strings.TrimPrefix(reference, "#/$defs/") }

func (m *member) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n", m.name)
	if m.node.Description != "" {
		fmt.Fprintf(b, "\n%s.\n", escaped(m.node.Description))
	}
	if len(m.node.Properties) == 0 {
		fmt.Fprintf(b, "\nIs: %s.\n", m.node.what())
		return
	}
	b.WriteString("\n| field | always | type | what it is |\n|---|---|---|---|\n")
	m.node.rows(b, "")
}

// rows writes a row for each member, those of objects within behind them.
func (n *node) rows(b *strings.Builder, path string) {
	for i := range n.Properties {
		m, mark := &n.Properties[i], ""
		if slices.Contains(n.Required, m.name) {
			mark = "✓"
		}
		name := path + m.name
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, mark, m.node.what(), cell(m.node.Description))
		m.node.rows(b, name+".")
		if m.node.Items != nil {
			m.node.Items.rows(b, name+"[].")
		}
	}
}

// longList is how many values of an enum are shown.
const longList = 12

// what is the type in a few words.
func (n *node) what() string {
	switch {
	case n.Ref != "":
		return n.link()
	case n.Const != nil:
		return fmt.Sprintf("`%v`", n.Const)
	case len(n.Enum) > 0:
		return values(n.Enum)
	case len(n.AnyOf) > 0:
		return n.either()
	case n.Items != nil:
		return "list of " + n.Items.what()
	}
	for _, text := range []string{n.Format, n.Encoding, n.Type} {
		if text != "" {
			return text
		}
	}
	return "any value"
}

func (n *node) link() string {
	name := named(n.Ref)
	page := "records.md"
	if unicode.IsUpper(rune(name[0])) {
		page = "structures.md"
	}
	return fmt.Sprintf("[%s](%s#%s)", name, page, strings.ToLower(name))
}

func values(enum []any) string {
	var texts []string
	for _, v := range enum[:min(len(enum), longList)] {
		texts = append(texts, fmt.Sprintf("`%v`", v))
	}
	if len(enum) > longList {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}

func (n *node) either() string {
	var texts []string
	for i := range n.AnyOf {
		x := &n.AnyOf[i]
		if text := x.what(); x.Type != "object" {
			texts = append(texts, text)
		} else {
			texts = append(texts, x.members())
		}
	}
	return strings.Join(texts, ", or ")
}

// members lists the names of an object that has no section of its own.
func (n *node) members() string {
	var names []string
	for i := range n.Properties {
		names = append(names, "`"+n.Properties[i].name+"`")
	}
	return strings.TrimSpace("object: " + strings.Join(names, ", "))
}
