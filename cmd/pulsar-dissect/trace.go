package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/render"
	"pulsar-dissect/session/trace"
)

func traceCommand() *cobra.Command {
	want := &trace.Want{}
	v := traceView
	v.flags = func(*options) []flagGroup { return []flagGroup{{flagsFollowed, wantFlags(want)}} }
	v.sink = func(w io.Writer, o render.Options) render.Sink { return render.NewTrace(w, o, *want) }
	v.reports = map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink{
		render.JSONLines: func(w io.Writer, o render.Options, _ render.Report) render.Sink { return render.NewTrace(w, o, *want) },
	}
	c := v.command()
	c.PreRunE = func(*cobra.Command, []string) error {
		if want.Empty() {
			return wrongUse("Use --id 12:3, --key K, --sequence PRODUCER:7, --property NAME=VALUE or --sha256 HEX.", "nothing says which message to follow")
		}
		return nil
	}
	return c
}

var traceView = view{
	name:  "trace",
	short: "What happened to a message, from its SEND to its acknowledgement",
	long: `Follows messages over all connections: each attempt to send, the receipt, what
bookies answered about the entry, each delivery, acknowledgement and request for
redelivery, and the way
over retry and dead-letter topics, with the time between the steps. A batch is
followed as a whole, since that is what brokers store and deliver.`,
	example: `  pulsar-dissect trace --id 51:2 capture.pcap
  pulsar-dissect trace --key customer-7 capture.pcap
  pulsar-dissect trace --property order=4711 -o json capture.pcap`,
	formats: forPeople,
	rows:    allKinds,
	records: allKinds,
	counted: allKinds,
	needs:   needs{messages: true},
	without: []string{"first", "last", "max-payload", "show-secrets", "no-sha256"}, // there are no payloads, and rows are steps
}

func wantFlags(w *trace.Want) *pflag.FlagSet {
	set := newFlagSet()
	set.Var(wanted{"L:E", func(text string) (err error) { w.ID, err = entryOf(text); return err }}, "id", "the entry with this id, and what was made from it")
	set.Var(wanted{"K", func(text string) error { w.Key = text; return nil }}, "key", "messages with this key")
	set.Var(wanted{"PRODUCER:N", func(text string) error { return sequenceOf(w, text) }}, "sequence", "the message of a producer with this sequence id")
	set.Var(wanted{"K=V", func(text string) error { return propertyOf(w, text) }}, "property", "messages with this property")
	set.Var(wanted{"HEX", func(text string) (err error) { w.Sum, err = trace.ParseSum(text); return err }}, "sha256", "messages whose payload has this SHA-256")
	return set
}

// wanted is the value of a flag that names messages.
type wanted struct {
	argument string
	set      func(string) error
}

// Set reads the value.
func (v wanted) Set(text string) error {
	if err := v.set(text); err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	return nil
}

func (v wanted) String() string { return "" }

// Type is how help texts call the value.
func (v wanted) Type() string { return v.argument }

func entryOf(text string) (*trace.Entry, error) {
	e, err := trace.ParseEntry(text)
	if err != nil {
		return nil, errors.New("no id: write LEDGER:ENTRY, as 51:2")
	}
	return &e, nil
}

func sequenceOf(w *trace.Want, text string) error {
	i := strings.LastIndexByte(text, ':')
	n, err := strconv.ParseUint(text[i+1:], 10, 64)
	if i <= 0 || err != nil {
		return errors.New("write PRODUCER:SEQUENCE, as orders-1:42")
	}
	w.Producer, w.Sequence = text[:i], &n
	return nil
}

func propertyOf(w *trace.Want, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("write NAME=VALUE")
	}
	w.Property, w.Value = name, value
	return nil
}
