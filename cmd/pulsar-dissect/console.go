package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
)

// console is standard error: messages, and below them a progress bar.
type console struct {
	w     io.Writer
	began time.Time
	bar   *progressbar.ProgressBar // nil until there is progress
	shown bool                     // the bar is on the screen
}

// quick is how long work may take without a progress bar.
const quick = time.Second

func newConsole(w io.Writer) *console { return &console{w: w, began: time.Now()} }

// tell writes a message.
func (c *console) tell(text string) {
	c.hide()
	tell(c.w, fmt.Errorf("%s", text))
}

// say writes a message that is no news of trouble.
func (c *console) say(text string) {
	c.hide()
	say(c.w, text)
}

// warn tells of what does not end reading; of nothing that comes of stopping.
func (c *console) warn(ctx context.Context, text string) {
	if ctx.Err() == nil {
		c.tell("warning: " + text)
	}
}

// doubts tells of records that an expression could not judge.
func (c *console) doubts(f *filter.Filter) {
	if d := f.Doubts(); d.Records > 0 {
		c.tell(fmt.Sprintf("warning: --filter could not judge %d records, which are left out; the first: %v", d.Records, d.First))
	}
}

// keyLogs tells of key logs that were of no use.
func (c *console) keyLogs(p *pipeline) {
	for _, line := range p.uselessKeyLogs() {
		c.tell(line)
	}
}

// progress moves the bar, which is not shown before work turns out to be long.
// It is called every now and then.
func (c *console) progress(done, total int64) {
	if c.bar == nil {
		c.bar = newBar(c.w, total) // its clock starts
	}
	if time.Since(c.began) > quick {
		c.shown = true
		_ = c.bar.Set64(done) // see hide
	}
}

// hide takes the bar off the screen until there is more progress.
func (c *console) hide() {
	if c.shown {
		c.shown = false
		_ = c.bar.Clear() // a bar that stays is no harm
	}
}

func newBar(w io.Writer, total int64) *progressbar.ProgressBar {
	if total <= 0 {
		total = -1 // unknown
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowTotalBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionFullWidth(),
	)
}

// progress is what is told how far reading is: nobody, unless a person looks at
// standard error and rows do not fill the same screen.
func (v *view) progress(o *options, s streams, c *console) func(done, total int64) {
	busy := isTerminal(s.out) && (v.counted == nil || o.format == render.JSONLines && !v.summary)
	if o.noProgress || busy || !isTerminal(s.err) {
		return nil
	}
	return c.progress
}
