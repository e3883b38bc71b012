package wire

// open is a message that is being walked.
type open struct {
	table  *Table
	parent int32  // its node, -1 at the top
	start  int32  // index of its first child
	base   int    // its part of Walk.seen begins here
	gen    uint64 // its number
	merged bool   // a singular message occurred in it more than once
}

// enter begins a message.
func (w *Walk) enter(t *Table, parent int32) open {
	w.gen++
	m := open{table: t, parent: parent, start: parent + 1, base: w.top, gen: w.gen}
	w.top += len(t.Fields)
	if w.top > len(w.seen) {
		w.seen = append(w.seen, make([]sighting, w.top-len(w.seen))...)
	}
	return m
}

// checkRequired reports what a message that was walked to its end lacks.
func (w *Walk) checkRequired(m *open) {
	for _, f := range m.table.required {
		if w.first(m, f) {
			w.issue(MissingRequired, m.parent, f, 0)
		}
	}
}

// leave ends a message, also one that could not be walked to its end: ties
// together what is to be merged.
func (w *Walk) leave(m *open) {
	w.top = m.base
	if m.merged {
		w.mergeIn(m.start, int32(len(w.Nodes)))
	}
}

// first tells whether m has no node of f yet.
func (w *Walk) first(m *open, f *Field) bool {
	return w.seen[m.base+f.ordinal].gen != m.gen
}

// add appends n, which ends at end, to the nodes of m.
func (w *Walk) add(m *open, n *Node, end int) *Error {
	at := int32(len(w.Nodes))
	if at >= MaxNodes {
		return &Error{int(n.Start), TooMany}
	}
	n.End, n.Next = int32(end), at+1
	w.Nodes = append(w.Nodes, *n)
	if n.Field != nil && w.link(m, n.Field, at) && !n.Field.Repeated {
		w.issue(RepeatedSingular, m.parent, n.Field, 0)
	}
	return nil
}

// link ties node at to the one of the same field before it, and tells whether
// there is one.
func (w *Walk) link(m *open, f *Field, at int32) bool {
	s := &w.seen[m.base+f.ordinal]
	if s.gen != m.gen {
		s.gen, s.node = m.gen, at
		return false
	}
	w.Nodes[s.node].Same = at
	w.Nodes[at].flags |= again
	s.node = at
	return true
}

// mergeIn merges the singular messages that occur more than once among the
// siblings in nodes [p, end).
func (w *Walk) mergeIn(p, end int32) {
	for ; p < end; p = w.Nodes[p].Next {
		n := &w.Nodes[p]
		if n.Field != nil && n.Field.Kind == Message && !n.Field.Repeated && n.Same != 0 && n.flags&again == 0 {
			w.merge(p)
		}
	}
}

// merge ties the fields of all occurrences of a singular message together as
// if they stood in one: the encoding says that such messages are merged.
func (w *Walk) merge(head int32) {
	m := w.enter(w.Nodes[head].Field.Message, head)
	for o := head; o >= 0; o = w.another(o) {
		w.relink(&m, o+1, w.Nodes[o].Next)
	}
	w.top = m.base
	for o := head; o >= 0; o = w.another(o) {
		w.mergeIn(o+1, w.Nodes[o].Next)
	}
}

// relink ties the siblings in nodes [p, end) anew, as fields of m.
func (w *Walk) relink(m *open, p, end int32) {
	for ; p < end; p = w.Nodes[p].Next {
		n := &w.Nodes[p]
		n.Same, n.flags = 0, n.flags&^again
		if n.Field != nil {
			w.link(m, n.Field, p)
		}
	}
}

// another returns the next occurrence of a singular message, which is to be
// merged with node i, -1 if there is none. Elements of a repeated field are
// messages of their own.
func (w *Walk) another(i int32) int32 {
	if i < 0 {
		return -1
	}
	n := &w.Nodes[i]
	if n.Same == 0 || n.Field == nil || n.Field.Repeated {
		return -1
	}
	return n.Same
}
