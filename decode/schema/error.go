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

// step is one level of a path: the name of a field, a key of the payload, or a
// place in a list.
type step struct {
	name  string
	key   []byte
	index int // -1: named
}

func named(name string) step { return step{name: name, index: -1} }

func keyed(key []byte) step { return step{key: key, index: -1} }

func place(i int) step { return step{index: i} }

func (s *step) text() string {
	if s.key != nil {
		return short(string(s.key[:min(len(s.key), longestName+1)]))
	}
	return short(s.name)
}

// pathOf is the path as people write it.
func pathOf(steps []step) string {
	var s strings.Builder
	for i := range steps {
		p := &steps[i]
		switch {
		case p.index >= 0:
			s.WriteString("[" + strconv.Itoa(p.index) + "]")
		case s.Len() > 0:
			s.WriteString("." + p.text())
		default:
			s.WriteString(p.text())
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
