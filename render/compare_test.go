package render_test

import "strings"

// firstDifference gives the number of the first line that differs, from 1, and
// the two lines; 0 if there is none.
func firstDifference(want, got string) (line int, a, b string) {
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wants), len(gots)) {
		a, b = "(none)", "(none)"
		if i < len(wants) {
			a = wants[i]
		}
		if i < len(gots) {
			b = gots[i]
		}
		if a != b {
			return i + 1, a, b
		}
	}
	return 0, "", ""
}
