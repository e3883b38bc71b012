// Package stats counts traffic by topic, subscription, producer, consumer,
// connection, client version or command, over the whole run or interval by
// interval, and keeps what a broker would tell of its topics at an instant.
//
// In: the events of session, one by one. Out: rows with counts, sizes and
// distributions of latencies that can be merged (Stats), and topics with their
// publishers and subscriptions (Topics).
//
// Memory is bounded by Limits: what has no row of its own is counted in a row
// for the others, and said to be.
//
// To be changed here: what is counted, and by what. A grouping is a row of the
// table in group.go.
package stats
