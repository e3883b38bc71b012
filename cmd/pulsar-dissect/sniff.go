package main

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/capture/live"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
)

// face is what sniff can show: the rows of a view, and findings between them.
type face struct {
	name string
	view *view
}

// faces has a row for each.
var faces = []face{
	{"timeline", &timeline}, {"pairs", &pairs}, {"messages", &messages}, {"events", &events}, {"diagnose", &diagnoseView}, {faceTop, &tuiView},
}

// faceTop is the face that takes the whole terminal.
const faceTop = "top"

// defaultUser is whom root becomes.
const defaultUser = "nobody"

// sniffing is what the flags of sniff set besides those of all views.
type sniffing struct {
	live       live.Options
	face       string
	faceChosen bool
	follow     string // pattern of files; empty: none
	duration   time.Duration
	count      int // packets, 0: all
	user       string
	userChosen bool

	kept      kept
	monitored monitored
	top       topping
}

const sniffText = `Captures packets from interfaces and shows what clients and brokers say as they
say it: commands with their latencies, and findings when they are found. "sniff -"
and --follow read what another program captures. Ctrl-C ends it, with all that was captured by
then and a summary. --face top shows tables to look through, as tui does of files, and stays
until q when capture has ended; all that happened to a message, and the bytes of frames that
are no longer in memory, are read from the file of -w.

Capture on interfaces needs Linux and the right CAP_NET_RAW, which is given up as
soon as capture has begun; root becomes the user nobody (--user). Without it:
  sudo setcap cap_net_raw+ep $(which pulsar-dissect)`

const sniffExamples = `  pulsar-dissect sniff -i any --port 6650
  pulsar-dissect sniff -i eth0 -i lo --face diagnose --severity warning
  pulsar-dissect sniff -i any --face top -w evidence.pcapng
  pulsar-dissect sniff -i any -o json --duration 1m | jq 'select(.kind == "exchange") | .latency_ns'
  pulsar-dissect sniff -i any --port 6650 --face diagnose --metrics :9469
  ssh broker tcpdump -i any -U -w - port 6650 | pulsar-dissect sniff -
  kubectl exec broker-0 -- tcpdump -i any -U -w - port 6650 | pulsar-dissect sniff -`

// sniffView holds what is the same for all faces.
var sniffView = view{
	name:    "sniff",
	short:   "What is said just now on an interface, with findings as they are found",
	formats: forPeople,
	needs:   needs{messages: true, findings: true},
	without: []string{"last", "reorder", "no-progress"},
	rules:   func() []*diagnose.Rule { return diagnose.Rules },
}

