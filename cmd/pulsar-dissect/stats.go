package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
	"pulsar-dissect/session/stats"
)

// statsOptions are what the flags of stats set.
type statsOptions struct {
	render.StatsOptions
	interval time.Duration
	as       likeness
}

// likeness is whose form the output has.
type likeness string

const (
	ownForm   likeness = "rows"
	adminForm likeness = "pulsar-admin"
)

func statsCommand() *cobra.Command {
	o := &statsOptions{}
	o.By, o.Sort, o.as = stats.ByTopic, stats.OrderName, ownForm
	v := statsView
	v.flags = func(all *options) []flagGroup { return []flagGroup{{flagsCounted, o.flagSet(&all.filter)}} }
	v.sink = o.sink
	v.reports = map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink{
		render.JSONLines: func(w io.Writer, ro render.Options, _ render.Report) render.Sink { return o.sink(w, ro) },
	}
	return v.command()
}

var statsView = view{
	name:  "stats",
	short: "Counts, rates, batch sizes, compression and latencies",
	long: `Counts what passed by topic, subscription, producer, consumer, connection, client
version or command, over the whole capture or interval by interval: frames, bytes,
messages and their rates, batch sizes, compression, redeliveries (COUNT>0 is the
part of the entries that came with a redelivery count above 0), errors, and the
latencies of SENDs, acknowledgements and requests. With filters: of what they let
through. In the form of pulsar-admin: what 'topics stats' would have said at the
end of the capture, or at any time of it, as far as the wire tells.`,
	example: `  pulsar-dissect stats capture.pcap
  pulsar-dissect stats --by consumer --sort latency capture.pcap
  pulsar-dissect stats --by command --interval 1s -o json capture.pcap
  pulsar-dissect stats --as pulsar-admin --at 10:15:00 capture.pcap | jq .`,
	formats: forAll,
	rows:    allKinds,
	records: allKinds,
	counted: allKinds,
	without: []string{"first", "last", "max-payload", "show-secrets", "no-sha256"}, // there are no payloads, and rows are counts
}

func (o *statsOptions) flagSet(f *filter.Filter) *pflag.FlagSet {
	set := newFlagSet()
	set.Var(choice[stats.By]{&o.By, stats.Groupings}, "by", "what has a row")
	set.Var(choice[stats.Order]{&o.Sort, stats.Orders}, "sort", "what rows are sorted by, the largest first; latency: the 99th percentile")
	set.Var(span{&o.interval}, "interval", "a row for each interval of this length")
	set.Var(choice[likeness]{&o.as, []likeness{ownForm, adminForm}}, "as", "form of the output; pulsar-admin: the JSON of 'topics stats'")
	set.Var(instant{&o.Until, f}, "at", "count up to this time, as --until takes it, and no further")
	return set
}

func (o *statsOptions) sink(w io.Writer, ro render.Options) render.Sink {
	s := o.StatsOptions
	s.Limits = ro.Limits.Stats
	if o.as == adminForm {
		return render.NewTopicStats(w, s)
	}
	s.Interval = o.interval.Nanoseconds()
	return render.NewStats(w, ro, s)
}

// instant is the value of a flag that is a time of the capture.
type instant struct {
	to     *func() int64
	filter *filter.Filter
}

// Set reads a time.
func (i instant) Set(text string) (err error) {
	*i.to, err = i.filter.Time(text)
	return err
}

func (i instant) String() string { return "" }

// Type is how help texts call the value.
func (instant) Type() string { return "TIME" }
