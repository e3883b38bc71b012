package render

import (
	"strings"

	"github.com/fatih/color"
)

// style is what a piece of text means to its reader.
type style uint8

const (
	plain    style = iota
	faint          // what is there on every line
	heading        // titles
	subject        // what a line is about
	toServer       // what the client sends
	toClient       // what the broker sends
	good
	doubtful
	wrong
	chosen // the row of a list that keys act on
	styles // their number
)

var looks = [styles][]color.Attribute{
	faint:    {color.Faint},
	heading:  {color.Bold},
	subject:  {color.FgCyan},
	toServer: {color.FgBlue},
	toClient: {color.FgMagenta},
	good:     {color.FgGreen},
	doubtful: {color.FgYellow},
	wrong:    {color.FgRed, color.Bold},
	chosen:   {color.ReverseVideo},
}

// palette has what turns each style on and off; empty without colour.
type palette [styles]struct{ on, off string }

func newPalette(colored bool) *palette {
	p := &palette{}
	if !colored {
		return p
	}
	for s, look := range looks {
		if look == nil {
			continue
		}
		c := color.New(look...)
		c.EnableColor()
		p[s].on, p[s].off, _ = strings.Cut(c.Sprint("\x00"), "\x00")
	}
	return p
}

// paint gives text in a style.
func (p *palette) paint(s style, text string) string {
	if text == "" {
		return ""
	}
	return p[s].on + text + p[s].off
}
