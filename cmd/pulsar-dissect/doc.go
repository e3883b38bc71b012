// Command pulsar-dissect reads captures of Apache Pulsar traffic and shows what
// was said.
//
// In: a command line. Out: text or JSON on standard output, messages on
// standard error, an exit status (exit.go). main is a doorway; each subcommand
// has a file and a row in the list in root.go. A view (a face of the events of
// a run) is a row of its own file too: what it shows, how it explains itself,
// and which sink of package render writes it. Flags that views share are in
// flags.go, limits in limits.go.
//
// To be changed here: the command line, and how the stages are put together
// (pipeline.go). What a packet, a frame or a row means is said elsewhere.
package main
