package report

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// frames counts those of a bin by direction.
type frames struct{ n [2]uint64 }

func (f *frames) merge(later *frames) {
	for d := range f.n {
		f.n[d] += later.n[d]
	}
}

// activity is how many frames there were over time.
type activity struct{ series[frames, *frames] }

func (s *activity) add(a *axis, e *session.Event) { s.at(a, e.At.Time).n[e.Direction]++ }

// activityRecord is the number of frames in each bin.
type activityRecord struct {
	C2S []uint64 `json:"c2s"`
	S2C []uint64 `json:"s2c"`
}

func (s *activity) record(a *axis) activityRecord {
	of := func(d decode.Direction) []uint64 {
		return values(&s.series, a, func(f *frames) uint64 { return f.n[d] })
	}
	return activityRecord{of(decode.ClientToServer), of(decode.ServerToClient)}
}
