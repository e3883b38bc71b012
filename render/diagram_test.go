package render_test

import (
	"io"
	"strings"
	"testing"

	"pulsar-dissect/render"
)

// Text from the wire cannot become part of a diagram: each line is one that the
// face makes, and no sign that marks up text is left as it is.
func TestDiagramsOfHostileText(t *testing.T) {
	file := hostileCapture(t)
	for format, starts := range map[render.Format][]string{
		render.Mermaid:  {"sequenceDiagram", "    participant ", "    c0->>b0: ", "    b0->>c0: ", "    c0-xb0: ", "    b0-xc0: ", "    Note over c"},
		render.PlantUML: {"@startuml", "@enduml", "participant \"", "c0 -> b0 : ", "b0 -> c0 : ", "c0 -[#red]> b0 : ", "b0 -[#red]> c0 : ", "note over c"},
	} {
		out := run(t, func(w io.Writer, o render.Options) render.Sink { return render.NewDiagram(w, o) }, render.Options{Format: format}, file)
		for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			known := false
			for _, s := range starts {
				if rest, ok := strings.CutPrefix(line, s); ok {
					known = true
					if marked := map[render.Format]string{render.Mermaid: "<>\"`{}%\\", render.PlantUML: "\\~%$|"}[format]; strings.ContainsAny(rest, marked) && !strings.HasPrefix(line, "participant") {
						t.Errorf("%s: %q", format, line)
					}
				}
			}
			if !known {
				t.Errorf("%s: %q", format, line)
			}
		}
	}
}
