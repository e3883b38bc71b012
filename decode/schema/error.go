package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Error says where a value does not fit its schema.
type Error struct {
	Field string // path from the top: m.tags[3]; empty for the value as a whole
	What  string // what was found, and what was expected
}

func (e *Error) Error() string {
	if e.Field == "" {
		return e.What
	}
	return e.Field + ": " + e.What
}

// step is one level of a path: the name of a field, or a place in a list.
type step struct {
	name  string
	index int // -1: named
}

func named(name string) step { return step{name, -1} }

func place(i int) step { return step{"", i} }

// pathOf is the path as people write it.
func pathOf(steps []step) string {
	var s strings.Builder
	for _, p := range steps {
		switch {
		case p.index >= 0:
			s.WriteString("[" + strconv.Itoa(p.index) + "]")
		case s.Len() > 0:
			s.WriteString("." + short(p.name))
		default:
			s.WriteString(short(p.name))
		}
	}
	return s.String()
}

// short cuts a text that may be as long as a payload.
func short(s string) string {
	if len(s) > longestName {
		return strings.ToValidUTF8(s[:longestName], "") + "..."
	}
	return s
}

func errorf(field, format string, args ...any) *Error {
	return &Error{Field: field, What: fmt.Sprintf(format, args...)}
}
