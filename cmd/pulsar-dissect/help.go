package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groupAnnotation is the annotation of a flag with the title it stands under.
const groupAnnotation = "group"

// The titles of flags, in the order of the help texts.
const (
	flagsInput  = "Input"
	flagsFilter = "What is shown"
	flagsOutput = "How it is shown"
	flagsLimits = "Limits"

	flagsRules      = "What is looked for"
	flagsThresholds = "Thresholds"
	flagsCapture    = "What is captured"
	flagsKept       = "What is kept of the packets"
	flagsMonitored  = "What is told to monitoring"
	flagsCounted    = "What is counted"
	flagsFollowed   = "What is followed"
	flagsCut        = "What is cut out"
	flagsWritten    = "What is written"
	flagsOther      = "Other" // those without a group
)

var flagGroups = []struct{ title, about string }{
	{flagsInput, ""},
	{flagsCapture, "sizes take K, M or G"},
	{flagsKept, ""},
	{flagsMonitored, ""},
	{flagsRules, ""},
	{flagsCounted, ""},
	{flagsFollowed, ""},
	{flagsCut, ""},
	{flagsWritten, ""},
	{flagsFilter, "the same flag again: either; different flags: both; --not turns the next of these round"},
	{flagsOutput, ""},
	{flagsThresholds, "from when on something is a finding"},
	{flagsLimits, "what is hit is told in the summary; sizes take K, M or G"},
	{flagsOther, ""},
}

// addFlags adds flags to a command under a title, without those of these names.
func addFlags(c *cobra.Command, g flagGroup, without []string) {
	g.flags.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(without, f.Name) {
			return
		}
		f.Annotations = map[string][]string{groupAnnotation: {g.title}}
		c.Flags().AddFlag(f)
	})
}

// help writes the help text of a command.
func help(w io.Writer, c *cobra.Command) error {
	_, err := io.WriteString(w, helpText(c))
	return err
}

func helpText(c *cobra.Command) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s\n\n", strings.TrimSpace(orElse(c.Long, c.Short)))
	helpUsage(b, c)
	if c.HasExample() {
		fmt.Fprintf(b, "Examples:\n%s\n\n", strings.TrimRight(c.Example, "\n"))
	}
	if c.HasParent() {
		helpFlags(b, c)
		return b.String()
	}
	helpCommands(b, c)
	b.WriteString(rootEnd)
	return b.String()
}

const rootEnd = `Exit status: 0 done, also where a capture's tail is cut (told on standard error);
1 wrong use; 2 an input cannot be read, or breaks in the middle, or has, with
--fail-on, no Pulsar to judge; 3 a finding is as severe as --fail-on says.

'pulsar-dissect COMMAND --help' explains a command and its flags; without the
name of a command, those of analyze apply.
`

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

func helpUsage(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintln(b, "Usage:")
	if !c.HasParent() {
		fmt.Fprint(b, "  pulsar-dissect FILE...\n  pulsar-dissect COMMAND [FLAGS] FILE...\n\n")
		return
	}
	fmt.Fprintf(b, "  %s\n", c.UseLine())
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "  (%s is the same)\n", strings.Join(c.Aliases, ", "))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(b)
		for _, sub := range c.Commands() {
			helpLine(b, sub)
		}
	}
	fmt.Fprintln(b)
}

func helpLine(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "  %-11s %s\n", c.Name(), c.Short)
}

func helpCommands(b *strings.Builder, c *cobra.Command) {
	for _, g := range c.Groups() {
		fmt.Fprintln(b, g.Title)
		for _, sub := range c.Commands() {
			if sub.GroupID == g.ID && sub.IsAvailableCommand() || sub.Name() == "help" && g.ID == groupOther {
				helpLine(b, sub)
			}
		}
		fmt.Fprintln(b)
	}
}

// helpColumns is the width of help texts.
const helpColumns = 100

func helpFlags(b *strings.Builder, c *cobra.Command) {
	for _, s := range flagSections(c) {
		switch {
		case s.title == flagsLimits && c.Name() != limitsName:
			fmt.Fprintf(b, "%s:\n      --limit-...   what is kept in memory at most: see 'pulsar-dissect %s'\n\n", s.title, limitsName)
		case s.title == flagsOther:
			fmt.Fprintf(b, "%s:\n%s", s.title, s.flags.FlagUsagesWrapped(helpColumns))
		default:
			fmt.Fprintf(b, "%s%s:\n%s\n", s.title, inBrackets(s.about), s.flags.FlagUsagesWrapped(helpColumns))
		}
	}
}

// flagSection is the flags that stand under a title.
type flagSection struct {
	title, about string
	flags        *pflag.FlagSet
}

// flagSections are the flags of a command, in the order of the help texts.
func flagSections(c *cobra.Command) (all []flagSection) {
	groups := map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		title := flagsOther
		if given := f.Annotations[groupAnnotation]; len(given) > 0 {
			title = given[0]
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
			groups[title].SortFlags = title == flagsOther
		}
		groups[title].AddFlag(f)
	})
	for _, g := range flagGroups {
		if set := groups[g.title]; set != nil && set.HasAvailableFlags() {
			all = append(all, flagSection{g.title, g.about, set})
		}
	}
	return all
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// flagNames lists the names of a command's flags.
func flagNames(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
