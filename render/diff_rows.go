package render

import (
	"cmp"
	"maps"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/session/summary"
)

// From when on a difference is worth showing.
const (
	faultFactor   = 1.2 // of the rates of what should not be
	trafficFactor = 2   // of all other rates, and of latencies
	trafficLeast  = 10  // rates of fewer than this vary by themselves
	p50Least      = 10  // latencies on each side for its median to be compared
	p99Least      = 100
	rateLeast     = 1 // seconds: rates of shorter captures say nothing
)

// change is how the second run differs from the first.
type change string

const (
	same   change = "same"
	isNew  change = "new"
	gone   change = "gone"
	more   change = "more"
	fewer  change = "fewer"
	slower change = "slower"
	faster change = "faster"
)

// changes are in the order of their weight.
var changes = []change{isNew, slower, more, fewer, faster, gone, same}

// diffRow is a count of both runs.
type diffRow struct {
	name   string
	count  [2]uint64
	rate   [2]float64 // per second; 0 where a run is too short to tell
	change change
}

// diffSection is a group of counts.
type diffSection struct {
	name, title string
	failed      bool // it stands above latencies
	fault       bool // any more of it is bad
	lossy       bool // what a capture lacks changes it
	of          func(*Side) tally
}

var diffSections = []diffSection{
	{"errors", "ERRORS", true, true, true, func(s *Side) tally { return troubleTally(s.summary.Errors()) }},
	{"unanswered", "NOT ANSWERED", true, true, true, func(s *Side) tally { return troubleTally(s.summary.Unanswered()) }},
	{"redelivered", "REDELIVERED MESSAGES", true, true, true, redeliveredOf},
	{"network", "NETWORK (SEGMENTS)", false, false, false, networkOf},
	{"connections", "CONNECTIONS AND HOW THEY ENDED", false, false, true, func(s *Side) tally { return s.ends }},
	{"versions", "VERSIONS (CONNECTIONS)", false, false, true, func(s *Side) tally { return s.versions }},
	{"checksums", "CHECKSUMS", false, false, true, checksumsOf},
	{"codecs", "CODECS (ENTRIES)", false, false, true, codecsOf},
	{"topics", "TOPICS (MESSAGES SENT)", false, false, true, topicsOf},
	{"subscriptions", "SUBSCRIPTIONS (MESSAGES DELIVERED)", false, false, true, subscriptionsOf},
	{"traffic", "TRAFFIC", false, false, true, trafficOf},
	{"commands", "COMMANDS", false, false, true, commandsOf},
	{"capture", "CAPTURE", false, true, false, (*Side).lost},
}

func troubleTally(rows []summary.Trouble, others uint64) tally {
	t := tally{}
	for i := range rows {
		t.add(words(rows[i].Request, rows[i].What), rows[i].Count)
	}
	t.add(otherNames, others)
	return t
}

// words are two of them, or one if the other is empty.
func words(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// networkOf is what TCP had to cope with.
func networkOf(s *Side) tally {
	t, n := tally{}, &s.summary.TCP
	t.add("retransmitted", n.Retransmitted)
	t.add("out of order", n.OutOfOrder)
	t.add("zero windows", n.ZeroWindows)
	t.add("wrong checksums", n.WrongChecksums)
	return t
}

func checksumsOf(s *Side) tally {
	t := tally{}
	for c := decode.ChecksumOK; c <= decode.ChecksumAbsent; c++ {
		t.add(c.String(), s.summary.Checksums[c])
	}
	return t
}

func codecsOf(s *Side) tally {
	t := tally{}
	for d, what := range []string{"sent ", "delivered "} {
		rows, others := s.summary.Codecs(decode.Direction(d))
		for i := range rows {
			t.add(what+rows[i].Codec.String(), rows[i].Entries.Entries)
		}
		t.add(what+otherNames, others.Entries)
	}
	return t
}

// topicsOf has a row for each topic, also where nothing was sent to it.
func topicsOf(s *Side) tally {
	t := tally{}
	rows, others, _ := s.summary.Produced()
	for i := range rows {
		if rows[i].Topic != "" {
			t[foldName(rows[i].Topic)] += rows[i].Messages
		}
	}
	t.add(otherNames, others.Messages)
	return t
}

func subscriptionsOf(s *Side) tally {
	t := tally{}
	rows, others, _ := s.summary.Consumed()
	for i := range rows {
		if rows[i].Topic != "" {
			t[subscriptionText(&rows[i])] += rows[i].Messages
		}
	}
	t.add(otherNames, others.Messages)
	return t
}

func redeliveredOf(s *Side) tally {
	t := tally{}
	rows, others, _ := s.summary.Consumed()
	for i := range rows {
		t.add(subscriptionText(&rows[i]), rows[i].Redelivered)
	}
	t.add(otherNames, others.Redelivered)
	return t
}

func subscriptionText(r *summary.Consumed) string {
	return words(foldName(r.Topic), foldName(r.Subscription))
}

func trafficOf(s *Side) tally {
	t := tally{}
	t.add("frames", s.summary.Frames)
	for d, what := range []string{"sent", "delivered"} {
		rows, all := s.summary.Codecs(decode.Direction(d))
		for i := range rows {
			all.Messages, all.Bytes = all.Messages+rows[i].Messages, all.Bytes+rows[i].Bytes
		}
		t.add("messages "+what, all.Messages)
		t.add("payload bytes "+what, all.Bytes)
	}
	return t
}

func commandsOf(s *Side) tally {
	t := tally{}
	rows, others := s.summary.Commands()
	for d := decode.ClientToServer; d <= decode.ServerToClient; d++ {
		for i := range rows {
			t.add(d.String()+" "+rows[i].Name, rows[i].Count[d])
		}
		t.add(d.String()+" "+otherNames, others[d])
	}
	return t
}

// rows compares the counts of two runs, most important first.
func (x *diffSection) rows(sides [2]*Side) (rows []diffRow) {
	before, after := x.of(sides[0]), x.of(sides[1])
	names := maps.Clone(before)
	maps.Copy(names, after)
	seconds := [2]float64{sides[0].seconds(), sides[1].seconds()}
	for name := range names {
		was, had := before[name]
		is, has := after[name]
		r := diffRow{name: name, count: [2]uint64{was, is}}
		if min(seconds[0], seconds[1]) >= rateLeast {
			r.rate = [2]float64{float64(was) / seconds[0], float64(is) / seconds[1]}
		}
		r.change = x.changed(&r, had, has)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

func compareRows(a, b diffRow) int {
	return cmp.Or(a.change.compare(b.change), cmp.Compare(a.name, b.name))
}

func (c change) compare(d change) int {
	return cmp.Compare(slices.Index(changes, c), slices.Index(changes, d))
}

func (x *diffSection) changed(r *diffRow, had, has bool) change {
	factor, least := float64(trafficFactor), uint64(trafficLeast)
	if x.fault {
		factor, least = faultFactor, 1
	}
	was, is := r.amounts()
	switch {
	case !had:
		return isNew
	case !has:
		return gone
	case max(r.count[0], r.count[1]) < least:
		return same
	case is >= was*factor && is > was:
		return more
	case was >= is*factor && was > is:
		return fewer
	}
	return same
}

// amounts are the rates, or the counts where there are none.
func (r *diffRow) amounts() (before, after float64) {
	if r.rate != [2]float64{} {
		return r.rate[0], r.rate[1]
	}
	return float64(r.count[0]), float64(r.count[1])
}
