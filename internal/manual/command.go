package manual

import (
	"fmt"
	"strings"
)

// Program is the name of the program.
const Program = "pulsar-dissect"

// Command is what is known of a command.
type Command struct {
	Name     string // empty: of the program without the name of a command
	Short    string // a line
	Long     string // paragraphs with an empty line between
	Usage    string // the line
	Examples []string
	Group    string // title under which the program lists it
	Flags    []FlagGroup
}

// FlagGroup is flags under a title.
type FlagGroup struct {
	Title, About string
	Flags        []Flag
}

// Flag is what is known of a flag.
type Flag struct {
	Names   string // as it is typed: "-o, --output"
	Value   string // what stands for its value, empty if it takes none
	About   string
	Default string // empty: none that is worth telling
}

func (f *Flag) typed() string {
	if f.Value == "" {
		return f.Names
	}
	return f.Names + " " + f.Value
}

func (f *Flag) told() string {
	if f.Default == "" {
		return f.About
	}
	return f.About + " (default " + f.Default + ")"
}

// title is how a reader calls the command.
func (c *Command) title() string { return strings.TrimSpace(Program + " " + c.Name) }

// made stands at the head of each page, for those who would edit it.
const made = "<!-- Made by make docs; edit what it is made from. -->\n\n"

// Commands makes a Markdown page for each command, and one that lists them.
func Commands(all []Command) Pages {
	pages := Pages{"commands/README.md": commandList(all)}
	for i := range all {
		if c := &all[i]; c.Name != "" {
			pages["commands/"+c.Name+".md"] = c.page()
		}
	}
	return pages
}

func commandList(all []Command) string {
	b := &strings.Builder{}
	b.WriteString(made + "# Commands\n")
	group := ""
	for i := range all {
		c := &all[i]
		if c.Name == "" {
			continue
		}
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(b, "\n## %s\n\n| command | what it shows or does |\n|---|---|\n", strings.TrimSuffix(group, ":"))
		}
		fmt.Fprintf(b, "| [`%s`](%s.md) | %s |\n", c.Name, c.Name, cell(c.Short))
	}
	return b.String()
}

func (c *Command) page() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s# %s\n\n%s.\n\n```\n%s\n```\n\n%s\n", made, c.title(), c.Short, c.Usage, escaped(c.Long))
	if len(c.Examples) > 0 {
		fmt.Fprintf(b, "\n## Examples\n\n```sh\n%s\n```\n", strings.Join(c.Examples, "\n"))
	}
	for i := range c.Flags {
		c.Flags[i].section(b)
	}
	return b.String()
}

func (g *FlagGroup) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", g.Title)
	if g.About != "" {
		fmt.Fprintf(b, "%s.\n\n", sentence(g.About))
	}
	if len(g.Flags) > 0 {
		b.WriteString("| flag | what it does |\n|---|---|\n")
	}
	for i := range g.Flags {
		f := &g.Flags[i]
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(f.typed(), "|", `\|`), cell(f.told()))
	}
}

// sentence begins with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// markup is what Markdown would take for more than text.
var markup = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`")

func escaped(text string) string { return markup.Replace(strings.TrimSpace(text)) }

// cell is text for a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(escaped(strings.ReplaceAll(text, "\n", " ")), "|", `\|`)
}
