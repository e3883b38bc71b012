package schema

import (
	"encoding/binary"

	"pulsar-dissect/decode/wire/jsontext"
)

// writer appends a value as JSON, and knows where in it the reader stands. The
// first failure is kept, and every step of the readers says whether to go on.
type writer struct {
	dst      []byte
	limit    int              // length that dst may reach
	integers binary.ByteOrder // of primitive integers
	parts    int              // of the value that had to be remembered
	path     []step
	failed   *Error
	misfit   *Error // the value can be shown and is not what the schema says
}

// fail notes what is wrong at this place. It is always false.
func (w *writer) fail(format string, args ...any) bool {
	if w.failed == nil {
		w.failed = errorf(pathOf(w.path), format, args...)
	}
	return false
}

// doubt notes what does not fit the schema and can be shown all the same.
func (w *writer) doubt(format string, args ...any) {
	if w.misfit == nil {
		w.misfit = errorf(pathOf(w.path), format, args...)
	}
}

// enter goes one level down; leave comes back.
func (w *writer) enter(s step) bool {
	if len(w.path) >= deepest {
		return w.fail("nested more than %d levels deep", deepest)
	}
	w.path = append(w.path, s)
	return true
}

func (w *writer) leave() { w.path = w.path[:len(w.path)-1] }

// room says whether the value is still of a size that it may have.
func (w *writer) room() bool {
	if len(w.dst) > w.limit {
		return w.fail("the value is far longer than its payload")
	}
	return true
}

// part counts what has to be remembered of a value while it is written.
func (w *writer) part() bool {
	if w.parts++; w.parts > mostParts {
		return w.fail("more than %d fields", mostParts)
	}
	return true
}

// object is a JSON object being written whose keys come from a payload, so
// that one may come twice: the last value counts.
type object struct {
	start   int // of the brace
	members []member
	last    map[string]int // latest member of a key
	twice   bool
}

type member struct {
	start, end int // in dst, without comma
	dead       bool
}

func (w *writer) begin() object {
	o := object{start: len(w.dst), last: map[string]int{}}
	w.dst = append(w.dst, '{')
	return o
}

// key begins a member. The one before is closed.
func (w *writer) key(o *object, key string) bool {
	if !w.part() {
		return false
	}
	w.close(o)
	if len(o.members) > 0 {
		w.dst = append(w.dst, ',')
	}
	if i, ok := o.last[key]; ok {
		o.members[i].dead, o.twice = true, true
	}
	o.last[key] = len(o.members)
	o.members = append(o.members, member{start: len(w.dst)})
	return w.put(append(jsontext.AppendText(w.dst, key), ':'))
}

func (w *writer) close(o *object) {
	if n := len(o.members); n > 0 && o.members[n-1].end == 0 {
		o.members[n-1].end = len(w.dst)
	}
}

// end ends the object. Members whose key came again are taken out.
func (w *writer) end(o *object) {
	w.close(o)
	if o.twice {
		at := o.start + 1
		for _, m := range o.members {
			if m.dead {
				continue
			}
			if at > o.start+1 {
				w.dst[at] = ','
				at++
			}
			at += copy(w.dst[at:], w.dst[m.start:m.end])
		}
		w.dst = w.dst[:at]
	}
	w.dst = append(w.dst, '}')
}
