// Package trace follows messages through a run: attempts to send, receipts,
// bookies, deliveries, acknowledgements, and their way over retry and
// dead-letter topics.
//
// In: the events of session, one by one, and what tells the message (Want).
// Out: stories, each the steps of one entry and of what was made of it, in
// order of time.
//
// Memory is bounded by Limits. SENDs whose receipt may yet show that they are
// wanted are remembered, the oldest let go first.
package trace
