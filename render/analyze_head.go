package render

import (
	"strconv"
	"strings"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/capture/link"
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly/segment"
)

// shownFileLines is how many files have a line of their own.
const shownFileLines = 10

// head writes what was read, and what it is.
func (a *Analyze) head() error {
	files := a.summary.Totals.Capture.Files
	l := newLine(&a.options)
	var text []byte
	for i := range files {
		if i == shownFileLines && !a.terse() {
			l.begin()
			l.puts(faint, "and "+plural(len(files)-i, "more file"))
			text = append(text, l.end()...)
			break
		}
		text = a.appendFileLine(text, &l, &files[i])
	}
	for _, fact := range a.facts(len(files)) {
		text = appendWrapped(text, &l, plain, "", fact)
	}
	_, err := a.w.Write(text)
	return err
}

func (a *Analyze) appendFileLine(text []byte, l *line, f *capture.FileStats) []byte {
	l.begin()
	if a.terse() {
		l.puts(plain, "file ")
	}
	l.puts(subject, string(appendName(nil, f.Name)))
	switch {
	case f.Broken && f.Packets == 0:
		l.puts(wrong, ": could not be read")
		return append(text, l.end()...)
	case f.Broken:
		l.puts(wrong, ": could not be read to its end")
		l.puts(plain, ";")
	default:
		l.puts(plain, ":")
	}
	return append(appendFlowing(text, l, plain, fileFacts(f), len(indent)), l.end()...)
}

// fileFacts are what a file holds, with a space ahead.
func fileFacts(f *capture.FileStats) string {
	words := " " + plural(f.Packets, "packet") + ", " + sizeText(int64(f.Bytes))
	if f.Packets > f.NoTime {
		words += " in " + latencyText(f.Last-f.First) + " from " + dateText(f.First)
	}
	if names := linkNames(f.Links); names != "" {
		words += ", " + names
	}
	return words
}

func dateText(ns int64) string {
	return time.Unix(0, ns).UTC().Format("2006-01-02 15:04:05.000 UTC")
}

func linkNames(links []capture.LinkCount) string {
	var names []string
	for _, c := range links {
		names = append(names, "link type "+link.Name(c.Link))
	}
	return strings.Join(names, " and ")
}

// facts are what the whole run holds, a line each.
func (a *Analyze) facts(files int) []string {
	s := a.summary
	var facts []string
	if first, last, ok := s.Span(); ok && files > 1 {
		facts = append(facts, "in all "+plural(s.Packets(), "packet")+" in "+latencyText(last-first))
	}
	if words := a.notUsed(); words != "" {
		facts = append(facts, "not used: "+words)
	}
	facts = append(facts, a.protocols())
	if s.Frames > 0 {
		facts = append(facts, a.frames())
	}
	if a.terse() {
		for i := range facts {
			facts[i] = "fact " + facts[i]
		}
	}
	return facts
}

// unused says in words why packets were of no use.
var unused = [segment.Reasons]string{
	segment.Short: "cut within a header", segment.NotIP: "not IP", segment.UnknownLinkType: "of a link type that is not known",
	segment.TooDeep: "in too many tunnels", segment.NotTCP: "not TCP", segment.BadIP: "with a broken IP header",
	segment.BadTCP: "with a broken TCP header", segment.FragmentCut: "fragments not captured whole",
	segment.FragmentDropped: "fragments over the limit",
}

func (a *Analyze) notUsed() string {
	var words []string
	for why, n := range a.summary.Totals.Segments.Packets {
		if n > 0 && unused[why] != "" {
			words = append(words, countText(n)+" "+unused[why])
		}
	}
	return strings.Join(words, ", ")
}

// protocolNames are what connections are called when they are counted.
var protocolNames = [...]string{
	decode.Empty: "without data", decode.Pulsar: "Pulsar", decode.BookKeeper: "BookKeeper", decode.TLS: "TLS", decode.HTTP: "HTTP",
	decode.Unknown: "unknown",
}

func (a *Analyze) protocols() string {
	total := uint64(0)
	var words []string
	for _, p := range []decode.Protocol{decode.Pulsar, decode.BookKeeper, decode.TLS, decode.HTTP, decode.Unknown, decode.Empty} {
		if n := a.summary.Connections[p]; n > 0 {
			total += n
			words = append(words, countText(n)+" "+protocolNames[p])
		}
	}
	if total == 0 {
		return "no TCP connections"
	}
	return plural(total, "connection") + ": " + strings.Join(words, ", ")
}

func (a *Analyze) frames() string {
	s := a.summary
	words := plural(s.Frames, "frame")
	var sums []string
	for c := decode.ChecksumOK; c <= decode.ChecksumAbsent; c++ {
		if n := s.Checksums[c]; n > 0 {
			sums = append(sums, countText(n)+" "+c.String())
		}
	}
	if len(sums) > 0 {
		words += ", payload checksums: " + strings.Join(sums, ", ")
	}
	if n := s.Chunked.Complete; n > 0 {
		words += ", " + plural(n, "chunked message") + " put together"
	}
	if s.Proxies > 0 {
		words += ", " + plural(s.Proxies, "PROXY preface")
	}
	return words
}

// percent is a part of a whole: "4.1%", below it "<0.1%".
func percent(part, whole uint64) string {
	switch {
	case whole == 0:
		return "0%"
	case part*1000 < whole:
		return "<0.1%"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + "%"
}
