package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/google/cel-go/common/types"
)

// Records are JSON of our own making, without white space. An expression asks
// for a few of their values: only these are decoded, and the rest is passed
// over, which takes a tenth of the time that decoding all of it takes.

var errNoJSON = errors.New("the record is no JSON")

// after gives the index behind the value that b begins with, -1 if there is
// none.
func after(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	switch b[0] {
	case '"':
		return afterString(b)
	case '{', '[':
		return afterNested(b)
	}
	if i := bytes.IndexAny(b, ",]}"); i > 0 {
		return i
	}
	return len(b)
}

// afterString takes a quote with an odd number of backslashes ahead of it for
// a part of the string.
func afterString(b []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n + 1
		slashes := 0
		for b[i-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
}

func afterNested(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := afterString(b[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// items cuts an object or array into its members or elements, of which the
// latter have no name. A name is in its quotes.
func items(b []byte, take func(name, value []byte)) error {
	if len(b) < 2 || b[len(b)-1] != b[0]+2 { // as } is to {, and ] to [
		return errNoJSON
	}
	named := b[0] == '{'
	for b = b[1 : len(b)-1]; len(b) > 0; {
		var name []byte
		if named {
			n := after(b)
			if n < 2 || n >= len(b) || b[0] != '"' || b[n] != ':' {
				return errNoJSON
			}
			name, b = b[:n], b[n+1:]
		}
		n := after(b)
		if n <= 0 || n < len(b) && b[n] != ',' {
			return errNoJSON
		}
		take(name, b[:n])
		b = b[min(n+1, len(b)):]
	}
	return nil
}

// readValue gives the value of JSON text: string, bool, nil, types.Int,
// types.Uint, types.Double, map[string]any or []any.
func readValue(b []byte) (value any, err error) {
	switch b[0] {
	case '"':
		return unquote(b)
	case '{':
		return readObject(b)
	case '[':
		return readArray(b)
	case 't', 'f':
		return strconv.ParseBool(string(b))
	case 'n':
		return nil, nil
	}
	return readNumber(string(b))
}

func unquote(b []byte) (text string, err error) {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b[1 : len(b)-1]), nil
	}
	err = json.Unmarshal(b, &text)
	return text, err
}

func readObject(b []byte) (map[string]any, error) {
	object := map[string]any{}
	var fault error
	err := items(b, func(name, value []byte) {
		key, badKey := unquote(name)
		v, badValue := readValue(value)
		fault = errors.Join(fault, badKey, badValue)
		object[key] = v
	})
	return object, errors.Join(err, fault)
}

func readArray(b []byte) (array []any, err error) {
	var fault error
	err = items(b, func(_, value []byte) {
		v, err := readValue(value)
		fault = errors.Join(fault, err)
		array = append(array, v)
	})
	return array, errors.Join(err, fault)
}

// readNumber gives integers exact: as uint where they are too large for an
// int.
func readNumber(text string) (any, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int(i), nil
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return types.Uint(u), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return types.Double(f), err
}
