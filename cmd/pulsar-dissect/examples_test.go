package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/internal/testkit"
)

// example is a command of a page with what the page shows of its output.
type example struct {
	page    string
	line    int // of the page, from 1
	command string
	shown   []string // nil: nothing is shown
}

// elided stands in a page for any lines of output.
const elided = "..."

// What pages show is what happens: commands in blocks marked console are run, in
// the order of the page, and their output is what stands below them. Those in
// blocks marked sh and in tables are run where their captures are in testdata. All
// have to end with status 0.
func TestExamples(t *testing.T) {
	root := testkit.Root(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	run := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		dir := t.TempDir() // what a command of a page writes, later ones read
		if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")); err != nil {
			t.Skip(err)
		}
		for _, x := range examplesOf(t, page) {
			run++
			x.check(t, dir)
		}
	}
	if run < 20 {
		t.Errorf("only %d examples were found", run)
	}
}

func (x *example) check(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil && strings.Contains(x.command, " jq ") {
		return
	}
	out, err := shell(dir, x.command)
	if err != nil {
		t.Errorf("%s:%d: %s: %v\n%s", x.page, x.line, x.command, err, out)
		return
	}
	if x.shown == nil {
		return
	}
	if got := strings.Split(strings.TrimRight(out, "\n"), "\n"); !fits(got, x.shown) {
		t.Errorf("%s:%d: %s: the output is\n%s\nand not\n%s", x.page, x.line, x.command, out, strings.Join(x.shown, "\n"))
	}
}

// shell runs a line as a terminal without colours would.
func shell(dir, line string) (string, error) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "COLUMNS=110")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fits says whether lines are those that are shown.
func fits(got, shown []string) bool {
	for i, want := range shown {
		if want == elided {
			for n := range len(got) - i + 1 {
				if fits(got[i+n:], shown[i+1:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || strings.TrimRight(got[i], " ") != want {
			return false
		}
	}
	return len(got) == len(shown)
}

// examplesOf reads the blocks of a page.
func examplesOf(t *testing.T, page string) (all []example) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	kind := ""
	for i, line := range strings.Split(string(text), "\n") {
		x := example{page: filepath.Base(page), line: i + 1}
		fence, isFence := strings.CutPrefix(line, "```")
		switch command, isCommand := strings.CutPrefix(line, "$ "); {
		case isFence:
			kind = fence
		case kind == "console" && isCommand:
			x.command = command
			all = append(all, x)
		case kind == "console" && len(all) > 0:
			last := &all[len(all)-1]
			if more, ok := strings.CutPrefix(line, "> "); ok && last.shown == nil {
				last.command += "\n" + more
				continue
			}
			last.shown = append(last.shown, strings.TrimRight(line, " "))
		case kind == "sh" && strings.HasPrefix(line, "pulsar-dissect ") && strings.Contains(line, "testdata/"):
			x.command = line
			all = append(all, x)
		case kind == "":
			for _, found := range spans.FindAllStringSubmatch(line, -1) {
				x.command = found[1]
				all = append(all, x)
			}
		}
	}
	for i := range all {
		all[i].trim()
	}
	return all
}

// spans are commands within text.
var spans = regexp.MustCompile("`(pulsar-dissect [^`]*testdata/[^`]*)`")

// trim drops empty lines behind the output, which part it from the next command.
func (x *example) trim() {
	for len(x.shown) > 0 && x.shown[len(x.shown)-1] == "" {
		x.shown = x.shown[:len(x.shown)-1]
	}
}

// standIns are captures for the names that help texts use.
var standIns = map[string]string{
	"capture.pcap": "base/base.pcap", "dump.pcap": "base/base.pcap", "dump.pcapng": "base/base.pcap",
	"capture.pcapng": "base/base.pcap",
}

// Examples of help texts are no wrong use, with a capture in the place of theirs.
func TestHelpExamples(t *testing.T) {
	root, dir := testkit.Root(t), t.TempDir()
	captures := filepath.Join(root, "testdata", "captures")
	for name, from := range standIns {
		if err := os.Symlink(filepath.Join(captures, from), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	run := 0
	for _, c := range manualCommands() {
		for _, line := range c.Examples {
			if line = alone(line); !canRun(dir, line) {
				continue
			}
			run++
			if out, err := shell(dir, line); exitCode(err) == statusUse {
				t.Errorf("%s\n%s", line, out)
			}
		}
	}
	if run < 30 {
		t.Errorf("only %d examples were run", run)
	}
}

// behind is what a line has behind the command: a pipe, a file, a remark.
var behind = regexp.MustCompile(`( \| | > |   ).*`)

func alone(line string) string { return strings.TrimSpace(behind.ReplaceAllString(line, "")) }

// elsewhere are commands that need an interface, or a terminal.
var elsewhere = []string{"sniff", "tui"}

// canRun says whether the files that a line names are there, and it can do without
// what is not.
func canRun(dir, line string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "pulsar-dissect" || slices.Contains(elsewhere, words[1]) {
		return false
	}
	i := slices.IndexFunc(words, func(w string) bool {
		if !strings.Contains(w, ".") || strings.ContainsAny(w, "='\"(") {
			return false
		}
		_, err := os.Stat(filepath.Join(dir, w))
		return err != nil
	})
	return i < 0
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	code := -1
	if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &code); scanErr != nil {
		return -1
	}
	return code
}
