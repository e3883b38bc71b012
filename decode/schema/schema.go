package schema

import (
	"encoding/binary"
	"errors"
	"fmt"

	"pulsar-dissect/proto/pb"
)

// Type is the type of a schema (Schema.Type of the protocol).
type Type = pb.Schema_Type

// Info is a schema as clients register it.
type Info struct {
	Type       Type
	Name       string
	Data       []byte // schema_data
	Properties map[string]string
}

// Schema is a compiled schema. It may be used by several goroutines.
type Schema struct {
	Type Type
	Name string // of the outermost type, or as registered

	read reader
	pair *pair // KEY_VALUE: instead of read
}

// reader appends the value of a payload. It says whether it could.
type reader func(w *writer, payload []byte) bool

// ErrNoValue is the error of Compile for schema types that say nothing about
// payloads: none, AUTO_CONSUME, external ones.
var ErrNoValue = errors.New("the schema says nothing about payloads")

// compilers are the schema types that tell what a payload holds, besides the
// primitive ones.
var compilers = map[Type]func(s *Schema, i *Info, member compiler) error{
	pb.Schema_Avro:           compileAvro,
	pb.Schema_Json:           compileJSON,
	pb.Schema_Protobuf:       compileProtobuf,
	pb.Schema_ProtobufNative: compileProtobufNative,
	pb.Schema_KeyValue:       compileKeyValue,
}

// Describes says whether schemas of a type tell what payloads hold.
func Describes(t Type) bool {
	_, primitive := primitives[t]
	return primitive || compilers[t] != nil
}

// compiler is Compile, for schemas in schemas.
type compiler func(Info) (*Schema, error)

// Compile reads a schema. The error says what is wrong with it.
func Compile(i Info) (*Schema, error) {
	if len(i.Data) > largestSchema {
		return nil, fmt.Errorf("a schema of %d bytes; up to %d are read", len(i.Data), largestSchema)
	}
	s := &Schema{Type: i.Type, Name: i.Name}
	if p, ok := primitives[i.Type]; ok {
		s.read = p.read
		return s, nil
	}
	compile := compilers[i.Type]
	if compile == nil {
		return nil, ErrNoValue
	}
	if err := compile(s, &i, Compile); err != nil {
		return nil, fmt.Errorf("%s schema: %w", i.Type, err)
	}
	return s, nil
}

// NeedsWriter says whether payloads can only be read by the very schema that
// they were written with, and not by a compatible one.
func (s *Schema) NeedsWriter() bool {
	if s.pair != nil {
		return s.pair.key.NeedsWriter() || s.pair.value.NeedsWriter()
	}
	return s.Type == pb.Schema_Avro
}

// Value is what a message carries.
type Value struct {
	Payload []byte
	Null    bool   // null_value: there is no payload
	Key     []byte // decoded, of a message with a key
	HasKey  bool
	Go      bool // the client is Go's, whose integers are little-endian
}

// Append appends the value as one line of JSON. The error is an *Error; dst is
// then returned as it was, unless the payload is JSON that can be shown and
// does not fit the schema.
func (s *Schema) Append(dst []byte, v Value) ([]byte, error) {
	n := len(v.Payload) + len(v.Key)
	if n > largestPayload {
		return dst, errorf("", "a payload of %d bytes; values of up to %d are read", n, largestPayload)
	}
	w := writers.Get().(*writer)
	defer w.release()
	w.reset(dst, valueLimit(n))
	if v.Go {
		w.integers = binary.LittleEndian
	}
	ok := false
	if s.pair != nil {
		ok = s.pair.append(w, v)
	} else {
		ok = w.payload(s, v.Payload, v.Null)
	}
	switch {
	case !ok:
		return dst, w.failed
	case w.misfit != nil:
		return w.dst, w.misfit
	}
	return w.dst, nil
}

func (w *writer) payload(s *Schema, b []byte, null bool) bool {
	if null {
		w.dst = append(w.dst, "null"...)
		return true
	}
	return s.read(w, b)
}
