package diagnose

import (
	"fmt"
	"strings"
	"time"
)

// lasting is a span of time, in ns, as an operator says it: 350 µs, 12 ms,
// 1.8 s, 2m5s.
func lasting(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < 0:
		return "-" + lasting(-ns)
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// clock is a time of day in UTC. ns counts since the Unix epoch.
func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05.000") }

// counted is a number of things: 1 SEND, 3 SENDs.
func counted[N int | int64 | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// tally is a list of numbers of things by name, in the order first counted.
type tally struct {
	names  []string
	counts map[string]int
}

func (t *tally) add(name string) {
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	if t.counts[name]++; t.counts[name] == 1 {
		t.names = append(t.names, name)
	}
}

// String is like "2 SENDs, 1 LOOKUP".
func (t *tally) String() string {
	parts := make([]string, len(t.names))
	for i, n := range t.names {
		parts[i] = counted(t.counts[n], n)
	}
	return strings.Join(parts, ", ")
}

// quoted is a text that came with an error, or nothing.
func quoted(text string) string {
	text = withoutClass(text)
	if text == "" {
		return ""
	}
	const longest = 200 // bytes
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return fmt.Sprintf(" (%q)", text)
}

// withoutClass leaves the package of a Java exception out of a broker's text.
func withoutClass(text string) string {
	class, rest, ok := strings.Cut(text, ": ")
	if !ok || strings.ContainsAny(class, " \"{") {
		return text
	}
	return class[strings.LastIndexAny(class, ".$")+1:] + ": " + rest
}

// size is a number of bytes as an operator says it: 512 bytes, 12.5 KiB, 5.0 MiB.
func size[N int | int64 | uint64](bytes N) string {
	switch n := float64(bytes); {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", n/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.1f KiB", n/(1<<10))
	}
	return fmt.Sprintf("%d bytes", bytes)
}
