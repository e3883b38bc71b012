package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
)

// options are what the flags of a view set.
type options struct {
	files []string // as named
	live  bool     // packets come as they are captured

	written string // the one file to which these are written; empty: none, or several

	reorder time.Duration
	ports   []uint16
	limits  limits
	keys    keys    // private keys for encrypted payloads
	schemas schemas // of topics, in place of what the wire says

	tlsKeyLogs []string // files
	tlsKeys    []string // files

	looked looked   // for
	spans  exported // to a collector

	filter filter.Filter
	not    bool // the next filter flag is turned round
	first  int  // rows, 0: all
	last   int  // rows, 0: all

	format       render.Format
	color        when
	maxPayload   int64 // bytes, -1: as the format has it
	wholePayload bool  // each message with its payload below
	showSecrets  bool
	wallClock    bool
	noSum        bool
	noProgress   bool
}

// when says when colour is used.
type when string

const (
	auto   when = "auto"
	always when = "always"
	never  when = "never"
)

func newFlagSet() *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	return set
}

// addTo adds the flags that views share, and those of a view's own.
func (o *options) addTo(c *cobra.Command, v *view) {
	groups := []flagGroup{
		{flagsInput, o.inputFlags()}, {flagsFilter, o.filterFlags()}, {flagsOutput, o.outputFlags(v.formats)}, {flagsLimits, o.limits.flagSet()},
	}
	if v.flags != nil {
		groups = append(groups, v.flags(o)...)
	}
	for _, g := range groups {
		addFlags(c, g, v.without)
	}
	c.Flags().SortFlags = false
	o.complete(c, v.formats)
}

func (o *options) inputFlags() *pflag.FlagSet {
	set := newFlagSet()
	set.Var(span{&o.reorder}, "reorder", "sort packets by time that lie no further apart than this")
	set.Var(&ports{&o.ports}, "port", "take connections of this port for Pulsar, whatever they begin with; again for more ports")
	set.Var(paths{&o.tlsKeyLogs}, "tls-keylog", "secrets of TLS connections, as SSLKEYLOGFILE has them; the file may grow; again for more")
	set.Var(paths{&o.tlsKeys}, "tls-key", "RSA private key of a TLS server (PEM), for connections with RSA key exchange; again for more")
	set.Var(&o.keys, "decrypt-key", "private key for payloads that clients encrypted: a PEM file or a folder of them; again for more")
	set.Var(&o.schemas, "schema", "read the payloads of a topic by the schema in a file: Avro, Pulsar's JSON or protobuf descriptors; again for more topics")
	set.Var(size[int64]{&o.limits.decode.MaxFrame}, "max-frame", "largest frame that is believed; 0: what the broker and the protocol say")
	return set
}

func (o *options) filterFlags() *pflag.FlagSet {
	set := newFlagSet()
	for i := range filter.Flags {
		f := &filter.Flags[i]
		flag := set.VarPF(&condition{o, f}, f.Name, "", f.Help)
		if f.Argument == "" {
			flag.NoOptDefVal = "true"
		}
	}
	set.BoolVar(&o.not, "not", false, "turn the filter flag behind this one round: --not --type PING")
	set.Var(number{&o.first}, "first", "only the first N rows of what is left")
	set.Var(number{&o.last}, "last", "only the last N rows of what is left")
	return set
}

func (o *options) outputFlags(formats []render.Format) *pflag.FlagSet {
	set := newFlagSet()
	o.format, o.color, o.maxPayload = formats[0], auto, -1
	set.VarP(choice[render.Format]{&o.format, formats}, "output", "o", "format of the output")
	set.Var(choice[when]{&o.color, []when{auto, always, never}}, "color", "colour; auto: on a terminal, unless NO_COLOR is set")
	set.Var(payloadSize{size[int64]{&o.maxPayload}}, "max-payload", "bytes of each payload shown, 0 for none")
	set.BoolVar(&o.showSecrets, "show-secrets", false, "show credentials and keys as they are")
	set.BoolVar(&o.wallClock, "wall-clock", false, "times of day (UTC), not seconds since the first packet")
	set.BoolVar(&o.noSum, "no-sha256", false, "leave out the SHA-256 of payloads, which takes time")
	set.BoolVar(&o.noProgress, "no-progress", false, "no progress bar")
	return set
}

// wholePayloadShown are the bytes of each that are shown with --payload.
const wholePayloadShown = 64 << 10

// Bytes of a payload that are shown unless --max-payload says otherwise.
var payloadShown = map[render.Format]int64{render.JSONLines: 1024, render.CSV: 1024, render.TSV: 1024, render.Table: 256, render.Compact: 256}

func (o *options) payload() int {
	if o.maxPayload < 0 && o.wholePayload {
		return wholePayloadShown
	}
	if o.maxPayload < 0 {
		return int(payloadShown[o.format])
	}
	return int(o.maxPayload)
}

// payloadSize is a size whose default depends on the format.
type payloadSize struct{ size[int64] }

func (s payloadSize) String() string {
	if s.to == nil || *s.to < 0 {
		return "1K of JSON, CSV and TSV, 64K with --payload, 256 else"
	}
	return s.size.String()
}

// condition is the value of a filter flag. Flags are set in the order in which
// they stand on the command line.
type condition struct {
	options *options
	flag    *filter.Flag
}

// Set adds the condition.
func (c *condition) Set(value string) error {
	not := c.options.not
	c.options.not = false
	return c.options.filter.Add(c.flag.Name, value, not)
}

func (c *condition) String() string { return "" }

// Type is how help texts call the value; bool where there is none.
func (c *condition) Type() string {
	if c.flag.Argument == "" {
		return "bool"
	}
	return c.flag.Argument
}

// ports is the value of a flag that may be given several times.
type ports struct{ to *[]uint16 }

// Set adds a port.
func (p *ports) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is no port: a number from 1 to 65535", text)
	}
	*p.to = append(*p.to, uint16(n))
	return nil
}

func (p *ports) String() string { return "" }

// Type is how help texts call the value.
func (p *ports) Type() string { return "N" }

// complete tells the shell what may stand behind flags.
func (o *options) complete(c *cobra.Command, formats []render.Format) {
	values := map[string][]string{
		"output": choice[render.Format]{all: formats}.words(),
		"color":  {string(auto), string(always), string(never)},
	}
	for i := range filter.Flags {
		if f := &filter.Flags[i]; f.Values != nil {
			values[f.Name] = f.Values()
		}
	}
	for _, name := range []string{"rules", "explain", "finding"} {
		values[name] = allRuleNames()
	}
	for _, name := range []string{"severity", "fail-on"} {
		values[name] = strings.Split((&severity{}).Type(), "|")
	}
	for name, words := range values {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		slices.Sort(words)
		// The error is that of a flag that does not exist, or was told of twice.
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// check tells what is wrong with the flags as a whole.
func (o *options) check() error {
	switch {
	case o.not:
		return wrongUse("It turns the filter flag behind it round: --not --type PING.", "--not stands in front of nothing")
	case o.wholePayload && o.format != render.Table:
		return wrongUse("JSON has a payload in payload_text, payload_b64 and value: raise --max-payload.", "--payload with -o %s", o.format)
	case o.first > 0 && o.last > 0:
		return wrongUse("Use one of them.", "--first and --last at once")
	}
	return nil
}
