package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"pulsar-dissect/capture"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
	"pulsar-dissect/rewrite/pcapng"
	"pulsar-dissect/rewrite/slice"
	"pulsar-dissect/session"
	"pulsar-dissect/session/trace"
)

// sliceOptions are what the flags of slice set.
type sliceOptions struct {
	*options
	to      string
	message *trace.Entry
	finding []*diagnose.Rule
	whole   bool
	secrets bool
	chosen  func(*session.Event) bool // what is wanted, in place of the above; nil: nobody chose
}

// sliceView is what the runs of slice have of a view.
var sliceView = view{
	name:  "slice",
	short: "A small capture of a connection, a message, a finding, or what filters let through",
	long: `Cuts out packets and writes them to a pcapng file: those of all frames that the
filters let through, of the evidence of a finding, or of a message from its SEND to
its acknowledgements. With them go the handshake and the end of each connection, the
commands that open it, its producers and its consumers, and the frame behind each
one, by which a reader finds where that begins. --conn and nothing else takes all of
a connection, and --whole all of each connection that is concerned, with --finding of
those too that have its topic: then what is found in the whole capture is found in
the slice, unless it hangs on when that ended. A TLS connection always goes as a whole; its secrets do not, unless --with-secrets says so. Packets of evidence
carry a comment. Payloads stay in: scrub takes those out.`,
	example: `  pulsar-dissect slice --conn c3 -w c3.pcapng capture.pcap
  pulsar-dissect slice --message 51:2 -w message.pcapng rotated-*.pcap
  pulsar-dissect slice --finding permit-starvation --topic orders --whole -w proof.pcapng capture.pcap
  pulsar-dissect slice --bad --since +10s -w bad.pcapng capture.pcap`,
	formats: []render.Format{render.Table},
	rows:    allKinds,
	records: allKinds,
	needs:   needs{findings: true, messages: true},
	without: append([]string{"first", "last", "output", "color", "max-payload", "show-secrets", "wall-clock", "no-sha256"},
		"rules", "severity", "fail-on", "explain", "list-rules"),
}

