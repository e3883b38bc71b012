package main

import (
	"io"

	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
)

var lint = view{
	name:  "lint",
	short: "Whether client, broker and proxy keep to the protocol",
	long: `Checks what clients, brokers and proxies sent against the protocol, for those who
write them: as text, JSON, JUnit XML or SARIF. Exit status 3 where a finding is as
severe as --fail-on says, or more, so that a build can check a capture of its own
test run; 2 where no Pulsar could be read, so that an empty one is no success.`,
	example: `  pulsar-dissect lint capture.pcap
  pulsar-dissect lint -o junit capture.pcap > lint.xml
  pulsar-dissect lint -o sarif --fail-on warning capture.pcap > lint.sarif
  pulsar-dissect lint --list-rules`,
	formats: []render.Format{render.Text, render.JSONLines, render.JUnit, render.SARIF},
	needs:   needs{messages: true, findings: true},
	without: withoutRows,
	flags:   findingFlags,
	failOn:  severity{diagnose.Error, true},
	rules:   lintRules,
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewFindings(w, o) },
	reports: map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink{
		render.JUnit: func(w io.Writer, o render.Options, r render.Report) render.Sink { return render.NewJUnit(w, o, r) },
		render.SARIF: func(w io.Writer, o render.Options, r render.Report) render.Sink { return render.NewSARIF(w, o, r) },
	},
}

// lintRules are the rules about keeping to the protocol.
func lintRules() (rules []*diagnose.Rule) {
	for _, r := range diagnose.Rules {
		if r.Lint {
			rules = append(rules, r)
		}
	}
	return rules
}
