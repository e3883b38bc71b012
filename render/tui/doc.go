// Package tui shows a run on a terminal while it goes on: tables of topics,
// consumers, producers, connections and findings, the list of events, and what
// is in one of them.
//
// In: a Feed takes the events of session and findings, as any render.Sink, on the
// goroutine of the pipeline. Out: every now and then it makes a Snapshot, which
// nobody changes any more, and leaves it where the screen looks for it. So the
// pipeline never waits for the terminal, and the terminal shows the latest there
// is. Model is the screen, by bubbletea: it takes keys and snapshots, and
// gives the lines to be shown; only those that changed are written.
//
// Of each event a line and its place are kept (Log), within Limits. What is not
// kept is read again by whoever made the run (Actions).
//
// To be changed here: what is shown. A table is a file with its columns, and a
// row in the list of screens.go.
package tui
