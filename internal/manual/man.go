package manual

import (
	"fmt"
	"strings"
)

// Man makes a page of section 1 for each command, in the macros of man(7).
func Man(all []Command) Pages {
	pages := Pages{}
	for i := range all {
		c := &all[i]
		pages["man/"+c.file()+".1"] = c.man(all)
	}
	return pages
}

// file is the name of the command's page without its section.
func (c *Command) file() string { return strings.ReplaceAll(c.title(), " ", "-") }

func (c *Command) man(all []Command) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, ".\\\" Made by make docs; edit what it is made from.\n.TH %s 1 \"\" \"%s\" \"User Commands\"\n",
		strings.ToUpper(roff(c.file())), roff(Program))
	fmt.Fprintf(b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(c.file()), roff(c.Short), roffLines(c.Usage))
	fmt.Fprintf(b, ".SH DESCRIPTION\n%s\n", strings.ReplaceAll(roffLines(strings.TrimSpace(c.Long)), "\n\n", "\n.PP\n"))
	if c.Name == "" {
		manCommands(b, all)
	}
	for i := range c.Flags {
		c.Flags[i].man(b)
	}
	if len(c.Examples) > 0 {
		fmt.Fprintf(b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roffLines(strings.Join(c.Examples, "\n")))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, s := range exits {
		fmt.Fprintf(b, ".TP\n.B %d\n%s\n", s.status, roff(s.about))
	}
	fmt.Fprintf(b, ".SH SEE ALSO\n%s\n", c.seeAlso(all))
	return b.String()
}

var exits = []struct {
	status int
	about  string
}{
	{0, "Done, also where a capture's tail is cut."},
	{1, "Wrong use."},
	{2, "An input cannot be read, or breaks in the middle."},
	{3, "A finding is as severe as --fail-on says."},
}

func manCommands(b *strings.Builder, all []Command) {
	b.WriteString(".SH COMMANDS\n")
	for i := range all {
		if c := &all[i]; c.Name != "" {
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(c.Name), roff(c.Short))
		}
	}
}

func (g *FlagGroup) man(b *strings.Builder) {
	fmt.Fprintf(b, ".SH %s\n", strings.ToUpper(roff(g.Title)))
	if g.About != "" {
		fmt.Fprintf(b, "%s.\n", roff(sentence(g.About)))
	}
	for i := range g.Flags {
		f := &g.Flags[i]
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR \\fI%s\\fR\n%s\n", roff(f.Names), roff(f.Value), roffLines(f.told()))
	}
}

func (c *Command) seeAlso(all []Command) string {
	var pages []string
	for i := range all {
		if (all[i].Name == "") != (c.Name == "") {
			pages = append(pages, ".BR "+roff(all[i].file())+" (1)")
		}
	}
	return strings.Join(pages, ",\n")
}

// request keeps a line of text from being taken for a request of roff.
const request = `\&`

var roffText = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roff is text as part of a line.
func roff(text string) string { return roffText.Replace(text) }

// roffLines is text with line breaks.
func roffLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if lines[i] = roff(l); strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = request + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}
