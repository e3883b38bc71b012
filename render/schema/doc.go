// Package schema describes the records of the JSON output as a JSON Schema
// (https://json-schema.org/draft/2020-12).
//
// In: the tables of records in this package, the names that the other packages
// give to their values, and the descriptors of commands and metadata. Out: the
// document, and the names that stand at the top of records.
//
// A field of a record is a row in records.go; a change of it that breaks
// readers needs a new Version. Commands and metadata need no change here: they
// follow from the descriptors.
package schema
