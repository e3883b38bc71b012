// Program lab holds pulsar-dissect against a real broker and real clients: it starts
// a standalone broker of Apache Pulsar, captures on loopback while clients produce and
// consume, and checks that
//
//   - the records of the live run are those of the file that it wrote meanwhile;
//   - what clients say of their messages (ids, contents, keys, properties,
//     redeliveries, acknowledgements) is what the records say;
//   - the kernel lost no packets at the highest rate that clients and broker reach,
//     or how many.
//
// It needs Java 17 or later, Maven, and the right to capture; where one is missing
// it says so and checks nothing. The broker's jars (about 235 MB) are kept in -dir.
//
// To be changed here: what clients do (clients.go, one row each), what is compared
// (compare.go).
//
// It is a module of its own, so that the client is no dependency of the product.
package main
