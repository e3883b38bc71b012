package wire

import "fmt"

// Reason says why bytes cannot be walked any further.
type Reason uint8

// The reasons.
const (
	ShortVarint   Reason = iota // a varint runs past the end of its message
	LongVarint                  // a varint of more than 10 bytes
	ShortFixed                  // a fixed value runs past the end of its message
	LengthPastEnd               // a length points past the end of its message
	BadNumber                   // field number 0, or a tag of more than 32 bits
	Group                       // wire types 3 and 4, which the protocol does not have, or 6 and 7
	TooDeep                     // more than MaxDepth messages within messages
	TooMany                     // more than MaxNodes fields
	TooLong                     // 2 GiB or more
)

var reasons = [...]string{
	ShortVarint:   "varint runs past the end",
	LongVarint:    "varint of more than 10 bytes",
	ShortFixed:    "fixed value runs past the end",
	LengthPastEnd: "length points past the end",
	BadNumber:     "field number is 0 or too large",
	Group:         "wire type is none of the protocol's (0, 1, 2, 5)",
	TooDeep:       "messages nested too deep",
	TooMany:       "too many fields",
	TooLong:       "message of 2 GiB or more",
}

func (r Reason) String() string { return reasons[r] }

// Error tells that bytes are no protobuf message, or beyond a limit.
type Error struct {
	Offset int // of the tag, length or value in question, in the bytes given to Parse
	Reason Reason
}

func (e *Error) Error() string {
	return fmt.Sprintf("not a protobuf message: %s at byte %d", e.Reason, e.Offset)
}
