package render

// branches are the lines of a tree, drawn below the line that it belongs to.
type branches struct {
	lines []string
	left  int // nodes that there was no room for
}

// shownBranches bounds the lines of a tree.
const shownBranches = 200

// The strokes of a tree: ahead of a node and of what is below it.
var strokes = map[bool]struct{ node, below string }{
	false: {"├─ ", "│  "},
	true:  {"└─ ", "   "},
}

func (b *branches) full() bool { return len(b.lines) >= shownBranches }

// add appends a node that comes behind prefix, and gives the prefix of the nodes
// below it.
func (b *branches) add(prefix, text string, last bool) (below string) {
	s := strokes[last]
	b.lines = append(b.lines, prefix+s.node+text)
	return prefix + s.below
}

// list appends nodes that have none below them.
func (b *branches) list(nodes []string) {
	for i, text := range nodes {
		if b.full() {
			b.left += len(nodes) - i
			return
		}
		b.add("", text, i == len(nodes)-1)
	}
}

// end gives the lines, with what was left out.
func (b *branches) end() []string {
	if b.left > 0 {
		b.lines = append(b.lines, "… and "+countText(b.left)+" more")
	}
	return b.lines
}
