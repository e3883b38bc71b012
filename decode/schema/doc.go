// Package schema decodes the payloads of messages by the schemas that clients
// register for topics.
//
// In: a schema as the protocol's Schema message has it (Info; Compile), or a
// file (Load); then payloads, decrypted and decompressed. Out: the value as one
// line of JSON (Schema.Append), or an Error that names the field that does not
// fit.
//
// Values look as everywhere in the JSON output: integers exact, bytes base64,
// moments RFC 3339 in UTC, fields in the order of the schema (protobuf: of
// their numbers), no key twice. An Avro union is its branch, without a wrapper.
// What protobuf payloads hold beyond their schema is in "unknown_fields".
//
// Payloads and schemas are hostile: what a value may cost is bounded by its
// payload (limits.go), and nesting by a depth.
//
// To change: a schema type is a row in schema.go; a primitive type a row in
// primitives.go; a logical type of Avro a row in avro_logical.go. Encodings:
// the Avro specification 1.11 (section Binary encoding), the protobuf encoding
// guide, and for primitives and key/value pairs what the Java client writes.
package schema
