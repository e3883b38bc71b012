package filter

import "pulsar-dissect/session"

// Notice looks at an event of the run, whether it is shown or not, so that
// Unmet can tell which flags are the reason for showing nothing. Expressions are
// left out: they cost too much.
func (f *Filter) Notice(e *session.Event) {
	for _, t := range f.terms {
		if !t.met && t.flag != expressionFlag && t.match(f, e) {
			t.met = true
		}
	}
}

// Unmet gives a flag with its value, as it is typed, of which no event was
// noticed that it lets through.
func (f *Filter) Unmet() (flag, typed string, ok bool) {
	for _, t := range f.terms {
		if !t.met && t.flag != expressionFlag {
			return t.flag, t.typed, true
		}
	}
	return "", "", false
}

// MeansConn says whether an event is of a connection that --conn lets through.
func (f *Filter) MeansConn(e *session.Event) bool {
	for _, t := range f.terms {
		if t.flag == "conn" && !t.match(f, e) {
			return false
		}
	}
	return true
}
