package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pulsar-dissect/internal/testkit"
)

// advised is the command under a finding, with its rule.
var advised = regexp.MustCompile(`pulsar-dissect (slice --finding (\S+) .*-w )\S+`)

// What the command under a finding cuts out shows the finding.
func TestProofShowsTheFinding(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	files, err := filepath.Glob(filepath.Join(testkit.Root(t), "testdata", "captures", "*", "*.pcap*"))
	if err != nil {
		t.Fatal(err)
	}
	const enough = 2 // of each rule
	tried := map[string]int{}
	for _, file := range files {
		out, err := exec.Command(program(t), "diagnose", "--color", "never", file).Output()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, command := range advised.FindAllStringSubmatch(string(out), -1) {
			if tried[command[2]] >= enough {
				continue
			}
			tried[command[2]]++
			proof := filepath.Join(t.TempDir(), "proof.pcapng")
			if told, err := exec.Command(program(t), append(strings.Fields(command[1]), proof, file)...).CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", filepath.Base(file), command[1], err, told)
				continue
			}
			was, is := foundBy(t, file, command[2], command[1]), foundBy(t, proof, command[2], "")
			for severity, n := range was {
				if is[severity] < n {
					t.Errorf("%s: %s: %d of severity %s, %d in the whole", filepath.Base(file), command[1], is[severity], severity, n)
				}
			}
		}
	}
	if len(tried) < 20 {
		t.Errorf("commands of %d rules", len(tried))
	}
}

var chosenConn = regexp.MustCompile(`--conn (\S+)`)

// foundBy counts what a rule finds, of the connection that a command names.
func foundBy(t *testing.T, file, rule, command string) map[string]int {
	t.Helper()
	args := []string{"diagnose", "-o", "json", "--rules", rule, file}
	if conn := chosenConn.FindStringSubmatch(command); conn != nil {
		args = append(args, "--conn", conn[1])
	}
	out, err := exec.Command(program(t), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for line := range bytes.Lines(out) {
		var finding struct{ Kind, Severity string }
		if err := json.Unmarshal(line, &finding); err != nil {
			t.Fatal(err)
		}
		if finding.Kind == "finding" {
			n[finding.Severity]++
		}
	}
	return n
}