func sliceCommand() *cobra.Command {
	o := &sliceOptions{options: &options{}}
	v := sliceView
	v.flags = findingFlags
	c := &cobra.Command{
		Use: v.name + " [FLAGS] -w OUT.pcapng FILE...", Short: v.short, Long: v.long, Example: v.example,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return o.run(c.Context(), &v, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	set := newFlagSet()
	set.StringVarP(&o.to, "write", "w", "", "the file to write; - for standard output")
	set.Var(wanted{"L:E", func(text string) (err error) { o.message, err = entryOf(text); return err }}, "message", "the message with this id: SEND, receipt, deliveries, acknowledgements")
	set.Var(ruleNames{&o.finding}, "finding", "the evidence of what this rule finds")
	set.BoolVar(&o.whole, "whole", false, "all packets of each connection that is concerned")
	set.BoolVar(&o.secrets, "with-secrets", false, "also the TLS secrets of these connections, from --tls-keylog or the capture")
	addFlags(c, flagGroup{flagsCut, set}, nil)
	o.addTo(c, &v)
	return c
}

func (o *sliceOptions) run(ctx context.Context, v *view, s streams) error {
	if err := o.checkSlice(v); err != nil {
		return err
	}
	c := newConsole(s.err)
	defer c.hide()
	picker, failed, err := o.pick(ctx, v, c)
	if err != nil {
		return err
	}
	if len(picker.Connections()) == 0 {
		return inputError{fmt.Errorf("nothing to cut out: %s. Nothing was written", o.missing())}
	}
	if err := o.write(picker, s, c); err != nil {
		return err
	}
	if failed {
		return errReported
	}
	return nil
}

func (o *sliceOptions) missing() string {
	switch {
	case len(o.finding) > 0:
		return "the rule found nothing there; diagnose lists what is found"
	case o.message != nil:
		return "no such message was seen; messages lists ids"
	}
	return "the filters let nothing through"
}

func (o *sliceOptions) checkSlice(v *view) error {
	switch {
	case o.to == "":
		return wrongUse("Name it with -w: pulsar-dissect slice --conn c0 -w OUT.pcapng FILE", "no file to write is named")
	case slices.Contains(o.files, stdinPath):
		return wrongUse("Save it to a file first.", "slice reads its input several times, which standard input does not allow")
	case o.filter.Empty() && o.message == nil && o.finding == nil:
		return wrongUse("Use --conn, --message, --finding or a filter; 'pulsar-dissect slice --help' lists them.", "nothing says what to cut out")
	case o.message != nil && o.finding != nil:
		return wrongUse("Use one of them.", "--message and --finding at once")
	}
	if o.looked.rules = o.finding; o.finding != nil && !v.diagnoses(o.options) {
		return wrongUse("Leave out --type, --dir and --request-id: findings are about more than frames.", "--finding with filters of frames")
	}
	return v.check(o.options)
}

// pick finds out which packets are wanted. failed says that an input could not
// be read to its end.
func (o *sliceOptions) pick(ctx context.Context, v *view, c *console) (p *slice.Picker, failed bool, err error) {
	p = slice.NewPicker()
	failed, err = o.pass(ctx, v, c, p, o.want(p))
	if err == nil && p.Marked() {
		_, err = o.pass(ctx, v, newConsole(io.Discard), p, func(*session.Event) {}) // what is wrong with the input has been told
	}
	if o.whole {
		p.Whole()
	}
	return p, failed, err
}

// want chooses among the events that filters let through.
func (o *sliceOptions) want(p *slice.Picker) func(*session.Event) {
	switch {
	case o.chosen != nil:
		return func(e *session.Event) {
			if o.chosen(e) {
				p.Want(e)
			}
		}
	case o.finding != nil:
		return func(*session.Event) {}
	case o.message != nil:
		return func(e *session.Event) {
			if slice.About(e, o.message.Ledger, o.message.Entry) {
				p.Want(e)
			}
		}
	}
	return p.Want
}

// pass runs the stages once.
func (o *sliceOptions) pass(ctx context.Context, v *view, c *console, p *slice.Picker, want func(*session.Event)) (failed bool, err error) {
	source, err := o.openAgain(c)
	if err != nil {
		return false, err
	}
	defer source.Close()
	ro := render.Options{Files: source.Files()}
	o.filter.Encode(render.NewJSON(ro.JSON()).Append)
	stages, err := newPipeline(source, o.options, needs{messages: o.message == nil})
	if err != nil {
		return false, err
	}
	stages.began = o.filter.Begin
	var d *diagnosis
	if o.finding != nil {
		d = v.newDiagnosis(o.options, &ro, &found{p: p})
	}
	for e, err := range stages.events(ctx) {
		if err != nil {
			failed = true
			c.tell(err.Error())
			continue
		}
		p.See(e)
		if o.filter.Match(e) {
			want(e)
		}
		if err := d.add(e); err != nil {
			return failed, err
		}
	}
	p.KeyLogs = source.Secrets()
	if err := ctx.Err(); err != nil {
		return failed, err
	}
	return failed, d.finish()
}

// found takes findings as what is wanted.
type found struct {
	render.Cells // which has no use for verdicts, and writes nothing
	p            *slice.Picker
}

// Event has no use for events.
func (f *found) Event(*session.Event) error { return nil }

// Findings chooses their evidence.
func (f *found) Findings(d *render.Diagnosis) error {
	for _, x := range d.Found {
		f.p.Finding(x)
	}
	return nil
}

// openAgain opens files that are read more than once.
func (o *options) openAgain(c *console) (*capture.Source, error) {
	source, err := capture.Open(o.files, capture.Options{Reorder: o.reorder, Partial: true, Warn: func(w capture.Warning) { c.tell("warning: " + w.String()) }})
	if err != nil {
		return nil, inputError{err}
	}
	return source, nil
}

// write reads the packets once more and writes those that are wanted.
func (o *sliceOptions) write(p *slice.Picker, s streams, c *console) error {
	source, err := o.openAgain(newConsole(io.Discard)) // warnings have been given
	if err != nil {
		return err
	}
	defer source.Close()
	var n slice.Counts
	return writeCapture(o.to, o.inputs(), s, func(w io.Writer) (err error) {
		out := pcapng.New(w, "pulsar-dissect "+programVersion())
		if o.secrets {
			if err := o.writeSecrets(out, p, c); err != nil {
				return err
			}
		}
		n, err = p.Copy(source.Packets(), source.Files(), o.limits.segment, out)
		if out.Err() != nil {
			return writing(out.Err())
		}
		if input := (*capture.Error)(nil); errors.As(err, &input) {
			return nil // it was told when the same file was read before
		}
		return err
	}, func() {
		c.tell(fmt.Sprintf("wrote %d of %d packets, of %s, %d bytes: %s", n.Packets, n.Of, some(n.Connections, "connection"), n.Bytes, o.to))
	})
}

// writeSecrets writes the secrets of the TLS connections that are cut out.
func (o *sliceOptions) writeSecrets(out *pcapng.Writer, p *slice.Picker, c *console) error {
	of := map[decrypt.Random]bool{}
	for _, conn := range p.Connections() {
		if f := decrypt.FactsOf(conn); f != nil {
			of[f.Random] = true
		}
	}
	var lines []byte
	for _, text := range p.KeyLogs {
		lines = append(lines, decrypt.KeyLogOf(text, of)...)
	}
	for _, path := range o.tlsKeyLogs {
		text, err := os.ReadFile(path)
		if err != nil {
			return inputError{err}
		}
		lines = append(lines, decrypt.KeyLogOf(text, of)...)
	}
	if len(lines) == 0 {
		c.tell("warning: --with-secrets: no secrets of these connections are at hand")
		return nil
	}
	return out.Secrets(lines)
}
