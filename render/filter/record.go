package filter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"pulsar-dissect/session"
)

// record is an event as an expression sees it: its JSON, read back, so that
// both have the same names and values. It is made when it is asked for.
type record struct {
	encode func(dst []byte, e *session.Event) []byte
	stale  bool // fields are those of an event before
	buf    []byte
	fields map[string]any
}

// make reads the record of an event, unless it is at hand.
func (r *record) make(e *session.Event) error {
	if !r.stale {
		return nil
	}
	r.buf = r.encode(r.buf[:0], e)
	r.fields = nil
	d := json.NewDecoder(bytes.NewReader(r.buf))
	d.UseNumber() // ids have 64 bits, more than a float64 holds
	if err := d.Decode(&r.fields); err != nil {
		return fmt.Errorf("the record cannot be read: %w", err)
	}
	r.stale = false
	return nil
}

// ResolveName gives a variable of an expression.
func (r *record) ResolveName(name string) (any, bool) {
	if name == wholeRecord {
		return r.fields, true
	}
	v, ok := r.fields[name]
	return v, ok
}

// Parent says that there are no variables but these.
func (r *record) Parent() cel.Activation { return nil }

// numbers makes CEL values of JSON values: integers exact, as uint where they
// are too large for an int.
type numbers struct{}

// NativeToValue takes what a JSON decoder gives.
func (a numbers) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case json.Number:
		return number(string(v))
	case map[string]any:
		return types.NewStringInterfaceMap(a, v)
	case []any:
		return types.NewDynamicList(a, v)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}

func number(text string) ref.Val {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int(i)
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return types.Uint(u)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Double(f)
}
