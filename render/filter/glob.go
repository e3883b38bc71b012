package filter

import "strings"

// glob is a text in which * stands for any text, also for none.
type glob []string

func newGlob(pattern string) glob { return strings.Split(pattern, "*") }

// match tells whether the pattern is the whole of text.
func (g glob) match(text string) bool {
	if len(g) == 1 {
		return text == g[0]
	}
	text, ok := strings.CutPrefix(text, g[0])
	if !ok {
		return false
	}
	last := len(g) - 1
	for _, part := range g[1:last] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, g[last])
}
