package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/reassembly"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// place is where a frame to be shown lies.
type place struct {
	packet *uint64 // that has bytes of it; nil: any
	offset *int64  // in its stream, of any of its bytes; nil: any
}

func showCommand() *cobra.Command {
	p := &place{}
	all := &options{}
	v := showView
	v.extents = &reassembly.Extents{}
	v.flags = func(o *options) []flagGroup {
		all, o.first = o, 1
		return []flagGroup{{flagsFilter, p.flagSet()}}
	}
	v.also = func(e *session.Event) bool { return p.has(e, v.extents) }
	v.sink = func(w io.Writer, o render.Options) render.Sink {
		return render.NewDissection(w, o, v.extents, all.keys.loaded)
	}
	v.reports = map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink{
		render.JSONLines: func(w io.Writer, o render.Options, _ render.Report) render.Sink { return v.sink(w, o) },
	}
	c := v.command()
	c.Flags().Lookup("first").DefValue = "1"
	c.PreRun = func(c *cobra.Command, _ []string) {
		if c.Flags().Changed("last") && !c.Flags().Changed("first") {
			all.first = 0
		}
	}
	return c
}

var showView = view{
	name:  "show",
	short: "A frame byte by byte, and what each byte means",
	long: `Shows the bytes of a frame beside what they mean: sizes, each field of the command
and of the metadata with its number and wire type, which bytes the checksum covers,
and the messages of the entry, decompressed and out of their batch; and in which
TCP segments the frame lies. That is the first frame which the filters let through;
--first 3 shows three.`,
	example: `  pulsar-dissect show --packet 17 capture.pcap
  pulsar-dissect show --conn c2 --dir c2s --offset 1310 capture.pcap
  pulsar-dissect show --type SEND --topic orders --bad capture.pcap | less -R
  pulsar-dissect show --packet 17 -o json capture.pcap | jq '.parts[] | select(.faults)'`,
	formats: forPeople,
	rows:    []session.Kind{session.FrameSeen},
	records: []session.Kind{session.FrameSeen},
	without: []string{"no-sha256"},
}

func (p *place) flagSet() *pflag.FlagSet {
	set := newFlagSet()
	set.Var(placed{"N", func(text string) error { return p.setPacket(text) }}, "packet", "frames with bytes in this packet")
	set.Var(placed{"N", func(text string) error { return p.setOffset(text) }}, "offset", "frames with this byte of their direction's stream")
	return set
}

func (p *place) setPacket(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is no number of a packet: they count from 1", text)
	}
	p.packet = &n
	return nil
}

func (p *place) setOffset(text string) error {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no offset: bytes count from 0", text)
	}
	p.offset = &n
	return nil
}

// has says whether a frame lies there. Between the packets of a frame there are
// those of others: the segments tell.
func (p *place) has(e *session.Event, x *reassembly.Extents) bool {
	f := e.Frame
	if p.offset != nil && (*p.offset < f.Offset || *p.offset >= f.Offset+f.Size) {
		return false
	}
	if p.packet == nil {
		return true
	}
	if *p.packet < f.First.Packet && *p.packet < f.Last.Packet || *p.packet > f.First.Packet && *p.packet > f.Last.Packet {
		return false
	}
	for _, s := range x.Of(e.Conn.ID, e.Conn.SideOf(e.Direction), f.Offset, f.Offset+int64(len(f.Bytes))) {
		if s.At.Packet == *p.packet {
			return true
		}
	}
	return false
}

// placed is the value of a flag that names a place.
type placed struct {
	argument string
	set      func(string) error
}

// Set reads the value.
func (v placed) Set(text string) error { return v.set(text) }

func (v placed) String() string { return "" }

// Type is how help texts call the value.
func (v placed) Type() string { return v.argument }
