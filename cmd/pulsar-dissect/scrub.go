package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/rewrite/pcapng"
	"pulsar-dissect/rewrite/scrub"
)

// scrubOptions are what the flags of scrub set.
type scrubOptions struct {
	*options
	to            string
	seed          string
	topics, names bool
}

func scrubCommand() *cobra.Command {
	o := &scrubOptions{options: &options{}}
	c := &cobra.Command{
		Use:   "scrub [FLAGS] -w OUT.pcapng FILE...",
		Short: "A capture to give away: without payloads, tokens, keys and addresses",
		Long: `Writes a capture with the same segments at the same times, in which payloads, tokens,
encryption keys, message keys, values of properties, principals and all addresses are
replaced: each by one of the same length, so that sizes, batches, compression and
checksums stay what they were, and the findings, too. The same text always becomes
the same one; --seed makes that repeatable. Names of topics, subscriptions, producers
and consumers, versions, and schemas stay, unless --topics or --names has them
replaced. Of TLS the headers of records, alerts, versions, ciphers and sizes stay, and
of certificates until when they are valid; the rest is overwritten, with keys or
without: so the findings are those of diagnose without keys. Of other protocols, such as HTTP, the first bytes stay that tell which it
is. Left out are packets other than TCP segments, secrets of TLS in the capture, and
what is around segments: tunnels, MAC addresses, TCP options.`,
		Example: `  pulsar-dissect scrub -w public.pcapng capture.pcap
  pulsar-dissect scrub --topics --names -w public.pcapng capture.pcap
  pulsar-dissect slice --finding permit-leak --whole -w proof.pcapng capture.pcap && pulsar-dissect scrub -w public.pcapng proof.pcapng`,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return o.run(c.Context(), streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	set := newFlagSet()
	set.StringVarP(&o.to, "write", "w", "", "the file to write; - for standard output")
	set.StringVar(&o.seed, "seed", "", "a text on which all replacements depend; keep it secret. Without it they are different each time")
	set.BoolVar(&o.topics, "topics", false, "replace names of topics and namespaces, too")
	set.BoolVar(&o.names, "names", false, "replace names of subscriptions, producers and consumers, too")
	addFlags(c, flagGroup{flagsWritten, set}, nil)
	addFlags(c, flagGroup{flagsInput, o.inputFlags()}, []string{"tls-keylog", "tls-key", "decrypt-key", "schema"})
	addFlags(c, flagGroup{flagsLimits, o.limits.flagSet()}, nil)
	c.Flags().SortFlags = false
	return c
}

func (o *scrubOptions) run(ctx context.Context, s streams) error {
	switch {
	case len(o.files) == 0:
		return wrongUse("Name one: pulsar-dissect scrub -w OUT.pcapng capture.pcap.", "no capture file is named")
	case o.to == "":
		return wrongUse("Name it with -w: pulsar-dissect scrub -w OUT.pcapng FILE", "no file to write is named")
	case slices.Contains(o.files, stdinPath):
		return wrongUse("Save it to a file first.", "scrub reads its input twice, which standard input does not allow")
	}
	c := newConsole(s.err)
	defer c.hide()
	made, err := scrub.NewStreams(scrub.Options{Seed: o.seedBytes(), Topics: o.topics, Names: o.names})
	if err != nil {
		return inputError{err}
	}
	err = o.scrub(ctx, made, s, c)
	return errors.Join(err, made.Close())
}

func (o *scrubOptions) seedBytes() []byte {
	if o.seed != "" {
		return []byte(o.seed)
	}
	return []byte(rand.Text())
}

func (o *scrubOptions) scrub(ctx context.Context, made *scrub.Streams, s streams, c *console) error {
	failed, err := o.makeStreams(ctx, made, c)
	if err != nil {
		return err
	}
	source, err := o.openAgain(newConsole(io.Discard)) // warnings have been given
	if err != nil {
		return err
	}
	defer source.Close()
	var n scrub.Counts
	err = writeCapture(o.to, o.inputs(), s, func(w io.Writer) (err error) {
		out := pcapng.New(w, "pulsar-dissect "+programVersion())
		n, err = made.Copy(source.Packets(), o.limits.segment, out)
		if out.Err() != nil {
			return writing(out.Err())
		}
		if input := (*capture.Error)(nil); err != nil && !errors.As(err, &input) {
			return inputError{err}
		}
		return nil
	}, func() {
		c.tell(fmt.Sprintf("wrote %d of %d packets: %s", n.Packets, n.Of, o.to))
		if made.Unfit > 0 {
			c.tell(fmt.Sprintf("warning: %d compressed entries could not be made anew in their size: they cannot be read in the result", made.Unfit))
		}
	})
	if err == nil && failed {
		return errReported
	}
	return err
}

// makeStreams runs the stages up to frames. failed says that an input could not
// be read to its end.
func (o *scrubOptions) makeStreams(ctx context.Context, made *scrub.Streams, c *console) (failed bool, err error) {
	source, err := o.openAgain(c)
	if err != nil {
		return false, err
	}
	defer source.Close()
	assembler := reassembly.New(o.limits.reassembly, segment.NewParser(o.limits.segment))
	decrypter, err := decrypt.New(decrypt.Options{Raw: made.Records, Limits: o.limits.decrypt})
	if err != nil {
		return false, err
	}
	for e, err := range decode.New(o.limits.decode, o.ports).Events(decrypter.Events(assembler.Events(source.Packets()))) {
		switch {
		case ctx.Err() != nil:
			return failed, ctx.Err()
		case err != nil:
			failed = true
			c.tell(err.Error())
			continue
		}
		if err := made.Event(e); err != nil {
			return failed, inputError{err}
		}
	}
	if len(source.Secrets()) > 0 {
		c.tell("warning: secrets of TLS in the capture are left out, and what they open is overwritten: the findings are those without keys")
	}
	return failed, nil
}
