//go:build linux

package live

import (
	"fmt"
	"slices"
	"strings"
)

// watched are the interfaces of which packets are wanted.
type watched struct {
	names []string // as the user named them
	any   bool     // all there are
	links map[uint32]*networkInterface
}

// find looks the names up.
func (w *watched) find(names []string) error {
	there, err := interfaces()
	if err != nil {
		return err
	}
	w.links = map[uint32]*networkInterface{}
	if w.any = slices.Contains(names, Any); w.any {
		names = []string{Any}
	}
	for i := range there {
		if w.any || slices.Contains(names, there[i].name) {
			w.links[there[i].index] = &there[i]
		}
	}
	for _, name := range names {
		if name != Any && !slices.ContainsFunc(there, func(i networkInterface) bool { return i.name == name }) {
			return fmt.Errorf("there is no interface %q: there are %s", name, namesOf(there))
		}
		if !slices.Contains(w.names, name) {
			w.names = append(w.names, name)
		}
	}
	return nil
}

// namesOf lists interfaces, those that are up.
func namesOf(there []networkInterface) string {
	words := []string{Any}
	for _, i := range there {
		if i.up {
			words = append(words, i.name)
		}
	}
	return strings.Join(words, ", ")
}

// indices are those of the interfaces, in order; none where all are wanted.
func (w *watched) indices() []uint32 {
	if w.any {
		return nil
	}
	return w.all()
}

func (w *watched) all() (all []uint32) {
	for i := range w.links {
		all = append(all, i)
	}
	slices.Sort(all)
	return all
}

// none tells whether all named interfaces are gone.
func (w *watched) none() bool { return !w.any && len(w.links) == 0 }

// name is that of an interface, or its index where it was gone before it was
// heard of.
func (w *watched) name(index uint32) string {
	if l := w.links[index]; l != nil {
		return l.name
	}
	return fmt.Sprintf("if%d", index)
}

// hear takes news of an interface, and gives what is to be told of it. again
// says that it has come back with another index.
func (w *watched) hear(i networkInterface, gone bool) (told string, again bool) {
	known := w.links[i.index]
	switch {
	case known == nil && (gone || !w.any && !slices.Contains(w.names, i.name)):
		return "", false
	case known == nil:
		w.links[i.index] = &i
		return i.name + " is new", !w.any
	case gone:
		delete(w.links, i.index)
		return i.name + " is gone", false
	}
	was := *known
	*known = i
	switch {
	case was.up && !i.up:
		return i.name + " went down", false
	case !was.up && i.up:
		return i.name + " is up", false
	}
	return "", false
}
