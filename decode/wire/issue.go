package wire

import "strconv"

// IssueKind is one thing that can be wrong with bytes that can be walked. The
// kinds are bits, so that Walk.Found holds all that were found.
type IssueKind uint8

// The kinds of issues.
const (
	UnknownField     IssueKind = 1 << iota // the schema has no field of this number
	UnknownEnum                            // the schema has no name for this value
	WrongWireType                          // the field is there, but as another wire type; kept as unknown
	RepeatedSingular                       // a field that occurs once at most occurs again
	BadUTF8                                // a string that is not UTF-8
	MissingRequired                        // a required field is not there
)

// MaxIssues bounds the issues kept of one walk; Walk.Unlisted counts the rest.
const MaxIssues = 256

var issueNames = map[IssueKind]string{
	UnknownField:     "unknown_field",
	UnknownEnum:      "unknown_enum",
	WrongWireType:    "wrong_wire_type",
	RepeatedSingular: "repeated_singular",
	BadUTF8:          "bad_utf8",
	MissingRequired:  "missing_required",
}

func (k IssueKind) String() string { return issueNames[k] }

// Issue is one such thing. Its text is made on demand from the nodes of the
// walk, hence before the next Parse.
type Issue struct {
	Kind  IssueKind
	Field *Field // nil for UnknownField
	Value int64  // field number, enum value or wire type

	walk   *Walk
	parent int32 // message that holds the field, -1 at the top
}

func (w *Walk) issue(kind IssueKind, parent int32, f *Field, value int64) {
	w.Found |= kind
	if len(w.Issues) >= MaxIssues {
		w.Unlisted++
		return
	}
	w.Issues = append(w.Issues, Issue{Kind: kind, Field: f, Value: value, walk: w, parent: parent})
}

// String returns what Append appends.
func (i Issue) String() string { return string(i.Append(nil)) }

// Append appends kind and path of the field, and the value in question:
// "missing_required:subscribe.topic", "unknown_enum:subscribe.subType=9",
// "unknown_field:subscribe.99" ("unknown_field:BaseCommand.99" at the top).
func (i Issue) Append(dst []byte) []byte {
	dst = append(dst, i.Kind.String()...)
	dst = append(dst, ':')
	path := len(dst)
	dst = i.walk.appendPath(dst, i.parent)
	if i.Kind == UnknownField {
		if i.parent < 0 {
			dst = append(dst, i.walk.Table.Name...)
		}
		return strconv.AppendInt(append(dst, '.'), i.Value, 10)
	}
	if len(dst) > path {
		dst = append(dst, '.')
	}
	dst = append(dst, i.Field.Name...)
	if i.Kind == UnknownEnum || i.Kind == WrongWireType {
		dst = strconv.AppendInt(append(dst, '='), i.Value, 10)
	}
	return dst
}

// appendPath appends the names from the top down to node at, with dots.
func (w *Walk) appendPath(dst []byte, at int32) []byte {
	path := len(dst)
	for i := int32(0); i <= at; {
		n := &w.Nodes[i]
		if at >= n.Next {
			i = n.Next
			continue
		}
		if len(dst) > path {
			dst = append(dst, '.')
		}
		dst = append(dst, n.Field.Name...)
		i++
	}
	return dst
}
