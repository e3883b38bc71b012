package schema

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pulsar-dissect/proto/pb"
)

// pair is a KEY_VALUE schema.
type pair struct {
	key, value *Schema
	separated  bool // the key is that of the message
}

// Properties of a KEY_VALUE schema.
const (
	propertyEncoding = "kv.encoding.type"
	separated        = "SEPARATED" // else INLINE
)

// compileKeyValue reads [size][key schema][size][value schema]; what types
// they are is in the properties.
func compileKeyValue(s *Schema, i *Info, member compiler) error {
	key, rest, err := sized(i.Data)
	if err != nil {
		return fmt.Errorf("key schema: %w", err)
	}
	value, rest, err := sized(rest)
	if err != nil {
		return fmt.Errorf("value schema: %w", err)
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d bytes behind the value schema", len(rest))
	}
	p := &pair{separated: strings.EqualFold(i.Properties[propertyEncoding], separated)}
	if p.key, err = half(i, "key", key, member); err != nil {
		return fmt.Errorf("key: %w", err)
	}
	if p.value, err = half(i, "value", value, member); err != nil {
		return fmt.Errorf("value: %w", err)
	}
	s.pair = p
	return nil
}

var errCut = errors.New("cut off")

// sized takes off what a size stands before: 4 bytes, big-endian; nil for -1.
func sized(b []byte) (part, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errCut
	}
	n := int64(int32(binary.BigEndian.Uint32(b)))
	b = b[4:]
	switch {
	case n == -1:
		return nil, b, nil
	case n < 0 || n > int64(len(b)):
		return nil, nil, fmt.Errorf("size %d, %d bytes left", n, len(b))
	}
	return b[:n:n], b[n:], nil
}

// half compiles the schema of the key or of the value.
func half(i *Info, which string, data []byte, member compiler) (*Schema, error) {
	part := Info{Name: i.Properties[which+".schema.name"], Data: data}
	t := i.Properties[which+".schema.type"]
	part.Type = typeNames[t]
	if t == "" || t == "BYTES" || t == "NONE" {
		return &Schema{Type: pb.Schema_None, Name: part.Name, read: (*writer).bytes}, nil
	}
	if part.Type == pb.Schema_None || part.Type == pb.Schema_KeyValue {
		return nil, fmt.Errorf("a schema of type %s", short(t))
	}
	if text := i.Properties[which+".schema.properties"]; text != "" {
		if err := json.Unmarshal([]byte(text), &part.Properties); err != nil {
			return nil, fmt.Errorf("properties: %w", err)
		}
	}
	return member(part)
}

// typeNames are the names of schema types in properties and in schema files.
var typeNames = map[string]Type{
	"STRING": pb.Schema_String, "JSON": pb.Schema_Json, "PROTOBUF": pb.Schema_Protobuf, "AVRO": pb.Schema_Avro,
	"BOOLEAN": pb.Schema_Bool, "INT8": pb.Schema_Int8, "INT16": pb.Schema_Int16, "INT32": pb.Schema_Int32,
	"INT64": pb.Schema_Int64, "FLOAT": pb.Schema_Float, "DOUBLE": pb.Schema_Double, "DATE": pb.Schema_Date,
	"TIME": pb.Schema_Time, "TIMESTAMP": pb.Schema_Timestamp, "KEY_VALUE": pb.Schema_KeyValue,
	"INSTANT": pb.Schema_Instant, "LOCAL_DATE": pb.Schema_LocalDate, "LOCAL_TIME": pb.Schema_LocalTime,
	"LOCAL_DATE_TIME": pb.Schema_LocalDateTime, "PROTOBUF_NATIVE": pb.Schema_ProtobufNative,
}

// append writes {"key": ..., "value": ...}. Inline, the payload is
// [size][key][size][value]; a size of -1 stands for null.
func (p *pair) append(w *writer, v Value) bool {
	key, noKey, value, null := v.Key, !v.HasKey, v.Payload, v.Null
	if !p.separated {
		if null {
			return w.put(append(w.dst, "null"...))
		}
		var rest []byte
		var err error
		if key, rest, err = sized(v.Payload); err != nil {
			return w.fail("key: %v", err)
		}
		if value, rest, err = sized(rest); err != nil {
			return w.fail("value: %v", err)
		}
		if len(rest) > 0 {
			return w.fail("%d bytes behind the value", len(rest))
		}
		noKey, null = key == nil, value == nil
	}
	w.dst = append(w.dst, `{"key":`...)
	if !w.half("key", p.key, key, noKey) {
		return false
	}
	w.dst = append(w.dst, `,"value":`...)
	return w.half("value", p.value, value, null) && w.put(append(w.dst, '}'))
}

func (w *writer) half(name string, s *Schema, b []byte, null bool) bool {
	w.path = append(w.path, named(name))
	defer w.leave()
	return w.payload(s, b, null)
}
