package filter

import (
	"fmt"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/internal/nearest"
	"pulsar-dissect/proto"
	"pulsar-dissect/session"
)

func typeNames() []string {
	var names []string
	for i := range proto.Commands {
		names = append(names, proto.Commands[i].Name)
	}
	return append(names, bookie.OpNames()...)
}

// parseTypes reads one or more command types.
func parseTypes(value string) (predicate, error) {
	types := map[int32]bool{}
	for _, name := range strings.Split(value, ",") {
		if err := addTypes(types, strings.TrimSpace(name)); err != nil {
			return nil, err
		}
	}
	return func(_ *Filter, e *session.Event) bool { return ofType(types, e) }, nil
}

// addTypes takes a name, a pattern or a number. A number need not be in the
// schema.
func addTypes(types map[int32]bool, name string) error {
	number := strings.TrimSuffix(strings.TrimPrefix(strings.ToUpper(name), "UNKNOWN("), ")")
	if n, err := strconv.ParseInt(number, 10, 32); err == nil {
		types[int32(n)] = true
		return nil
	}
	pattern := newGlob(strings.ReplaceAll(strings.ToUpper(name), "-", "_"))
	found := false
	for i := range proto.Commands {
		if c := &proto.Commands[i]; pattern.match(c.Name) {
			types[c.Number], found = true, true
		}
	}
	for _, op := range bookie.Ops() {
		if pattern.match(op.String()) {
			types[decode.BookieTypes+int32(op)], found = true, true
		}
	}
	if !found {
		return fmt.Errorf("there is no command %q%s", name, nearest.Hint(strings.ToUpper(name), typeNames()))
	}
	return nil
}

func ofType(types map[int32]bool, e *session.Event) bool {
	switch e.Kind {
	case session.ExchangeSeen:
		x := e.Exchange
		return x.HasRequest && types[x.Request.Type] || x.HasResponse && types[x.Response.Type]
	case session.FrameSeen, session.MessageSeen, session.PermitsChanged, session.ChunkedMessage:
		return e.Frame != nil && types[e.Frame.Type]
	case session.BookieSeen:
		return types[e.Bookie.Type()]
	}
	return false
}

// fieldsNamed gives, by command type, the number of the field of a name.
func fieldsNamed(name string) map[int32]int32 {
	numbers := map[int32]int32{}
	for i := range proto.Commands {
		c := &proto.Commands[i]
		if f := c.Field.Message().Fields().ByName(nameOf(name)); f != nil {
			numbers[c.Number] = int32(f.Number())
		}
	}
	return numbers
}

// text is a field of the frame's command, empty where it has none.
func text(f *decode.Frame, fields map[int32]int32) string {
	if number := fields[f.Type]; number != 0 && f.Command != nil {
		return string(f.Text(number))
	}
	return ""
}
