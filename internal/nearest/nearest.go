package nearest

import "fmt"

// Name is the name with the least edits (letters put in, left out or replaced)
// from what was written; false if even that differs in more than a third.
func Name(written string, names []string) (string, bool) {
	best, least := "", len(written)/3+1
	for _, name := range names {
		if d := distance(written, name); d <= least && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best, best != ""
}

// Hint is the end of a message: `; did you mean "SEND"?`, or nothing.
func Hint(written string, names []string) string {
	if name, ok := Name(written, names); ok {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// distance is the Levenshtein distance in bytes, row by row.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
