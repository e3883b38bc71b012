package main

import (
	"io"

	"github.com/spf13/cobra"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

var timelineKinds = []session.Kind{session.FrameSeen, session.GapSeen, session.BytesSkipped, session.ConflictSeen, session.ProxySeen, session.BookieSeen}

// timelineCommand makes the subcommand.
func timelineCommand() *cobra.Command {
	v, ladder := timeline, false
	v.formats = append(v.formats[:len(v.formats):len(v.formats)], render.Mermaid, render.PlantUML)
	v.flags = func(*options) []flagGroup {
		set := newFlagSet()
		set.BoolVar(&ladder, "ladder", false, "arrows between client and broker, one connection behind the other")
		return []flagGroup{{flagsOutput, set}}
	}
	v.sink = func(w io.Writer, o render.Options) render.Sink {
		if ladder {
			return render.NewLadder(w, o)
		}
		return render.NewTimeline(w, o)
	}
	diagram := func(w io.Writer, o render.Options, _ render.Report) render.Sink { return render.NewDiagram(w, o) }
	v.reports = map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink{render.Mermaid: diagram, render.PlantUML: diagram}
	c := v.command()
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if f := c.Flags().Lookup("output").Value.String(); ladder && f != string(render.Table) {
			return wrongUse("Leave out one of them; -o mermaid and -o plantuml draw diagrams for documents.", "--ladder with -o %s", f)
		}
		return nil
	}
	return c
}

var timeline = view{
	name:  "timeline",
	short: "Every command, in order of time",
	long: `Shows every command in order of time, who sent it, and what it says; and where
bytes are missing, cannot be read or contradict each other. As a sequence diagram:
--ladder draws one for the terminal, -o mermaid and -o plantuml for documents, where
filters and --first keep it small.`,
	example: `  pulsar-dissect timeline capture.pcap
  pulsar-dissect timeline --type 'PRODUCER*,SUBSCRIBE' --conn 10.0.0.7 capture.pcap
  pulsar-dissect timeline --since +10s --until +12s --not --type PING,PONG capture.pcap
  pulsar-dissect timeline --ladder --conn c2 capture.pcap
  pulsar-dissect timeline -o mermaid --topic orders --first 40 capture.pcap
  pulsar-dissect timeline -o json --bad capture.pcap | jq .issues`,
	formats: forAll,
	rows:    append([]session.Kind{session.ConnectionEnd, session.ExchangeSeen}, timelineKinds...),
	records: timelineKinds,
	needs:   needs{values: true},
	context: answers,
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewTimeline(w, o) },
}

// answers are what the latest frame on show answers, and its messages that a
// schema reads: its line tells. What was never answered is a row.
func answers(e *session.Event, behind bool) bool {
	return behind && (e.Kind == session.MessageSeen || e.Kind == session.ExchangeSeen && e.Exchange.HasResponse)
}
