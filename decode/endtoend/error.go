package endtoend

import (
	"slices"
	"strconv"
	"strings"
)

// Error says why a payload stays closed: no keys were given, or none of them
// opens it.
type Error struct {
	NoKeys     bool
	Wanted     []string  // names of the recipients, of the first few
	MoreWanted int       // recipients beyond those
	Tried      []Attempt // private keys in the order tried, the first few
	MoreTried  int       // attempts beyond those
}

// Attempt is a private key and why it does not open the payload.
type Attempt struct {
	File string // base name
	Why  string
}

func newError(recipients []Recipient, noKeys bool) *Error {
	shown := recipients[:min(len(recipients), mostNames)]
	e := &Error{NoKeys: noKeys, MoreWanted: len(recipients) - len(shown)}
	for _, r := range shown {
		e.Wanted = append(e.Wanted, shortName(r.Name))
	}
	return e
}

func shortName(b []byte) string {
	if len(b) > longestName {
		return strings.ToValidUTF8(string(b[:longestName]), "") + "..."
	}
	return string(b)
}

func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString("encrypted for " + strings.Join(e.Wanted, ", "))
	more(&s, e.MoreWanted)
	if e.NoKeys {
		s.WriteString("; no private key was given")
		return s.String()
	}
	for i, a := range e.Tried {
		s.WriteString([...]string{"; tried ", ", "}[min(i, 1)])
		s.WriteString(a.File + " (" + a.Why + ")")
	}
	more(&s, e.MoreTried)
	return s.String()
}

func more(s *strings.Builder, n int) {
	if n > 0 {
		s.WriteString(" and " + strconv.Itoa(n) + " more")
	}
}

// attempts collects the first few attempts and counts the rest. One that was
// made for another recipient already is not named twice.
type attempts struct {
	list []Attempt
	more int
}

func (a *attempts) add(file string, why error) { a.put(Attempt{file, why.Error()}) }

func (a *attempts) put(x Attempt) {
	switch {
	case slices.Contains(a.list, x):
	case len(a.list) >= mostTried:
		a.more++
	default:
		a.list = append(a.list, x)
	}
}

func (a *attempts) join(b *attempts) {
	for _, x := range b.list {
		a.put(x)
	}
	a.more += b.more
}
