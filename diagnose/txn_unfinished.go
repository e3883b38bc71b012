package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
)

var txnUnfinished = &Rule{
	Name:     "txn-unfinished",
	Severity: Warning,
	Title:    "Transaction was opened and never ended",
	Meaning: "A client opened a transaction and neither committed nor aborted it before its connection ended. Until its time is up nothing behind its messages is " +
		"delivered in the topics that it wrote to, and what it acknowledged stays pending.",
	Advice: "End transactions on every path of the program, also when it fails. Keep their time to live short.",
	Blind:  "An end that was sent over a connection that is not in the capture. Those still open when the capture ends are info.",
	Frames: txnFrames,
	Kinds:  txnKinds,
	Start: func(r *Reporter) Watch {
		t := newTransactions()
		t.left = func(x *transaction, e *session.Event) {
			if !gapless(e.Conn) {
				return
			}
			f := Finding{Severity: Info, Subject: x.subject(), Evidence: []Evidence{x.opened},
				Detail: fmt.Sprintf("Opened at %s, open for %s when the capture ends.", clock(x.opened.Time), lasting(r.now()-x.opened.Time))}
			if end, ok := endingOf(e.Conn); ok {
				f.Severity = Warning
				f.Evidence = append(f.Evidence, end.evidence(e.Conn))
				f.Detail = fmt.Sprintf("Opened at %s and not ended when %s %s later.", clock(x.opened.Time), end.String(), lasting(end.at.Time-x.opened.Time))
			}
			r.Report(f)
		}
		return t.event
	},
}
