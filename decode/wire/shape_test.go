package wire

import "testing"

// checkShape tests what holds for the nodes of any walk, also one that ended
// with an error: preorder, ranges within those of the parent and in order,
// Same ahead, of the same field, and every later occurrence linked to.
func checkShape(t *testing.T, w *Walk) {
	t.Helper()
	linked := map[int32]bool{}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		at := int32(i)
		if n.Start < 0 || n.ValueStart < n.Start || n.End < n.ValueStart || int(n.End) > len(w.Data) {
			t.Fatalf("node %d: range %d %d %d in %d bytes", i, n.Start, n.ValueStart, n.End, len(w.Data))
		}
		if n.Next <= at || int(n.Next) > len(w.Nodes) {
			t.Fatalf("node %d: next %d of %d", i, n.Next, len(w.Nodes))
		}
		checkChildren(t, w, at)
		if n.Same == 0 {
			continue
		}
		if n.Same <= at || n.Field == nil || w.Nodes[n.Same].Field != n.Field || linked[n.Same] {
			t.Fatalf("node %d: same %d", i, n.Same)
		}
		linked[n.Same] = true
	}
	for i := range w.Nodes {
		if w.Nodes[i].again != linked[int32(i)] {
			t.Fatalf("node %d: again %v, linked %v", i, w.Nodes[i].again, linked[int32(i)])
		}
	}
}

func checkChildren(t *testing.T, w *Walk, parent int32) {
	t.Helper()
	p := &w.Nodes[parent]
	if p.Next > parent+1 && (p.Field == nil || p.Field.Kind != Message) {
		t.Fatalf("node %d has fields and is no message", parent)
	}
	before := p.ValueStart
	for c := parent + 1; c < p.Next; c = w.Nodes[c].Next {
		n := &w.Nodes[c]
		if n.Start < before || n.End > p.End {
			t.Fatalf("node %d: range %d to %d, after %d, within %d to %d", c, n.Start, n.End, before, p.ValueStart, p.End)
		}
		before = n.End
	}
}
