// Package diagnose finds causes: rules look at the events of a session and
// report findings.
//
// In: the events of session, one after another, and the end of the run. Out:
// findings, folded where the same is found again, most severe first.
//
// A rule is one file and one row in the list of rules.go. It says which events
// it wants to see; it keeps its own state, bounded; it reports by
// Reporter.Report. What a finding says is for an operator: what happened, to
// whom, which frames prove it, what to do.
//
// A gap in the capture is never taken for a fault of the protocol: a rule whose
// evidence crosses a gap, or the start or end of the capture, says so or stays
// silent (see quality.go). On a healthy capture no rule reports a warning or an
// error.
//
// What several rules follow has a file of its own: who holds a producer name
// (holders.go), what became of each SEND (resends.go), redirected lookups
// (redirects.go), what a broker closed (dismissals.go), deliveries (following.go).
//
// The package knows nothing of output formats.
package diagnose
