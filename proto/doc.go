// Package proto is the schema of the Pulsar binary protocol, its catalogue of
// commands, and the schema of what brokers and bookies say to each other.
//
// In: nothing. Out: the descriptors and Go types of all messages (package pb,
// generated from pulsar.proto and markers.proto, and package bookiepb, from
// bookkeeper.proto), the number of every field (package field, generated), one
// row per command type (Commands, ByNumber) and the list of fields that hold
// secrets (IsSecret).
//
// To change: the .proto files, then `go generate ./proto`; the tables of
// facts.go for what a schema does not tell. A test holds the schema against
// the tables of facts in testdata.
package proto

//go:generate go run -C gen .
