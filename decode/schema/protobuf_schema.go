package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// protoMessage is a message of protobuf, compiled for the walk over its bytes.
type protoMessage struct {
	fields   map[protoreflect.FieldNumber]*protoField
	required []protoreflect.FieldNumber
}

type protoField struct {
	name     string
	kind     protoreflect.Kind
	repeated bool
	pairs    bool             // repeated entries of a map
	symbols  map[int32]string // enum
	message  *protoMessage    // message or group; nil where nothing is known of it
}

// native is the schema_data of PROTOBUF_NATIVE.
type native struct {
	FileDescriptorSet   []byte `json:"fileDescriptorSet"`
	RootMessageTypeName string `json:"rootMessageTypeName"`
}

// compileProtobufNative makes the reader of payloads whose schema is a set of
// descriptors.
func compileProtobufNative(s *Schema, i *Info, _ compiler) error {
	var n native
	if err := json.Unmarshal(i.Data, &n); err != nil {
		return fmt.Errorf("not JSON with a set of descriptors: %w", err)
	}
	md, err := findMessage(n.FileDescriptorSet, n.RootMessageTypeName)
	if err != nil {
		return err
	}
	c := protoCompiler{made: map[protoreflect.FullName]*protoMessage{}}
	m, err := c.message(md)
	if err != nil {
		return err
	}
	s.Name = string(md.FullName())
	s.read = func(w *writer, b []byte) bool { return readProtobuf(w, m, b) }
	return nil
}

// findMessage reads a FileDescriptorSet and finds a message in it. The library
// was written for descriptors from a compiler, these come from the wire: a
// panic in it becomes an error.
func findMessage(set []byte, name string) (md protoreflect.MessageDescriptor, err error) {
	defer func() {
		if r := recover(); r != nil {
			md, err = nil, fmt.Errorf("descriptors that cannot be read: %v", r)
		}
	}()
	var fds descriptorpb.FileDescriptorSet
	if err := (proto.UnmarshalOptions{RecursionLimit: deepest}).Unmarshal(set, &fds); err != nil {
		return nil, fmt.Errorf("no FileDescriptorSet: %w", plainly(err))
	}
	files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(&fds)
	if err != nil {
		return nil, plainly(err)
	}
	d, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, fmt.Errorf("no message %q among the descriptors", short(name))
	}
	md, ok := d.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is no message", short(name))
	}
	return md, nil
}

// protoCompiler makes each message once, also where it holds itself.
type protoCompiler struct {
	made  map[protoreflect.FullName]*protoMessage
	types int
}

func (c *protoCompiler) message(md protoreflect.MessageDescriptor) (*protoMessage, error) {
	if m := c.made[md.FullName()]; m != nil || md.IsPlaceholder() {
		return m, nil
	}
	m := &protoMessage{fields: map[protoreflect.FieldNumber]*protoField{}}
	c.made[md.FullName()] = m
	for i := range md.Fields().Len() {
		if c.types++; c.types > mostTypes {
			return nil, fmt.Errorf("more than %d fields", mostTypes)
		}
		fd := md.Fields().Get(i)
		f := &protoField{name: string(fd.Name()), kind: fd.Kind(), repeated: fd.IsList() || fd.IsMap(), pairs: fd.IsMap()}
		if fd.Enum() != nil {
			f.symbols = symbolsOf(fd.Enum())
		}
		if fd.Message() != nil {
			var err error
			if f.message, err = c.message(fd.Message()); err != nil {
				return nil, err
			}
		}
		m.fields[fd.Number()] = f
		if fd.Cardinality() == protoreflect.Required {
			m.required = append(m.required, fd.Number())
		}
	}
	return m, nil
}

func symbolsOf(ed protoreflect.EnumDescriptor) map[int32]string {
	symbols := map[int32]string{}
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		if _, ok := symbols[int32(v.Number())]; !ok {
			symbols[int32(v.Number())] = string(v.Name())
		}
	}
	return symbols
}

// parsingInfo is the property with the field numbers of a PROTOBUF schema,
// whose data describe the fields in Avro's terms, without numbers.
const parsingInfo = "__PARSING_INFO__"

// compileProtobuf makes the reader of PROTOBUF payloads. The numbers of the
// outermost fields are known, and of enums the symbols in their order, which
// are taken to be numbered from 0. Of messages within, nothing is known: their
// fields are shown by number.
func compileProtobuf(s *Schema, i *Info, _ compiler) error {
	t, err := parseAvro(i.Data)
	if err != nil {
		return err
	}
	if i.Properties[parsingInfo] == "" {
		return errors.New("it has no field numbers (" + parsingInfo + "); a set of descriptors is needed")
	}
	m, err := numbered(t, []byte(i.Properties[parsingInfo]))
	if err != nil {
		return fmt.Errorf("%s: %w", parsingInfo, err)
	}
	if t.name != "" {
		s.Name = t.name
	}
	s.read = func(w *writer, b []byte) bool { return readProtobuf(w, m, b) }
	return nil
}

// numbered makes a message of a list of field numbers.
func numbered(t *avroType, list []byte) (*protoMessage, error) {
	var fields []struct {
		Number      protoreflect.FieldNumber
		Name        string
		Type, Label string
	}
	if err := json.Unmarshal(list, &fields); err != nil {
		return nil, err
	}
	m, seen := &protoMessage{fields: map[protoreflect.FieldNumber]*protoField{}}, map[string]bool{}
	for _, x := range fields {
		kind, ok := protoKinds[x.Type]
		switch {
		case !ok:
			return nil, fmt.Errorf("field %s: there is no type %q", short(x.Name), short(x.Type))
		case m.fields[x.Number] != nil || seen[x.Name]:
			return nil, fmt.Errorf("field %s (number %d) is there twice", short(x.Name), x.Number)
		}
		seen[x.Name] = true
		f := &protoField{name: x.Name, kind: kind, repeated: x.Label == "LABEL_REPEATED"}
		if kind == protoreflect.EnumKind {
			f.symbols = t.member([]byte(x.Name)).numberedSymbols()
		}
		m.fields[x.Number] = f
	}
	return m, nil
}

// numberedSymbols are the symbols of an enum, or of a list of them.
func (t *avroType) numberedSymbols() map[int32]string {
	if t != nil && t.kind == "array" {
		t = t.items
	}
	if t == nil {
		return nil
	}
	symbols := map[int32]string{}
	for i, s := range t.symbols {
		symbols[int32(i)] = s
	}
	return symbols
}

// protoKinds are the kinds by the names of FieldDescriptorProto.Type.
var protoKinds = map[string]protoreflect.Kind{
	"DOUBLE": protoreflect.DoubleKind, "FLOAT": protoreflect.FloatKind,
	"INT64": protoreflect.Int64Kind, "UINT64": protoreflect.Uint64Kind, "INT32": protoreflect.Int32Kind, "UINT32": protoreflect.Uint32Kind,
	"SINT64": protoreflect.Sint64Kind, "SINT32": protoreflect.Sint32Kind,
	"FIXED64": protoreflect.Fixed64Kind, "FIXED32": protoreflect.Fixed32Kind,
	"SFIXED64": protoreflect.Sfixed64Kind, "SFIXED32": protoreflect.Sfixed32Kind,
	"BOOL": protoreflect.BoolKind, "ENUM": protoreflect.EnumKind, "STRING": protoreflect.StringKind, "BYTES": protoreflect.BytesKind,
	"MESSAGE": protoreflect.MessageKind, "GROUP": protoreflect.GroupKind,
}
