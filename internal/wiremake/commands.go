package wiremake

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/proto/pb"
)

// Filled is a command of a type in which every field has a value, those of
// repeated fields two, down to a depth at which only required ones have. The
// values differ from field to field and with the seed.
func Filled(t pb.BaseCommand_Type, seed uint64) *pb.BaseCommand {
	c := &pb.BaseCommand{Type: t.Enum()}
	r := c.ProtoReflect()
	if f := r.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(t)); f != nil {
		s := filler{seed}
		s.message(r.Mutable(f).Message(), deepest)
	}
	return c
}

// deepest is how many levels of messages have all their fields.
const deepest = 3

// Types are all command types of the schema, by number.
func Types() (types []pb.BaseCommand_Type) {
	values := pb.BaseCommand_Type(0).Descriptor().Values()
	for i := range values.Len() {
		types = append(types, pb.BaseCommand_Type(values.Get(i).Number()))
	}
	return types
}

type filler struct{ n uint64 }

func (s *filler) message(m protoreflect.Message, levels int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.Cardinality() != protoreflect.Required && levels == 0 {
			continue
		}
		if o := f.ContainingOneof(); o != nil && m.WhichOneof(o) != nil {
			continue
		}
		s.field(m, f, levels)
	}
}

func (s *filler) field(m protoreflect.Message, f protoreflect.FieldDescriptor, levels int) {
	isMessage := f.Message() != nil
	switch {
	case f.IsList() && isMessage:
		l := m.Mutable(f).List()
		for range 2 {
			s.message(l.AppendMutable().Message(), levels-1)
		}
	case f.IsList():
		l := m.Mutable(f).List()
		for range 2 {
			l.Append(s.value(f))
		}
	case isMessage:
		s.message(m.Mutable(f).Message(), max(levels-1, 0))
	default:
		m.Set(f, s.value(f))
	}
}

func (s *filler) value(f protoreflect.FieldDescriptor) protoreflect.Value {
	s.n++
	n := s.n
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n%2 == 1)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(int(n % uint64(values.Len()))).Number())
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(n) << 20)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(n << 30)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n) / 4)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(text(n))
	}
	return protoreflect.ValueOfBytes([]byte(text(n)))
}

// text is a word of the number.
func text(n uint64) string {
	b := []byte("v-")
	for ; n > 0; n /= 26 {
		b = append(b, 'a'+byte(n%26))
	}
	return string(b)
}
