package render

import (
	"strconv"
	"time"
)

// stamps writes the times of lines: seconds since the first packet, or times of
// day.
type stamps struct {
	wall  bool
	start *int64 // time of the first packet of the run, nil where it is not known
	zero  int64  // ns since the Unix epoch
	begun bool
}

// begin takes the time that counts as 0, unless there is one: that of the first
// packet of the run, so that all views agree, whatever a filter leaves out.
func (s *stamps) begin(ns int64) {
	if s.begun {
		return
	}
	if s.start != nil {
		ns = *s.start
	}
	s.begun, s.zero = true, ns
}

// append appends a time with microseconds.
func (s *stamps) append(dst []byte, ns int64, unknown bool) []byte {
	switch {
	case unknown:
		return append(dst, '-')
	case s.wall:
		return time.Unix(0, ns).UTC().AppendFormat(dst, "15:04:05.000000")
	}
	return appendSeconds(dst, ns-s.zero)
}

// appendSeconds appends a time in ns as seconds with six decimals.
func appendSeconds(dst []byte, ns int64) []byte {
	if ns < 0 {
		dst, ns = append(dst, '-'), -ns
	}
	dst = append(strconv.AppendInt(dst, ns/1e9, 10), '.')
	rest := ns % 1e9 / 1e3
	for unit := int64(100_000); unit > 0; unit /= 10 {
		dst = append(dst, byte('0'+rest/unit%10))
	}
	return dst
}

// caption says what the times are.
func (s *stamps) caption() string {
	from := time.Unix(0, s.zero).UTC()
	if s.wall {
		return "in UTC, from " + from.Format("2006-01-02") + " on"
	}
	return "seconds since " + from.Format("2006-01-02 15:04:05.000000") + " UTC"
}
