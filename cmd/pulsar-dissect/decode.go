package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pulsar-dissect/decode/anatomy"
	"pulsar-dissect/render"
)

// decodeOptions are what the flags of decode set.
type decodeOptions struct {
	*options
	as   anatomy.Form     // empty: guessed
	from anatomy.Notation // empty: told by looking
}

// mostDecoded is how many bytes decode reads, as text.
const mostDecoded = 256 << 20

func decodeCommand() *cobra.Command {
	o := &decodeOptions{options: &options{}}
	c := &cobra.Command{
		Use:   "decode [FLAGS] BYTES|FILE|-",
		Short: "Bytes from a log or a debugger, and what each one means",
		Long: `Explains bytes as show does, without a capture: frames, a command (BaseCommand),
metadata (MessageMetadata), an entry as bookies store it, the plain payload of a
batch, or a position (MessageIdData, as MessageId.toByteArray gives it). BYTES are
hexadecimal or Base64, dumps by xxd, hexdump -C, tcpdump -X, tshark -x or Netty, or
literals such as '\x00\x19' and [0, 25, -1]; FILE and standard input may hold such
text, or the bytes themselves. What the bytes were taken for is said.`,
		Example: `  pulsar-dissect decode 000000090000000508129201 00
  pulsar-dissect decode --as message-id CDMQAjAA
  pulsar-dissect decode --as metadata metadata.bin
  xclip -o | pulsar-dissect decode -
  pulsar-dissect decode -o json frame.hex | jq '.parts[].name'`,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(args, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	set := newFlagSet()
	set.Var(choice[anatomy.Form]{&o.as, anatomy.Forms()}, "as", "what the bytes are; without it that is guessed")
	set.Var(choice[anatomy.Notation]{&o.from, anatomy.Notations()}, "from", "how they are written down; without it that is guessed")
	set.Var(&o.keys, "decrypt-key", "private key for payloads that clients encrypted: a PEM file or a folder of them; again for more")
	addFlags(c, flagGroup{flagsInput, set}, nil)
	addFlags(c, flagGroup{flagsOutput, o.outputFlags(forPeople)}, []string{"wall-clock", "no-sha256", "no-progress"})
	c.Flags().SortFlags = false
	o.complete(c, forPeople)
	return c
}

func (o *decodeOptions) run(args []string, s streams) error {
	text, err := o.input(args, s.in)
	if err != nil {
		return err
	}
	data, notation, err := o.bytes(text)
	if err != nil {
		return err
	}
	form, why, err := o.form(data, notation)
	if err != nil {
		return err
	}
	why = strings.TrimPrefix(why+readAs(notation), ", ")
	out := newOutput(s.out, isTerminal(s.out))
	defer out.stop()
	ro := o.rendering(nil, out)
	a, err := render.MakeAnatomy(form, data, ro, o.keys.loaded)
	if err != nil {
		return err
	}
	if err := render.WriteAnatomy(out, ro, a, form, why); err != nil {
		return writing(err)
	}
	return out.flush()
}

// input gives what is on the command line, in a file or on standard input.
func (o *decodeOptions) input(args []string, stdin io.Reader) ([]byte, error) {
	switch {
	case len(args) == 0:
		return nil, wrongUse("Write them behind it, name a file, or - for standard input: pulsar-dissect decode 08331002", "no bytes are given")
	case len(args) > 1:
		return []byte(strings.Join(args, " ")), nil
	case args[0] == stdinPath:
		return readBounded(stdin, "standard input")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return []byte(args[0]), nil // no file: the bytes themselves
	}
	defer f.Close()
	return readBounded(f, args[0])
}

func readBounded(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, mostDecoded+1))
	switch {
	case err != nil:
		return nil, inputError{fmt.Errorf("%s: %w", name, err)}
	case len(b) > mostDecoded:
		return nil, inputError{fmt.Errorf("%s: more than %d bytes; is it a capture? pulsar-dissect show reads those", name, mostDecoded)}
	}
	return b, nil
}

func (o *decodeOptions) bytes(text []byte) (data []byte, n anatomy.Notation, err error) {
	if n = o.from; n == "" {
		data, n = anatomy.ReadAny(text)
	} else if data, err = anatomy.ReadAs(n, text); err != nil {
		return nil, "", wrongUse("Leave --from out to have it guessed.", "%w", err)
	}
	if len(data) == 0 {
		return nil, "", inputError{errors.New("there are no bytes to decode")}
	}
	return data, n, nil
}

// readAs says what the text was taken for, if it was text.
func readAs(n anatomy.Notation) string {
	if n == anatomy.Raw {
		return ""
	}
	return ", read as " + string(n)
}

// form is what the bytes are taken for, and why.
func (o *decodeOptions) form(data []byte, n anatomy.Notation) (f anatomy.Form, why string, err error) {
	if o.as != "" {
		return o.as, "", nil
	}
	f, why, ok := anatomy.Guess(data)
	if !ok {
		return "", "", inputError{fmt.Errorf("%d bytes%s, which begin with %.16x: no frame, command, metadata, entry, batch or position. --as FORM forces one; --from says how bytes are written down",
			len(data), readAs(n), data)}
	}
	return f, why, nil
}
