package schema

import "time"

// Units of time as parts of a second.
const (
	millis = 1_000
	micros = 1_000_000
	nanos  = 1_000_000_000
)

const secondsPerDay = 24 * 60 * 60

// The layouts of RFC 3339. Zeros at the end of a fraction are left out.
const (
	layoutDate  = "2006-01-02"
	layoutClock = "15:04:05.999999999"
	layoutLocal = "2006-01-02T15:04:05.999999999"
	layoutUTC   = "2006-01-02T15:04:05.999999999Z"
)

// The years that RFC 3339 can write, in seconds since the Unix epoch.
const (
	firstSecond = -62_167_219_200
	lastSecond  = 253_402_300_799
)

// split divides a number of units since the epoch into seconds and
// nanoseconds, 0 to 999,999,999.
func split(v, perSecond int64) (seconds, ns int64) {
	seconds, rest := v/perSecond, v%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	return seconds, rest * (nanos / perSecond)
}

// at writes a time in a layout.
func (w *writer) at(layout string, seconds, ns int64) bool {
	switch {
	case ns < 0 || ns >= nanos:
		return w.fail("%d ns of a second", ns)
	case seconds < firstSecond || seconds > lastSecond:
		return w.fail("%d s from the epoch is outside the years 0 to 9999", seconds)
	}
	w.dst = append(w.dst, '"')
	w.dst = time.Unix(seconds, ns).UTC().AppendFormat(w.dst, layout)
	return w.put(append(w.dst, '"'))
}

func (w *writer) moment(seconds, ns int64) bool { return w.at(layoutUTC, seconds, ns) }

func (w *writer) localMoment(seconds, ns int64) bool { return w.at(layoutLocal, seconds, ns) }

// date takes days since the epoch.
func (w *writer) date(days int64) bool {
	if days < firstSecond/secondsPerDay || days > lastSecond/secondsPerDay {
		return w.fail("%d days from the epoch is outside the years 0 to 9999", days)
	}
	return w.at(layoutDate, days*secondsPerDay, 0)
}

// clock takes nanoseconds since midnight.
func (w *writer) clock(ns int64) bool {
	if ns < 0 || ns >= secondsPerDay*nanos {
		return w.fail("%d ns is no time of day", ns)
	}
	return w.at(layoutClock, ns/nanos, ns%nanos)
}

func (w *writer) dateAndClock(days, ns int64) bool {
	if days < firstSecond/secondsPerDay || days > lastSecond/secondsPerDay {
		return w.fail("%d days from the epoch is outside the years 0 to 9999", days)
	}
	if ns < 0 || ns >= secondsPerDay*nanos {
		return w.fail("%d ns is no time of day", ns)
	}
	return w.localMoment(days*secondsPerDay+ns/nanos, ns%nanos)
}

// timeOfJava takes a java.sql.Time: milliseconds since the epoch, of which the
// time of day counts. On another day than the first it is shown as a moment.
func (w *writer) timeOfJava(ms int64) bool {
	if ms >= 0 && ms < secondsPerDay*millis {
		return w.clock(ms * (nanos / millis))
	}
	return w.moment(split(ms, millis))
}
