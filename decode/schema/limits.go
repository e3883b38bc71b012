package schema

// Limits of schemas and of values.
const (
	largestSchema  = 1 << 20  // bytes of schema_data, or of a schema file
	mostTypes      = 20_000   // types in one schema
	deepest        = 100      // levels of nesting, in schemas and in values
	largestPayload = 5 << 20  // bytes
	mostParts      = 200_000  // fields of protobuf messages, members of JSON objects and maps
	leastValue     = 16 << 10 // bytes of JSON that any payload may become
	largestValue   = 16 << 20 // bytes of JSON that no value is longer than
	valuePerByte   = 256      // bytes of JSON for each byte of the payload
	longestName    = 64       // bytes of a name from a payload that an error shows
	largestDecimal = 256      // bytes of a decimal's unscaled number
)

// valueLimit is how many bytes of JSON a payload of n bytes may become. A few
// bytes of Avro can describe any number of values without bytes.
func valueLimit(n int) int { return min(leastValue+valuePerByte*n, largestValue) }
