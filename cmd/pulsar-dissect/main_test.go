package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pulsar-dissect/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pulsar-dissect": main})
}

// Each script opens with what a person types. The captures of testdata are in
// its folder, without the folder around each.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			return copyCaptures(filepath.Join(testkit.Root(t), "testdata", "captures"), env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":  status,
			"bytes":   bytesOf,
			"join":    join,
			"rows":    rows,
			"records": records,
		},
	})
}

func copyCaptures(from, to string) error {
	var files []string
	for _, pattern := range []string{"*.pcap*", "*.keylog", "*.serverkey.pem"} {
		found, err := filepath.Glob(filepath.Join(from, "*", pattern))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f)), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// status: status N COMMAND... checks the exit status.
func status(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// bytesOf: bytes FROM TO FILE OUT writes the bytes of a file from an offset to
// one, which counts from the end if it is not above 0.
func bytesOf(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: bytes FROM TO FILE OUT")
	}
	b := []byte(ts.ReadFile(args[2]))
	from, err := strconv.Atoi(args[0])
	ts.Check(err)
	to, err := strconv.Atoi(args[1])
	ts.Check(err)
	if to <= 0 {
		to += len(b)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), b[from:to], 0o644))
}

// join: join OUT FILE... puts files one behind the other.
func join(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: join OUT FILE...")
	}
	var all []byte
	for _, name := range args[1:] {
		all = append(all, ts.ReadFile(name)...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), all, 0o644))
}

// rows: rows N checks the number of lines of the last output.
func rows(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: rows N")
	}
	if got := strings.Count(ts.ReadFile("stdout"), "\n"); strconv.Itoa(got) != args[0] {
		ts.Fatalf("%d rows, want %s", got, args[0])
	}
}

// records: records KIND=N... checks that the last output is JSON Lines, and how
// many records it has of each kind, in the order of the kinds' first ones.
func records(ts *testscript.TestScript, _ bool, args []string) {
	var kinds []string
	n := map[string]int{}
	for _, line := range bytes.Split([]byte(ts.ReadFile("stdout")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r struct{ Kind string }
		if err := json.Unmarshal(line, &r); err != nil {
			ts.Fatalf("%v: %s", err, line)
		}
		if n[r.Kind] == 0 {
			kinds = append(kinds, r.Kind)
		}
		n[r.Kind]++
	}
	var got []string
	for _, k := range kinds {
		got = append(got, k+"="+strconv.Itoa(n[k]))
	}
	if strings.Join(got, " ") != strings.Join(args, " ") {
		ts.Fatalf("got %s", strings.Join(got, " "))
	}
}