// sniffCommand makes the subcommand.
func sniffCommand() *cobra.Command {
	o, s := &options{live: true}, &sniffing{}
	v := sniffView
	v.flags = func(o *options) []flagGroup {
		monitored := s.monitored.flagSet()
		o.spans.addTo(monitored)
		return append(findingFlags(o), flagGroup{flagsRules, o.skipFlag()}, flagGroup{flagsCapture, s.flagSet()}, flagGroup{flagsKept, s.kept.flagSet()},
			flagGroup{flagsMonitored, monitored}, flagGroup{flagsOutput, refreshFlag(&s.top.refresh)})
	}
	c := &cobra.Command{
		Use: "sniff [FLAGS] -i INTERFACE | -", Short: v.short, Long: sniffText, Example: sniffExamples,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			if told, err := v.tellRules(o, c.OutOrStdout()); told || err != nil {
				return err
			}
			o.files, s.faceChosen = args, c.Flags().Changed("face")
			s.userChosen = c.Flags().Changed("user")
			return s.run(c.Context(), o, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	o.addTo(c, &v)
	c.Flags().Lookup("port").Usage = "only TCP connections of this port, and take them for Pulsar whatever they begin with; again for more ports"
	return c
}

func (s *sniffing) flagSet() *pflag.FlagSet {
	l := &s.live
	l.Buffer, l.Snap, s.face, s.user = live.DefaultBuffer, live.DefaultSnap, faces[0].name, defaultUser
	set := newFlagSet()
	set.VarP(words{&l.Interfaces, "NAME"}, "interface", "i", "capture from this interface; again, or with commas, for more; any: from all")
	set.Var(hosts{&l.Filter.Nets}, "host", "only packets from or to this address; again for more")
	set.Var(nets{&l.Filter.Nets}, "net", "only packets from or to this network: 10.1.0.0/16; again for more")
	set.BoolVarP(&l.Promiscuous, "promiscuous", "p", false, "take what is meant for other machines, too")
	set.Var(size[int]{&l.Snap}, "snaplen", "bytes of each packet that are captured")
	set.Var(size[int]{&l.Buffer}, "buffer", "what the kernel keeps while the output waits")
	set.StringVar(&s.follow, "follow", "", "read a capture file that is being written, or all that a pattern names, one after another: '/var/tmp/dump*.pcap'")
	set.Var(choice[string]{&s.face, faceNames()}, "face", "what is shown; events unless chosen where the output is JSON")
	set.Var(span{&s.duration}, "duration", "end after this time")
	set.Var(number{&s.count}, "count", "end after so many packets")
	set.StringVar(&s.user, "user", s.user, "whom root becomes once capture has begun")
	return set
}

func faceNames() (names []string) {
	for _, f := range faces {
		names = append(names, f.name)
	}
	return names
}

// chosenFace is the view whose rows are shown.
func (s *sniffing) chosenFace(o *options) *view {
	name := s.face
	if o.format == render.JSONLines && !s.faceChosen {
		name = events.name
	}
	i := slices.IndexFunc(faces, func(f face) bool { return f.name == name })
	return faces[i].view
}

// view is the chosen face with findings between its rows.
func (s *sniffing) view(o *options) *view {
	v := *s.chosenFace(o)
	if v.name == tuiView.name {
		return &v
	}
	rows := v.sink
	v.rules = sniffView.rules
	v.needs.findings = true
	onlyFindings := len(v.rows) == 0
	v.sink = func(w io.Writer, o render.Options) render.Sink {
		if onlyFindings {
			return render.NewLive(nil, w, o)
		}
		return render.NewLive(rows(w, o), w, o)
	}
	if onlyFindings {
		v.reports = map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink{
			render.JSONLines: func(w io.Writer, o render.Options, _ render.Report) render.Sink { return render.NewLiveFindings(w, o) },
		}
	}
	return &v
}

// check tells what is wrong with the flags as a whole.
func (s *sniffing) check(o *options, v *view) error {
	piped := len(o.files) == 1 && o.files[0] == stdinPath
	switch {
	case len(o.files) > 0 && !piped:
		return wrongUse("A file that is being written: --follow FILE; a whole one: pulsar-dissect timeline FILE.", "sniff takes no file but -")
	case count(piped, len(s.live.Interfaces) > 0, s.follow != "") > 1:
		return wrongUse("Use one of them.", "-i, --follow and - at once")
	case count(piped, len(s.live.Interfaces) > 0, s.follow != "") == 0:
		return wrongUse("Name one: pulsar-dissect sniff -i any; or - or --follow FILE for what another program captures.", "no interface is named")
	case s.onScreen() && o.format != render.Table:
		return wrongUse("Leave out one of them.", "--face %s with -o %s", s.face, o.format)
	case v.sink == nil && !s.onScreen() && o.format != render.JSONLines:
		return wrongUse("Use -o json.", "--face %s has no form for people", s.face)
	case o.looked.failOn.set && !v.diagnoses(o):
		return wrongUse("Leave out --no-findings, --first, --type, --dir and --request-id.", "--fail-on without findings")
	}
	return firstOf(s.kept.check(), o.check())
}

// count says how many are true.
func count(given ...bool) (n int) {
	for _, b := range given {
		if b {
			n++
		}
	}
	return n
}

// words is the value of a flag that names things, several with commas.
type words struct {
	to       *[]string
	argument string
}

// Set adds names.
func (w words) Set(text string) error {
	*w.to = append(*w.to, strings.Split(text, ",")...)
	return nil
}

func (w words) String() string { return "" }

// Type is how help texts call the value.
func (w words) Type() string { return w.argument }

// hosts is the value of a flag that names hosts.
type hosts struct{ to *[]netip.Prefix }

// Set adds the addresses of a host.
func (h hosts) Set(text string) error {
	found := []string{text}
	if _, err := netip.ParseAddr(text); err != nil {
		if found, err = net.LookupHost(text); err != nil {
			return fmt.Errorf("%q is no address, and no host of that name is known: %w", text, err)
		}
	}
	for _, address := range found {
		a, err := netip.ParseAddr(address)
		if err != nil {
			return err
		}
		a = a.Unmap().WithZone("")
		*h.to = append(*h.to, netip.PrefixFrom(a, a.BitLen()))
	}
	return nil
}

func (h hosts) String() string { return "" }

// Type is how help texts call the value.
func (h hosts) Type() string { return "HOST" }

// nets is the value of a flag that names networks.
type nets struct{ to *[]netip.Prefix }

// Set adds a network.
func (n nets) Set(text string) error {
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return fmt.Errorf("%q is no network: write 10.1.0.0/16 or fd00::/8", text)
	}
	*n.to = append(*n.to, p)
	return nil
}

func (n nets) String() string { return "" }

// Type is how help texts call the value.
func (n nets) Type() string { return "NET" }
