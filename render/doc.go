// Package render shows what a run gave: one type per face, each a Sink.
//
// In: the events of session, one by one, and at the end the counters of all
// stages (End); for a face that is Diagnosed, verdicts on consumers in between,
// and findings ahead of the end. Out: text, written row by row to an io.Writer.
//
// Records is the face for scripts, JSON Lines made by JSON. The faces for
// people are Analyze, Findings, Consumers, Timeline, Pairs and Messages, each as
// a table fitted to the terminal or as a line a row. Their memory does not grow
// with the length of the run: rows are written as they come, in columns of fixed
// width, and what must wait (an id that comes with the receipt, a latency that
// comes with the answer) waits within limits; Analyze, Findings and Consumers
// print all at the end, of what is bounded. JUnitReport and SARIFReport are
// documents for tools. Cells are records as tables for other programs, whose columns
// cells_columns.go lists. Dissection shows frames byte by byte, which package anatomy
// explains. A Side writes nothing: Compare takes two of them, and Diff
// shows how they differ (diff_rows.go lists what is counted, a row a section).
//
// Text from the wire never reaches a terminal as it is: appendVisible, or the
// text face of a walk, shows what a terminal could obey as escapes. Credentials
// are redacted unless Options.ShowSecrets is set.
//
// To be changed here: how things look. A new command needs no change: its
// fields are shown by the schema's tables. phrases.go has the commands whose
// lines are worth choosing fields for; analyze_problems.go lists what the
// overview calls a problem, a function each.
package render
