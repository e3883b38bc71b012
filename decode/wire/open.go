package wire

// open is a message that is being walked.
type open struct {
	table  *Table
	seen   fieldSet
	parent int32 // its node, Top at the top
	depth  int   // messages that it is within
	base   int   // its part of Walk.last begins here
	merged bool  // a singular message occurred in it more than once
}

// fieldSet is a set of fields of one message, by ordinal.
type fieldSet [maxFields / 64]uint64

// maxFields bounds the fields of a message. BaseCommand has the most, 71.
const maxFields = 128

func (s *fieldSet) add(f *Field)      { s[f.word&1] |= f.bit }
func (s *fieldSet) has(f *Field) bool { return s[f.word&1]&f.bit != 0 }

// enter begins a message. What last holds for its fields is stale until
// m.seen has them. It fills m in place: copying it cost a third of a PING.
func (w *Walk) enter(m *open, t *Table, parent int32, depth int) {
	m.table, m.seen, m.merged = t, fieldSet{}, false
	m.parent, m.depth, m.base = parent, depth, w.top
	if w.top += len(t.Fields); w.top > len(w.last) {
		w.last = append(w.last, make([]int32, w.top-len(w.last))...)
	}
}

// leave ends a message, also one that could not be walked to its end: ties
// together what is to be merged.
func (w *Walk) leave(m *open) {
	if m.merged {
		w.mergeIn(m.parent+1, int32(len(w.Nodes)))
	}
	w.top = m.base
}

// complete tells whether all required fields are there.
func (m *open) complete() bool {
	r := &m.table.required
	return r[0]&^m.seen[0] == 0 && r[1]&^m.seen[1] == 0
}

func (w *Walk) reportMissing(m *open) {
	for _, f := range m.table.Fields {
		if f.Required && !m.seen.has(f) {
			w.issue(MissingRequired, m.parent, f, 0)
		}
	}
}

// slot returns the place of the next node, which add makes one; nil if there
// are too many.
func (w *Walk) slot() *Node {
	if len(w.Nodes) == cap(w.Nodes) && !w.grow() {
		return nil
	}
	return &w.Nodes[:len(w.Nodes)+1][len(w.Nodes)]
}

// grow makes room for another node, up to MaxNodes.
func (w *Walk) grow() bool {
	have := len(w.Nodes)
	if have >= MaxNodes {
		return false
	}
	more := make([]Node, have, min(max(2*have, 64), MaxNodes))
	copy(more, w.Nodes)
	w.Nodes = more
	return true
}

// add makes n, the slot, a node of m that ends at end, and returns its index.
// f is its field, nil if it is not known.
func (w *Walk) add(m *open, f *Field, n *Node, end int) int32 {
	at := int32(len(w.Nodes))
	n.Field, n.End, n.Next, n.Same, n.again, n.plain = f, int32(end), at+1, 0, false, false
	w.Nodes = w.Nodes[:at+1]
	if f != nil && w.link(m, f, at) && !f.Repeated {
		w.issue(RepeatedSingular, m.parent, f, 0)
		m.merged = m.merged || f.Kind == Message
	}
	return at
}

// link ties node at to the one of the same field before it, and tells whether
// there is one.
func (w *Walk) link(m *open, f *Field, at int32) bool {
	last := &w.last[m.base+f.ordinal]
	before := *last
	*last = at
	if !m.seen.has(f) {
		m.seen.add(f)
		return false
	}
	w.Nodes[before].Same = at
	w.Nodes[at].again = true
	return true
}

// mergeIn merges the singular messages that occur more than once among the
// siblings in nodes [p, end).
func (w *Walk) mergeIn(p, end int32) {
	for ; p < end; p = w.Nodes[p].Next {
		n := &w.Nodes[p]
		if n.Field != nil && n.Field.Kind == Message && !n.Field.Repeated && n.Same != 0 && !n.again {
			w.merge(p)
		}
	}
}

// merge ties the fields of all occurrences of a singular message together as
// if they stood in one: the encoding says that such messages are merged.
func (w *Walk) merge(head int32) {
	var m open
	w.enter(&m, w.Nodes[head].Field.Message, head, 0)
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
		n.Same, n.again = 0, false
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
