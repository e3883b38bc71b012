package main

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/manual"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/render/schema"
)

//go:generate go test -count=1 -run ^TestManual$ . -write-manual

var writeManual = flag.Bool("write-manual", false, "write the pages of docs that follow from the program")

// Pages of docs are those that the commands, the rules and the schema give.
func TestManual(t *testing.T) {
	dir := filepath.Join(testkit.Root(t), "docs")
	pages := manualPages(t)
	if *writeManual {
		if err := pages.Write(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	stale, err := pages.Stale(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range stale {
		t.Errorf("docs/%s", line)
	}
	if len(stale) > 0 {
		t.Error("make docs writes these anew")
	}
}

func manualPages(t *testing.T) manual.Pages {
	t.Helper()
	commands := manualCommands()
	pages := manual.Commands(commands)
	pages.Add(manual.Man(commands))
	pages.Add(manual.Findings(manualFindings()))
	document, err := schema.Document()
	if err != nil {
		t.Fatal(err)
	}
	records, err := manual.Schema(document)
	if err != nil {
		t.Fatal(err)
	}
	pages.Add(records)
	pages["screenshot.svg"] = manual.Screenshot(screen(t))
	return pages
}

// screen is what a terminal of 110 columns shows of a command.
func screen(t *testing.T) string {
	t.Helper()
	args := []string{"diagnose", "testdata/captures/flow/flow.pcap"}
	cmd := exec.Command("pulsar-dissect", append(args, "--color", "always")...)
	cmd.Dir = testkit.Root(t)
	cmd.Env = append(cmd.Environ(), "COLUMNS=110")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("\x1b[32m$\x1b[0m \x1b[1mpulsar-dissect %s\x1b[0m\n%s", strings.Join(args, " "), out)
}

func manualCommands() []manual.Command {
	root := newRoot()
	all := []manual.Command{manualCommand(root)}
	for _, c := range root.Commands() {
		all = append(all, manualCommand(c))
	}
	all[0].Name, all[0].Usage = "", "pulsar-dissect [FLAGS] FILE...\npulsar-dissect COMMAND [FLAGS] FILE..."
	return all
}

func manualCommand(c *cobra.Command) manual.Command {
	m := manual.Command{Name: c.Name(), Short: c.Short, Long: c.Long, Usage: c.UseLine()}
	for _, g := range c.Root().Groups() {
		if g.ID == c.GroupID {
			m.Group = g.Title
		}
	}
	for _, line := range strings.Split(strings.Trim(c.Example, "\n"), "\n") {
		if line != "" {
			m.Examples = append(m.Examples, strings.TrimPrefix(line, "  "))
		}
	}
	for _, s := range flagSections(c) {
		group := manual.FlagGroup{Title: s.title, About: s.about}
		if s.title == flagsLimits && c.Name() != limitsName {
			group.About = "what is kept in memory at most has flags of its own, which '" + c.Root().Name() + " " + limitsName + "' lists"
			m.Flags = append(m.Flags, group)
			continue
		}
		s.flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				group.Flags = append(group.Flags, manualFlag(f))
			}
		})
		m.Flags = append(m.Flags, group)
	}
	return m
}

func manualFlag(f *pflag.Flag) manual.Flag {
	value, about := pflag.UnquoteUsage(f)
	m := manual.Flag{Names: "--" + f.Name, Value: value, About: about, Default: f.DefValue}
	if f.Shorthand != "" {
		m.Names = "-" + f.Shorthand + ", " + m.Names
	}
	switch f.DefValue {
	case "false", "0", "0s", "[]":
		m.Default = ""
	}
	return m
}

func manualFindings() (all []manual.Finding) {
	var defaults diagnose.Thresholds
	rows := thresholdFlags(&defaults)
	for _, r := range diagnose.Rules {
		f := manual.Finding{
			Name: r.Name, Severity: r.Severity.String(), Title: r.Title,
			Meaning: r.Meaning, Advice: r.Advice, Blind: r.Blind, Lint: r.Lint,
		}
		for i := range rows {
			if row := &rows[i]; row.of(r.Name) {
				f.Thresholds = append(f.Thresholds, manual.Flag{Names: "--" + row.name, About: row.about, Default: row.value.String()})
			}
		}
		all = append(all, f)
	}
	return all
}
