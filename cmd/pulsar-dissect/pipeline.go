package main

import (
	"context"
	"iter"
	"sync/atomic"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// packetSource is where packets come from: files, or interfaces.
type packetSource interface {
	Files() []string // names, by Packet.File
	Packets() iter.Seq2[capture.Packet, error]
	Secrets() [][]byte // TLS key logs that came with the packets
	Stats() capture.Stats
}

// pipeline are the stages between captures and a face.
type pipeline struct {
	source    packetSource
	parser    *segment.Parser
	assembler *reassembly.Assembler
	decrypter *decrypt.Decrypter
	decoder   *decode.Decoder
	session   *session.Session

	extents *reassembly.Extents // are told where bytes came from; nil: nobody asks

	seen  seen                       // of all that passed
	heed  []func(*session.Event)     // take every event, whatever is shown
	files *fileSpans                 // nil where there is one file
	began func(first int64)          // is told the time of the first packet, ns
	taken func(*capture.Packet) bool // is given each packet before it is looked at, and tells whether more are wanted; nil: they are
	quiet *quiet                     // is told of the time of each packet; nil: the run is not live
	stop  atomic.Bool                // no more packets are wanted
}

func newPipeline(source packetSource, o *options, n needs) (*pipeline, error) {
	decrypter, err := newDecrypter(source, o)
	if err != nil {
		return nil, err
	}
	p := &pipeline{source: source, parser: segment.NewParser(o.limits.segment), decrypter: decrypter, seen: seen{filter: &o.filter, captured: o.lookAgain()}}
	if len(source.Files()) > 1 {
		p.files = &fileSpans{}
	}
	p.assembler = reassembly.New(o.limits.reassembly, p.parser)
	p.decoder = decode.New(o.limits.decode, o.ports)
	p.session = session.New(session.Options{
		Limits:     o.limits.session,
		NoMessages: !n.messages && o.spans.to == nil && (!n.values || o.format == render.JSONLines),
		OnlyValues: !n.messages && o.spans.to == nil,
		Keys:       o.keys.loaded,
		Schemas:    o.schemas.byTopic,
		NoSum:      o.noSum || !n.sums || !o.format.IsRecords(),
	})
	return p, nil
}

// events runs the stages. When ctx is cancelled no more packets are read; what
// has been read is given out to its end.
func (p *pipeline) events(ctx context.Context) iter.Seq2[*session.Event, error] {
	context.AfterFunc(ctx, func() { p.stop.Store(true) })
	plain := p.decrypter.Events(p.assembler.Events(p.packets))
	if p.extents != nil {
		plain = p.extents.Watch(plain)
	}
	return p.session.Events(p.decoder.Events(plain))
}

func (p *pipeline) packets(yield func(capture.Packet, error) bool) {
	first := true
	for packet, err := range p.source.Packets() {
		if p.stop.Load() {
			return
		}
		if first && err == nil {
			first = false
			p.began(packet.Time)
		}
		if p.files != nil && err == nil {
			p.files.add(packet.Number, packet.File)
		}
		if p.quiet != nil && err == nil {
			p.quiet.packet(packet.Time)
		}
		more := true
		if err == nil && p.taken != nil {
			asked := packet // packet itself would be on the heap then, each one, also where nobody asks
			more = p.taken(&asked)
		}
		if !yield(packet, err) || !more {
			return
		}
	}
}

// end is what the stages counted.
func (p *pipeline) end() *render.End {
	return &render.End{Nothing: p.seen.why(), Totals: summary.Totals{
		Capture:    p.source.Stats(),
		Segments:   p.parser.Stats(),
		Reassembly: p.assembler.Counters(),
		Decrypt:    p.decrypter.Counters(),
		Decode:     p.decoder.Counters(),
		Session:    p.session.Counters(),
	}}
}
