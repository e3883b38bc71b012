// Package metrics counts a live run for Prometheus.
//
// In: the events of session and the findings of a run, one by one, and every now
// and then the counts of its source. Out: an http.Handler that gives the counts
// as they were published last.
//
// The pipeline runs in one goroutine, and scrapes come in others. So that no event
// takes a lock or touches memory that another core reads, events are counted in
// plain fields (counts.go), and a copy of them that is never changed again is put
// where scrapes find it: when nothing more is at hand, and every so many events,
// but not more often than once a second.
//
// Labels are bounded: topics beyond Limits.Topics share the label other, and
// neither ids nor names of clients, addresses or anything that is secret become
// one.
//
// To be changed here: what is counted. A metric is a field of counts and a row in
// families.go.
package metrics
