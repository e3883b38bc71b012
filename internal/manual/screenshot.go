package manual

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes of a screenshot, in pixels.
const (
	charWidth  = 8.43 // of a font of fontSize
	fontSize   = 14
	lineHeight = 19
	margin     = 16
)

// inks are the colours of a terminal, by the parameter of SGR (ECMA-48, 8.3.117).
var inks = map[int]string{
	31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#56d4dd", 37: "#ffffff",
}

// Screenshot draws what a terminal shows as SVG.
func Screenshot(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	for _, l := range lines {
		columns = max(columns, utf8.RuneCountInString(escapes.ReplaceAllString(l, "")))
	}
	width, height := int(float64(columns)*charWidth)+2*margin, len(lines)*lineHeight+2*margin
	b := &strings.Builder{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%[3]d" fill="#e6edf3">
`, width, height, fontSize)
	for i, l := range lines {
		drawLine(b, margin+fontSize+i*lineHeight, l)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// escapes are the sequences that set colours and weights.
var escapes = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// drawLine draws each word at its column, so that the width of a viewer's font
// does not matter to tables.
func drawLine(b *strings.Builder, y int, line string) {
	column, look := 0, ""
	for line != "" {
		at := escapes.FindStringSubmatchIndex(line)
		if at == nil {
			drawWords(b, column, y, line, look)
			return
		}
		column += drawWords(b, column, y, line[:at[0]], look)
		look, line = styled(look, line[at[2]:at[3]]), line[at[1]:]
	}
}

func drawWords(b *strings.Builder, column, y int, text, look string) (columns int) {
	for _, word := range strings.SplitAfter(text, " ") {
		if shown := strings.TrimSpace(word); shown != "" {
			fmt.Fprintf(b, `<text x="%.1f" y="%d"%s>`, margin+float64(column+columns)*charWidth, y, look)
			_ = xml.EscapeText(b, []byte(shown)) // a strings.Builder takes everything
			b.WriteString("</text>\n")
		}
		columns += utf8.RuneCountInString(word)
	}
	return columns
}

// styled is the look behind a sequence: attributes of a text element.
func styled(look, parameters string) string {
	for _, p := range strings.Split(parameters, ";") {
		n, err := strconv.Atoi(p)
		switch ink := inks[n]; {
		case err != nil || n == 0 || n == 22:
			look = ""
		case n == 1:
			look += ` font-weight="bold"`
		case n == 2:
			look += ` opacity="0.65"`
		case ink != "":
			look += fmt.Sprintf(` fill="%s"`, ink)
		}
	}
	return look
}
