package manual

import (
	"fmt"
	"strings"
)

// Finding is what is known of a rule.
type Finding struct {
	Name, Severity, Title  string
	Meaning, Advice, Blind string
	Lint                   bool // lint looks for it too
	Thresholds             []Flag
}

// Findings makes a page for each finding, and one that lists them.
func Findings(all []Finding) Pages {
	pages := Pages{"findings/README.md": findingList(all)}
	for i := range all {
		pages["findings/"+all[i].Name+".md"] = all[i].page()
	}
	return pages
}

func findingList(all []Finding) string {
	b := &strings.Builder{}
	b.WriteString(made + "# Findings\n\nWhat [`diagnose`](../commands/diagnose.md) looks for. " +
		"The severity is the usual one; a finding may have another. Those with a mark are about keeping to the protocol: " +
		"[`lint`](../commands/lint.md) looks for them too.\n\n| finding | severity | what it says | lint |\n|---|---|---|---|\n")
	for i := range all {
		f, mark := &all[i], ""
		if f.Lint {
			mark = "✓"
		}
		fmt.Fprintf(b, "| [`%s`](%s.md) | %s | %s | %s |\n", f.Name, f.Name, f.Severity, cell(f.Title), mark)
	}
	return b.String()
}

func (f *Finding) page() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s# %s\n\n%s. Usual severity: **%s**.\n", made, f.Name, escaped(f.Title), f.Severity)
	for _, part := range []struct{ title, text string }{
		{"What it means", f.Meaning}, {"What to do", f.Advice}, {"What it cannot tell", f.Blind},
	} {
		if part.text != "" {
			fmt.Fprintf(b, "\n## %s\n\n%s\n", part.title, escaped(part.text))
		}
	}
	if len(f.Thresholds) > 0 {
		b.WriteString("\n## Thresholds\n\n| flag | default | from when on |\n|---|---|---|\n")
	}
	for i := range f.Thresholds {
		t := &f.Thresholds[i]
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", t.Names, t.Default, cell(t.About))
	}
	fmt.Fprintf(b, "\n## Where to look for it\n\n```sh\n%s diagnose --rules %s capture.pcap\n%[1]s slice --finding %[2]s --whole -w evidence.pcapng capture.pcap\n```\n", Program, f.Name)
	if f.Lint {
		b.WriteString("\nIt is about keeping to the protocol: [`lint`](../commands/lint.md) looks for it too.\n")
	}
	return b.String()
}
