package schema

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object whose members stay in order.
type object []member

type member struct {
	name  string
	value any
}

// with is the object with one more member.
func (o object) with(name string, value any) object {
	return append(o[:len(o):len(o)], member{name, value})
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	separator := byte('{')
	for _, m := range o {
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.WriteByte(separator)
		b.Write(append(append(name, ':'), value...))
		separator = ','
	}
	if separator == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
