package render

import "io"

// Nothing says why a face has nothing to show, where that is known.
type Nothing struct {
	Why      string // empty: the face knows best
	Filtered bool   // there are filters, each of which lets something through
}

// writeNothing is what a face says in place of rows. otherwise is what it lacks.
func writeNothing(w io.Writer, l line, end *End, otherwise string) error {
	why := otherwise
	switch n := &end.Nothing; {
	case n.Why != "":
		why = visible(n.Why)
	case n.Filtered:
		why += " that the filters let through"
	}
	_, err := w.Write(appendWrapped(nil, &l, doubtful, "", "Nothing to show: "+why+"."))
	return err
}
