package diagnose

import (
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto"
	"pulsar-dissect/session"
)

// watches are who looks at what, in lists by index: on a capture of small frames
// finding out whom to call would cost more than most rules do. Within a list
// watches stand in the order of the rules, on frames those behind that want
// frames of every type.
type watches struct {
	plain     [][]Watch // by type of a frame, the last of types that are not known
	odd       [][]Watch // the same for a frame with something odd about it
	exchanges [exchangeKinds][exchangeResults][]Watch
	byKind    [256][]Watch
	end       []Watch // of all rules
}

// How many kinds and results of exchanges there is room for.
const exchangeKinds, exchangeResults = 16, 16

// unknownFrame is the place of frames of an unknown type.
var unknownFrame = func() (last int) {
	for i := range proto.Commands {
		last = max(last, int(proto.Commands[i].Number))
	}
	return last + 1
}()

func newWatches() watches {
	return watches{plain: make([][]Watch, unknownFrame+1), odd: make([][]Watch, unknownFrame+1)}
}

// add takes in the watch of a rule.
func (w *watches) add(r *Rule, watch Watch) {
	for _, t := range r.Frames {
		if t != AllFrames && t != OddFrames {
			w.plain[t] = append(w.plain[t], watch)
			w.odd[t] = append(w.odd[t], watch)
		}
	}
	for _, x := range r.Exchanges {
		x.each(func(list *[]Watch) { *list = append(*list, watch) }, w)
	}
	for _, k := range r.Kinds {
		w.byKind[k] = append(w.byKind[k], watch)
	}
	w.end = append(w.end, watch)
}

// addToAll takes in the watch of a rule that wants frames of every type. It is
// called once those of single types are in.
func (w *watches) addToAll(r *Rule, watch Watch) {
	all, odd := slices.Contains(r.Frames, AllFrames), slices.Contains(r.Frames, OddFrames)
	for t := range w.plain {
		if all {
			w.plain[t] = append(w.plain[t], watch)
		}
		if all || odd {
			w.odd[t] = append(w.odd[t], watch)
		}
	}
}

// each gives the lists of a set of exchanges.
func (x *Exchanges) each(take func(*[]Watch), w *watches) {
	for k := range w.exchanges {
		for result := range w.exchanges[k] {
			if (x.Kinds == nil || slices.Contains(x.Kinds, session.ExchangeKind(k))) && (x.Results == nil || slices.Contains(x.Results, session.Result(result))) {
				take(&w.exchanges[k][result])
			}
		}
	}
}

// of gives who looks at an event.
func (w *watches) of(e *session.Event) []Watch {
	switch e.Kind {
	case session.FrameSeen:
		t := int(e.Frame.Type)
		if t < 0 || t > unknownFrame {
			t = unknownFrame
		}
		if isOdd(e.Frame) {
			return w.odd[t]
		}
		return w.plain[t]
	case session.ExchangeSeen:
		return w.exchanges[e.Exchange.Kind][e.Exchange.Result]
	}
	return w.byKind[e.Kind]
}

// isOdd says whether a frame has an issue, a fault in its payload part, no
// checksum or a wrong one, or a type that is not known.
func isOdd(f *decode.Frame) bool {
	return f.Command == nil || f.Checksum > decode.ChecksumOK || len(f.Issues) > 0 || f.PayloadFault != "" || f.Base.Found != 0 ||
		f.HasMetadata && f.Metadata.Found != 0 || f.HasBrokerEntry && f.BrokerEntry.Found != 0
}
