package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"pulsar-dissect/session"
)

var sendResent = &Rule{
	Name:     "send-resent",
	Severity: Warning,
	Title:    "Messages were sent again after the producer was opened anew",
	Meaning: "After a reconnect a client sends all messages again that had no receipt. One that the broker had stored before the connection was " +
		"lost is then stored twice, unless deduplication is on for the topic.",
	Advice: "Turn deduplication on where duplicates matter (brokerDeduplicationEnabled or the namespace policy), with a producer name that stays the " +
		"same. Find what closed the connection or the producer.",
	Blind: "Whether the first try was stored: its receipt was lost, or never written.",
	Kinds: []session.Kind{session.RunEnd},
	Start: func(r *Reporter) Watch {
		hs := r.histories()
		return func(*session.Event) {
			slices.SortFunc(hs.resenders, func(a, b *history) int { return cmp.Compare(a.number, b.number) })
			for _, h := range hs.resenders {
				h.report(r)
			}
		}
	},
}

// report tells of what a producer sent again, and what became of it.
func (h *history) report(r *Reporter) {
	var certain, possible, known, refused int
	f := Finding{Severity: Info, Subject: Subject{ConnID: -1, Topic: h.topic, Producer: h.name}, Count: len(h.resent)}
	for _, x := range h.resent {
		switch first, again := x.first, x.again; {
		case first == stored && again == stored:
			certain++
		case first == pending && again == stored:
			possible++
		case again == duplicate:
			known++
		case first == refusedIt:
			refused++
		}
		f.Evidence = append(f.Evidence, x.evidence...)
	}
	if certain+possible > 0 {
		f.Severity = Warning
	}
	first, last := h.resent[0], h.resent[len(h.resent)-1]
	f.Detail = fmt.Sprintf("%s sent %s again, of sequence ids %d to %d, from %s on.", h.name, counted(len(h.resent), "SEND"), first.sequence,
		last.sequence, clock(first.time))
	for _, part := range []struct {
		n    int
		text string
	}{
		{certain, "%d were stored twice by their receipts."},
		{possible, "%d had no answer before and were stored now: twice, if the first try was stored as well."},
		{known, "%d the broker knew and dropped (deduplication)."},
		{refused, "%d had been refused before."},
	} {
		if part.n > 0 {
			f.Detail += " " + fmt.Sprintf(part.text, part.n)
		}
	}
	r.Report(f)
}
