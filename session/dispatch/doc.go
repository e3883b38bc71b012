// Package dispatch follows what brokers owe to consumers: entries that were
// stored in a topic, that its subscriptions wait for, that were delivered,
// acknowledged or given back, and the permits of each consumer meanwhile.
//
// In: the events of session, one by one (Tracker.Add), and the end of the run
// (Finish). Out: how each consumer is doing (Verdict), each delivery with what
// had become of the one before (Delivery), and each time in which a
// subscription had messages to deliver and none moved, with the cause (Stall).
//
// It joins what session keeps apart by connection: a topic is known by its name
// and by the server that was talked to, and goes with its consumers and
// producers when they reconnect to another broker. Two views of one connection,
// before and behind a proxy, so stay two.
//
// It is a package of its own, and not part of session, because only those who
// judge consumers need it: it costs a table of entries, which the other faces of
// a run need not pay for. Rules, the verdicts and their faces share it.
//
// What is held is bounded by Limits, oldest let go first, and counted.
package dispatch
