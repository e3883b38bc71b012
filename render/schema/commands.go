package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
)

// definitions are those of $defs, in the order met.
type definitions struct {
	all  object
	seen map[string]bool
}

func newDefinitions() *definitions { return &definitions{seen: map[string]bool{}} }

// reference gives a reference to a definition, which is made when it is first
// referred to. It may refer to itself.
func (d *definitions) reference(name string, make func() object) object {
	if !d.seen[name] {
		d.seen[name] = true
		at := len(d.all)
		d.all = d.all.with(name, nil)
		d.all[at].value = make()
	}
	return reference(name)
}

// messageReference gives a reference to a protobuf message's definition.
func (d *definitions) messageReference(m protoreflect.MessageDescriptor) object {
	return d.reference(string(m.Name()), func() object { return d.message(m) })
}

// message describes a protobuf message as JSON: only what stands on the wire is
// there, so nothing is required; a field of a newer version may be added.
func (d *definitions) message(m protoreflect.MessageDescriptor) object {
	properties := object{}
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		schema := d.value(m, f)
		if f.IsList() {
			schema = listOf(schema)
		}
		properties = properties.with(string(f.Name()), schema)
	}
	properties = properties.with("unknown_fields", reference("unknown_fields"))
	return object{{"type", "object"}, {"properties", properties}, {"additionalProperties", true}}
}

// kinds are the schemas of protobuf's scalar types.
var kinds = map[protoreflect.Kind]object{
	protoreflect.BoolKind:   truth,
	protoreflect.Int32Kind:  int32s,
	protoreflect.Int64Kind:  int64s,
	protoreflect.Uint32Kind: uint32s,
	protoreflect.Uint64Kind: uint64s,
	protoreflect.DoubleKind: doubles,
	protoreflect.StringKind: text,
	protoreflect.BytesKind:  base64,
}

func (d *definitions) value(in protoreflect.MessageDescriptor, f protoreflect.FieldDescriptor) object {
	switch {
	case proto.IsSecret(string(in.Name()), string(f.Name())):
		return text.with("description", "<redacted N bytes, sha256 PREFIX> unless --show-secrets is given")
	case f.Kind() == protoreflect.MessageKind:
		return d.messageReference(f.Message())
	case f.Kind() == protoreflect.EnumKind:
		return object{{"anyOf", []any{oneOf(enumNames(f.Enum())...), int32s}}}
	}
	return kinds[f.Kind()]
}

func enumNames(d protoreflect.EnumDescriptor) (names []string) {
	for i := range d.Values().Len() {
		names = append(names, string(d.Values().Get(i).Name()))
	}
	return names
}

// commandOfType says what "command" holds, by "type": one rule a command.
func (d *definitions) commandOfType() []any {
	var rules []any
	for i := range proto.Commands {
		c := &proto.Commands[i]
		is := object{{"properties", object{{"type", object{{"const", c.Name}}}}}}
		then := object{{"properties", object{{"command", d.messageReference(c.Field.Message())}}}}
		rules = append(rules, object{{"if", is}, {"then", then}})
	}
	return rules
}

func commandNames() (names []string) {
	for i := range proto.Commands {
		names = append(names, proto.Commands[i].Name)
	}
	return names
}

// commandType is a command's name, or UNKNOWN(number).
func commandType() object {
	return object{{"anyOf", []any{oneOf(commandNames()...), object{{"type", "string"}, {"pattern", `^UNKNOWN\(-?\d+\)$`}}}}}
}

// The messages that stand beside commands in a frame.
var (
	messageMetadata     = (*pb.MessageMetadata)(nil).ProtoReflect().Descriptor()
	brokerEntryMetadata = (*pb.BrokerEntryMetadata)(nil).ProtoReflect().Descriptor()
)

var unknownFields = listOf(structure("",
	field{"number", int32s, "of the field", required},
	field{"wire_type", object{{"enum", []int{0, 1, 2, 5}}}, "0 varint, 1 and 5 fixed, 2 length and bytes", required},
	field{"value", object{{"anyOf", []any{uint64s, base64}}}, "", required},
)).with("description", "fields that the schema of this version does not have")
