// Package summary counts what a run has shown: commands, messages by topic and
// subscription, exchanges with their latencies, and everything that was wrong,
// each with an example to look at.
//
// In: the events of session, one by one, and at the end the counters of the
// stages before it (Totals). Out: a Summary, which the faces of render print.
//
// Memory does not grow with the length of the run: tables that the wire could
// fill have a limit (Limits), and what does not fit is counted in a row
// "others". Nothing is allocated per event once a row is there.
//
// To be changed here: what is counted, and when putting packets in order is
// advised. Other counters of a stage need no change: Totals passes them on.
package summary
