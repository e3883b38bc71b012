package render

import (
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// describe says what the frame at hand tells: in a few words, and a tree below
// its line where it carries one. Where a row is one line, that has all fields
// in place of the tree.
func (t *Timeline) describe(e *session.Event) {
	h := &t.held
	_, carries := trees[pb.BaseCommand_Type(e.Frame.Type)]
	switch {
	case !carries:
		h.details = describe(h.details[:0], e, &t.wire)
	case t.grid.terse && e.Frame.Sub >= 0:
		h.details = e.Frame.Base.AppendText(h.details[:0], e.Frame.Sub, &t.wire)
	default:
		h.details, h.tree = describe(h.details[:0], e, &t.wire), treeOf(e.Frame)
	}
}

// treeIndent is where a tree stands, in columns.
const treeIndent = 28

// putTree ends a line and draws the tree of its frame below; the last line of it
// is left to be ended.
func (t *Timeline) putTree() {
	for _, branch := range t.held.tree {
		t.row = append(t.row, t.line.end()...)
		t.line.begin()
		t.line.spaces(treeIndent)
		t.line.puts(plain, branch)
	}
	t.held.tree = nil
}
