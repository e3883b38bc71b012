// Package otlp tells an OpenTelemetry collector what a run has seen, as spans.
//
// In: the events of session. Out: spans, posted in batches (OTLP over HTTP, binary).
//
// An exchange is a span from the request to its response. What happens to an entry
// is three, each the child of the one before: send, from the SEND to its receipt;
// deliver, from the receipt to the MESSAGE, one for each; ack, from the MESSAGE to
// its acknowledgement. Where properties of its messages say what trace they are
// part of (traceparent, W3C Trace Context), the spans are in that trace, once for
// each; else in one of the entry's own. Ids are made from what is on the wire, so that
// the same capture gives the same ones, and so do two captures of the two sides of
// a broker.
//
// The pipeline never waits for the network: a full queue drops spans, which are
// counted. Where the input is a file it does wait, since a file can.
//
// The messages are those of go.opentelemetry.io/proto in the form that needs
// nothing but protobuf; they are posted by net/http.
//
// To be changed here: what spans say (attributes.go), and which there are
// (exchanges.go, entries.go).
package otlp
