package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"pulsar-dissect/render"
)

// prompt is a line that is being typed.
type prompt struct {
	question string
	text     string
	then     func(m *Model, text string)
}

// maxPrompt is how many bytes can be typed.
const maxPrompt = 4096

func (m *Model) ask(question, text string, then func(*Model, string)) {
	m.prompt = &prompt{question, text, then}
}

// answer takes a key, with the text that it stands for.
func (m *Model) answer(key, text string) {
	p := m.prompt
	switch key {
	case "enter":
		m.prompt = nil
		p.then(m, strings.TrimSpace(p.text))
	case "esc":
		m.prompt = nil
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-size]
	case "ctrl+u":
		p.text = ""
	default:
		p.insert(text)
	}
}

// insert appends what is typed or pasted, without what is no text.
func (p *prompt) insert(text string) {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if len(p.text)+len(text) <= maxPrompt {
		p.text += text
	}
}

// draw gives the line; of a long text its end.
func (p *prompt) draw(to *render.Painter) string {
	to.Begin()
	to.Put(render.Cell{Style: render.Heading, Text: p.question})
	text := p.text
	for room := to.Width() - to.At() - 1; render.Columns(text) > max(room, 1); {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	to.Put(render.Cell{Text: text})
	to.Put(render.Cell{Style: render.Chosen, Text: "_"})
	return to.End()
}
