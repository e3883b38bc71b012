package diagnose

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/internal/testkit"
)

// demand is one item of testdata/findings.md: a rule, or * for any, and what
// its finding must be like.
type demand struct {
	rule     string
	severity string   // empty: any
	words    []string // each is in the subject, as say prints it
}

func (d *demand) String() string {
	return strings.Join(append([]string{d.rule, d.severity}, d.words...), " ")
}

func (d *demand) fits(f *Finding) bool {
	if d.rule != "*" && d.rule != f.Rule.Name || d.severity != "" && d.severity != f.Severity.String() {
		return false
	}
	subject, _, _ := strings.Cut(say(f), ": ")
	for _, w := range d.words {
		if !strings.Contains(subject, w) {
			return false
		}
	}
	return true
}

// row is a line of the table, its capture a name or a pattern.
type row struct {
	pattern            string
	must, may, mustNot []demand
}

// severities are the words that stand for one in an item.
var severities = []string{"info", "warning", "error"}

func parseDemands(t *testing.T, cell string) (out []demand) {
	for _, item := range strings.Split(cell, ",") {
		words := strings.Fields(item)
		if len(words) == 0 {
			continue
		}
		d := demand{rule: words[0]}
		if d.rule != "*" && ByName(d.rule) == nil {
			t.Errorf("findings.md: there is no rule %q", d.rule)
		}
		for _, w := range words[1:] {
			if slices.Contains(severities, w) {
				d.severity = w
			} else {
				d.words = append(d.words, w)
			}
		}
		out = append(out, d)
	}
	return out
}

// readTable reads testdata/findings.md. All rows whose pattern fits a capture
// count together.
func readTable(t *testing.T) (rows []row) {
	for _, line := range strings.Split(string(testkit.Testdata(t, "findings.md")), "\n") {
		cells := strings.Split(strings.Trim(line, "| \r"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-") || strings.HasPrefix(line, "| capture") {
			continue
		}
		for len(cells) < 4 {
			cells = append(cells, "")
		}
		rows = append(rows, row{strings.TrimSpace(cells[0]), parseDemands(t, cells[1]), parseDemands(t, cells[2]), parseDemands(t, cells[3])})
	}
	return rows
}

// wanted are the rows for a capture together. Listed: there is one.
func wanted(rows []row, name string) (all row, listed bool) {
	for _, r := range rows {
		if ok, _ := filepath.Match(r.pattern, name); ok {
			listed = true
			all.must = append(all.must, r.must...)
			all.may = append(all.may, r.may...)
			all.mustNot = append(all.mustNot, r.mustNot...)
		}
	}
	if !listed {
		all.mustNot = []demand{{rule: "*", severity: "error"}}
	}
	return all, listed
}

func fitsAny(ds []demand, f *Finding) bool {
	return slices.ContainsFunc(ds, func(d demand) bool { return d.fits(f) })
}

// check gives what is wrong with the findings of a capture. Of a listed one,
// each warning and error must be named in must or may.
func (r *row) check(listed bool, found []*Finding) (wrong []string) {
	for _, d := range r.must {
		if !slices.ContainsFunc(found, d.fits) {
			wrong = append(wrong, "missing: "+d.String())
		}
	}
	for _, f := range found {
		switch named := fitsAny(r.must, f) || fitsAny(r.may, f); {
		case fitsAny(r.mustNot, f):
			wrong = append(wrong, "must not be: "+say(f))
		case listed && !named && f.Severity > Info:
			wrong = append(wrong, "not listed: "+say(f))
		}
	}
	return wrong
}

// rotated is what tells the files of one rotated capture apart.
var rotated = regexp.MustCompile(`_\d{5}_\d+`)

// sharedCaptures gives the files of each shared capture under its name: up to
// the first dot where that is enough to tell it, and of rotated ones all files.
func sharedCaptures(t *testing.T) (names []string, files map[string][]string) {
	files = map[string][]string{}
	paths, err := filepath.Glob(filepath.Join(testkit.Shared(t), "captures", "*.pcap*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if strings.HasSuffix(p, ".json") {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(rotated.ReplaceAllString(filepath.Base(p), ""), ".zst"), ".pcap")
		if files[name] == nil {
			names = append(names, name)
		}
		files[name] = append(files[name], p)
	}
	return names, files
}

// TestCaptures holds the findings of every shared capture against
// testdata/findings.md. Those that it does not list have no error. With
// DIAGNOSE_PRINT set to a pattern, the findings of the captures that fit are printed.
func TestCaptures(t *testing.T) {
	rows := readTable(t)
	names, files := sharedCaptures(t)
	for _, r := range rows {
		if !slices.ContainsFunc(names, func(n string) bool { ok, _ := filepath.Match(r.pattern, n); return ok }) {
			t.Errorf("findings.md: no capture is called %q", r.pattern)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			found := diagnoseFiles(t, files[name])
			want, listed := wanted(rows, name)
			for _, w := range want.check(listed, found) {
				t.Error(w)
			}
			if ok, _ := filepath.Match(os.Getenv("DIAGNOSE_PRINT"), name); ok {
				fmt.Printf("== %s\n%s\n", name, sayAll(found))
			}
		})
	}
}

func diagnoseFiles(t *testing.T, files []string) []*Finding {
	src, err := capture.Open(files, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return diagnosePackets(t, src.Packets(), secretsOf(files[0], src), Thresholds{})
}

// secretsOf are the TLS secrets beside a capture and in it.
func secretsOf(path string, src *capture.Source) (o decrypt.Options) {
	name, _, _ := strings.Cut(path, ".pcap")
	if _, err := os.Stat(name + ".keylog"); err == nil {
		o.KeyLogs = []string{name + ".keylog"}
	}
	o.Secrets = src.Secrets
	return o
}

func TestCheckOfFindings(t *testing.T) {
	some := &Finding{Rule: sendUnanswered, Severity: Warning, Subject: Subject{Topic: "t1"}}
	for _, c := range []struct {
		must, may, mustNot string
		listed             bool
		wrong              int
	}{
		{"send-unanswered", "", "", true, 0},
		{"send-unanswered warning t1", "", "", true, 0},
		{"send-unanswered error", "", "", true, 2}, // missing, and the warning is not listed
		{"send-unanswered t2", "", "", false, 1},
		{"", "send-unanswered", "", true, 0},
		{"", "* warning", "", true, 0},
		{"", "", "", true, 1},
		{"", "", "", false, 0},
		{"", "", "* warning", false, 1},
		{"send-unanswered", "", "send-unanswered t1", true, 1},
	} {
		r := row{"x", parseDemands(t, c.must), parseDemands(t, c.may), parseDemands(t, c.mustNot)}
		if got := r.check(c.listed, []*Finding{some}); len(got) != c.wrong {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}
