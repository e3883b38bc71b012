package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/render"
	"pulsar-dissect/rewrite/extract"
)

// extracting is what the flags of extract set, and the folder.
type extracting struct {
	dir    string
	limits extract.Limits
	folder *extract.Folder
}

func extractCommand() *cobra.Command {
	x := &extracting{limits: extract.Limits{Files: extract.DefaultFiles, Bytes: extract.DefaultBytes}}
	v := extractView
	v.flags = func(*options) []flagGroup { return []flagGroup{{flagsWritten, x.flagSet()}} }
	v.sink = func(w io.Writer, _ render.Options) render.Sink { return &extractSink{x.folder, w} }
	c := v.command()
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if x.dir == "" {
			return wrongUse("Name it with -d: pulsar-dissect extract -d payloads capture.pcap", "no folder to write to is named")
		}
		if len(args) == 0 {
			return run(c, args)
		}
		if x.folder, err = extract.Open(x.dir, x.limits); err != nil {
			return inputError{err}
		}
		return errors.Join(run(c, args), x.folder.Close())
	}
	return c
}

var extractView = view{
	name:  "extract",
	short: "Payloads to files, one each",
	long: `Writes the payload of every message that the filters let through to a file of its
own, decompressed, decrypted where there is a key, and put together from chunks. A
file is named by topic, ledger, entry, and the index in the batch; where the id of a
message that was sent is not known, by producer and sequence id. What is delivered
again, or sent and delivered, is written once. The folder has to be empty.`,
	example: `  pulsar-dissect extract -d payloads --topic orders capture.pcap
  pulsar-dissect extract -d bad --filter 'redelivery_count > 3' capture.pcap
  pulsar-dissect extract -d sent --type SEND --first 100 --decrypt-key private.pem capture.pcap`,
	formats: []render.Format{render.Table},
	rows:    messageKinds,
	records: messageKinds,
	needs:   needs{messages: true},
	context: receipts,
	without: []string{"last", "output", "color", "max-payload", "payload", "show-secrets", "wall-clock", "no-sha256"},
}

func (x *extracting) flagSet() *pflag.FlagSet {
	set := newFlagSet()
	set.StringVarP(&x.dir, "folder", "d", "", "the folder; it is made if it is not there")
	set.Var(number{&x.limits.Files}, "max-files", "files at most")
	set.Var(size[int64]{&x.limits.Bytes}, "max-bytes", "bytes at most, of all files")
	return set
}

// extractSink hands events to the folder.
type extractSink struct {
	*extract.Folder
	w io.Writer
}

// Close says what was written, and what was not.
func (s *extractSink) Close(*render.End) error {
	text := fmt.Sprintf("%s, %d bytes", some(s.Files, "file"), s.Bytes)
	for _, more := range []struct {
		n    int
		what string
	}{{s.Again, "the same again"}, {s.Unread, "not readable"}, {s.Refused, "beyond --max-files or --max-bytes"}} {
		if more.n > 0 {
			text += fmt.Sprintf("; %s %s", some(more.n, "message"), more.what)
		}
	}
	_, err := fmt.Fprintln(s.w, text)
	return err
}
