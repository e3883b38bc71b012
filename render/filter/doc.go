// Package filter decides which records of a run are shown.
//
// In: flags as a user wrote them (a name and a value), then the events of
// session. Out: yes or no for each event. Values of the same flag are
// alternatives, different flags must all hold, and a negated value must not.
//
// A row in Flags is a flag. An expression (flag "filter", in the Common
// Expression Language, https://cel.dev) sees the record as it stands in the
// JSON output; only then a record is made and decoded.
//
// To be changed here: what a flag means. How flags are read from a command
// line, and what is done with the events, is said elsewhere.
package filter
