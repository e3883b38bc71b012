package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pulsar-dissect/reassembly"
	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
	"pulsar-dissect/render/tui"
	"pulsar-dissect/session"
	"pulsar-dissect/session/trace"
)

// rereading are what the screen can have read again from files.
func (s *display) rereading(files []string) tui.Actions {
	r := rereader{options: s.options, files: files}
	return tui.Actions{Frame: r.frame, Follow: r.follow, Export: r.export}
}

// rereader reads captures once more, as they were read before: frames have the
// same places then.
type rereader struct {
	options *options
	files   []string
}

// pass runs the stages until no more is wanted. What is wrong with the input has
// been told. The time of the first packet is told to ro.
func (r *rereader) pass(ctx context.Context, n needs, ro *render.Options, extents *reassembly.Extents, want func(*session.Event) (more bool, err error)) (*render.End, error) {
	o := *r.options
	o.files, o.format = r.files, ro.Format
	source, err := o.openAgain(newConsole(io.Discard))
	if err != nil {
		return nil, err
	}
	defer source.Close()
	p, err := newPipeline(source, &o, n)
	if err != nil {
		return nil, err
	}
	p.extents, p.began = extents, func(ns int64) { *ro.Start = ns }
	for e, err := range p.events(ctx) {
		if err != nil {
			continue
		}
		if more, err := want(e); err != nil || !more {
			return p.end(), err
		}
	}
	return p.end(), ctx.Err()
}

// frame shows the bytes of a frame.
func (r *rereader) frame(ctx context.Context, at tui.Place, ro render.Options) (string, error) {
	var text strings.Builder
	ro.MaxPayload, ro.ShowSecrets, ro.Start = r.options.payload(), r.options.showSecrets, new(int64)
	extents := &reassembly.Extents{}
	face := render.NewDissection(&text, ro, extents, r.options.keys.loaded)
	_, err := r.pass(ctx, needs{}, &ro, extents, func(e *session.Event) (bool, error) {
		if e.Kind != session.FrameSeen || placeOf(e) != at {
			return true, nil
		}
		return false, face.Event(e)
	})
	return text.String(), err
}

func placeOf(e *session.Event) tui.Place {
	return tui.Place{Offset: e.Offset, Conn: int32(e.Conn.ID), Direction: e.Direction}
}

// follow tells what happened to a message.
func (r *rereader) follow(ctx context.Context, want trace.Want, ro render.Options) (string, error) {
	var text strings.Builder
	ro.Limits.Trace, ro.Start = r.options.limits.trace, new(int64)
	face := render.NewTrace(&text, ro, want)
	end, err := r.pass(ctx, needs{messages: true}, &ro, nil, func(e *session.Event) (bool, error) { return true, face.Event(e) })
	if err != nil {
		return "", err
	}
	err = face.Close(end)
	return text.String(), err
}

// export writes frames to a file: as a capture where its name says so, else as
// records.
func (r *rereader) export(ctx context.Context, places map[tui.Place]bool, path string) (said string, err error) {
	if path == stdinPath {
		return "", errors.New("the screen is on standard output: name a file")
	}
	chosen := func(e *session.Event) bool { return places[placeOf(e)] }
	o := *r.options
	o.files, o.filter = r.files, filter.Filter{} // which let through what was listed
	if strings.HasSuffix(path, ".pcapng") {
		return o.exportCapture(ctx, chosen, path)
	}
	n := 0
	err = writeCapture(path, o.inputs(), streams{}, func(w io.Writer) error {
		ro := render.Options{Format: render.JSONLines, Files: r.files, MaxPayload: o.payload(), ShowSecrets: o.showSecrets, Start: new(int64)}
		face := render.NewRecords(w, ro, session.FrameSeen, session.MessageSeen)
		_, err := r.pass(ctx, needs{messages: true, sums: true}, &ro, nil, func(e *session.Event) (bool, error) {
			if (e.Kind != session.FrameSeen && e.Kind != session.MessageSeen) || !chosen(e) {
				return true, nil
			}
			n++
			return true, face.Event(e)
		})
		return err
	}, func() { said = fmt.Sprintf("wrote %s: %s", some(n, "record"), path) })
	return said, err
}

// exportCapture writes the packets of events, with what a reader needs besides.
func (o *options) exportCapture(ctx context.Context, chosen func(*session.Event) bool, path string) (string, error) {
	cut := &sliceOptions{options: o, to: path, chosen: chosen}
	var said bytes.Buffer
	c := newConsole(&said)
	picker, _, err := cut.pick(ctx, &sliceView, newConsole(io.Discard))
	if err == nil {
		err = cut.write(picker, streams{}, c)
	}
	return strings.TrimPrefix(strings.TrimSpace(said.String()), "pulsar-dissect: "), err
}
