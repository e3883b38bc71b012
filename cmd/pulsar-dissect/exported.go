package main

import (
	"fmt"
	"net/url"

	"github.com/spf13/pflag"

	"pulsar-dissect/render/otlp"
)

// exported is what a flag says of where spans are sent, and what sends them.
type exported struct {
	to       *url.URL // nil: nowhere
	exporter *otlp.Exporter
}

func (s *exported) addTo(set *pflag.FlagSet) {
	set.Var(collector{&s.to}, "otlp", "send spans of exchanges and messages to an OpenTelemetry collector (OTLP over HTTP): http://127.0.0.1:4318")
}

// begin has spans of a run sent. Those of a file wait for room in the queue, those
// of a live run are dropped where there is none. tell takes news, in another
// goroutine; nil: nobody listens.
func (s *exported) begin(r *showing, tell func(string)) {
	if s.to == nil {
		return
	}
	limits := r.options.limits.otlp
	s.exporter = otlp.NewExporter(otlp.Options{URL: s.to, Limits: limits, Version: programVersion(), Wait: !r.options.live, Tell: tell})
	r.stages.heed = append(r.stages.heed, otlp.New(limits, s.exporter).Add)
}

// idle sends what there is, since nothing more is at hand.
func (s *exported) idle() {
	if s.exporter != nil {
		s.exporter.Idle()
	}
}

// end sends the rest, and says what became of all; "" where none were sent.
func (s *exported) end() string {
	if s.exporter == nil {
		return ""
	}
	n := s.exporter.Close()
	said := fmt.Sprintf("%d spans sent to %s", n.Sent, s.to.Redacted())
	if n.Dropped > 0 {
		said += fmt.Sprintf(", %d dropped since the queue was full", n.Dropped)
	}
	if n.Refused > 0 {
		said += fmt.Sprintf(", %d not taken: %v", n.Refused, n.Err)
	}
	return said
}

// collector is the value of a flag that takes the address of a collector.
type collector struct{ to **url.URL }

// Set takes an address.
func (c collector) Set(text string) (err error) {
	*c.to, err = otlp.ParseURL(text)
	return err
}

func (c collector) String() string { return "" }

// Type is how help texts call the value.
func (c collector) Type() string { return "URL" }
