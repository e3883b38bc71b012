package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
)

// subject is a run to be measured: a program with its arguments, to which the
// name of the input is added.
type subject struct {
	name string
	argv []string
	ours bool // takes the flags of the input
	once bool // too slow to be run more often
}

// commands are those of pulsar-dissect.
var commands = []string{
	"analyze",
	"analyze --no-findings",
	"events -o json",
	"events -o json --no-findings",
	"events -o json --no-findings --no-sha256",
	"timeline -o json",
	"messages -o json",
	"messages -o json --no-sha256 --max-payload 0",
	"diagnose",
	"stats",
}

// rivals are runs of tshark: what it takes to read the packets alone, the bytes
// of TCP streams, and all fields of Pulsar where Apache's plugin is installed.
var rivals = []struct {
	name, args string
	plugin     bool
}{
	{name: "tshark bare", args: "-q -z io,stat,0 -r"},
	{name: "tshark tcp.len", args: "-T fields -e tcp.len -r"},
	{name: "tshark plugin", args: "-T ek -J apache.pulsar -r", plugin: true},
}

const boundName = "bound: read and CRC-32C"

// subjects are all that can be run on this machine, and the names of those that
// cannot.
func subjects(binary string) (list []subject, missing []string) {
	self, err := os.Executable()
	if err == nil {
		list = append(list, subject{name: boundName, argv: []string{self, "-bound"}})
	}
	for _, c := range commands {
		list = append(list, subject{name: c, argv: append([]string{binary}, strings.Fields(c)...), ours: true})
	}
	plugin := hasPlugin()
	for _, r := range rivals {
		if _, err := exec.LookPath("tshark"); err != nil || r.plugin && !plugin {
			missing = append(missing, r.name)
			continue
		}
		list = append(list, subject{name: r.name, argv: append([]string{"tshark"}, strings.Fields(r.args)...), once: true})
	}
	return list, missing
}

// hasPlugin says whether tshark knows Pulsar.
func hasPlugin() bool {
	out, err := exec.Command("tshark", "-G", "protocols").Output()
	return err == nil && bytes.Contains(out, []byte("apache.pulsar"))
}
