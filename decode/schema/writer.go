package schema

import (
	"bytes"
	"encoding/binary"
	"sync"

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
	members  []member     // of the objects that are open, innermost last
	values   []protoValue // the same of messages of protobuf
	failed   *Error
	misfit   *Error // the value can be shown and is not what the schema says
}

// writers are reused: what they hold grows to the size of a usual value.
var writers = sync.Pool{New: func() any { return &writer{} }}

// mostKept is how many members or values a writer keeps room for.
const mostKept = 4096

// reset makes the writer ready for a value behind dst.
func (w *writer) reset(dst []byte, limit int) {
	*w = writer{dst: dst, limit: len(dst) + limit, integers: binary.BigEndian, path: w.path[:0], members: w.members[:0], values: w.values[:0]}
}

// release gives the writer back, without what it read.
func (w *writer) release() {
	clear(w.path[:cap(w.path)])
	clear(w.values[:cap(w.values)])
	if cap(w.members) <= mostKept && cap(w.values) <= mostKept {
		w.dst, w.failed, w.misfit = nil, nil, nil
		writers.Put(w)
	}
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
	start int            // of the brace
	base  int            // of its members
	last  map[string]int // latest member of a key, where there are many
	twice bool
}

// member is a member of an object, as places in dst.
type member struct {
	start, colon, end int
	dead              bool
}

// fewMembers is up to how many members are looked through for a key.
const fewMembers = 16

func (w *writer) begin() object {
	o := object{start: len(w.dst), base: len(w.members)}
	w.dst = append(w.dst, '{')
	return o
}

// key begins a member. The one before is closed.
func (w *writer) key(o *object, key []byte) bool {
	if !w.part() {
		return false
	}
	w.close(o)
	if len(w.members) > o.base {
		w.dst = append(w.dst, ',')
	}
	m := member{start: len(w.dst)}
	w.dst = jsontext.AppendString(w.dst, key)
	m.colon = len(w.dst)
	if i := w.memberOf(o, &m); i >= 0 {
		w.members[i].dead, o.twice = true, true
	}
	w.members = append(w.members, m)
	return w.put(append(w.dst, ':'))
}

// memberOf finds the latest member with the key of another, which comes next.
func (w *writer) memberOf(o *object, m *member) int {
	key, mine := w.dst[m.start:m.colon], w.members[o.base:]
	if len(mine) < fewMembers {
		for i := len(mine) - 1; i >= 0; i-- {
			if bytes.Equal(w.dst[mine[i].start:mine[i].colon], key) {
				return o.base + i
			}
		}
		return -1
	}
	if o.last == nil {
		o.last = map[string]int{}
		for i := range mine {
			o.last[string(w.dst[mine[i].start:mine[i].colon])] = o.base + i
		}
	}
	i, ok := o.last[string(key)]
	o.last[string(key)] = len(w.members)
	if !ok {
		return -1
	}
	return i
}

func (w *writer) close(o *object) {
	if n := len(w.members); n > o.base {
		w.members[n-1].end = len(w.dst)
	}
}

// end ends the object. Members whose key came again are taken out.
func (w *writer) end(o *object) {
	w.close(o)
	if o.twice {
		at := o.start + 1
		for _, m := range w.members[o.base:] {
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
	w.members = w.members[:o.base]
	w.dst = append(w.dst, '}')
}
