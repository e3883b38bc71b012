package main

import (
	"github.com/spf13/pflag"

	"pulsar-dissect/render/metrics"
)

// monitored is what flags say of metrics, and what serves them.
type monitored struct {
	address string // empty: none are served

	serving *serving
}

func (m *monitored) flagSet() *pflag.FlagSet {
	set := newFlagSet()
	set.Var(address{&m.address}, "metrics", "serve metrics for Prometheus at this address: 127.0.0.1:9469")
	return set
}

// open opens what needs rights that are given up later.
func (m *monitored) open() (err error) {
	m.serving, err = listen(m.address)
	return err
}

// follow has a run told.
func (m *monitored) follow(r *showing, source packetSource, c *console) {
	if m.serving == nil {
		return
	}
	limits := &r.options.limits
	o := metrics.Options{Limits: limits.metrics, Version: programVersion(), Dispatch: limits.dispatch, Stats: source.Stats}
	if r.found != nil {
		o.Tracker = r.found.engine.Dispatch()
	}
	counted := metrics.New(o)
	r.stages.heed = append(r.stages.heed, counted.Add)
	if r.found != nil {
		r.found.heard = append(r.found.heard, counted.Found)
	}
	m.serving.serve(counted, c)
}

// idle tells what has come until now, since nothing more is at hand.
func (m *monitored) idle() { m.serving.look() }

// close ends it.
func (m *monitored) close() { m.serving.stop() }

// address is the value of a flag that takes an address to listen at.
type address struct{ to *string }

// Set takes an address.
func (a address) Set(text string) error {
	*a.to = text
	return nil
}

func (a address) String() string { return "" }

// Type is how help texts call the value.
func (a address) Type() string { return "ADDRESS" }
