package schema

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"pulsar-dissect/proto/pb"
)

type (
	descField = descriptorpb.FieldDescriptorProto
	descKind  = descriptorpb.FieldDescriptorProto_Type
)

func fieldOf(name string, number int32, kind descKind, label descriptorpb.FieldDescriptorProto_Label, typeName string) *descField {
	f := &descField{Name: &name, Number: &number, Type: &kind, Label: &label}
	if typeName != "" {
		f.TypeName = &typeName
	}
	return f
}

// everyKind is a set with a message that has a field of every kind, single and
// repeated, maps, and itself within.
func everyKind() *descriptorpb.FileDescriptorSet {
	one, many := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL, descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	all := &descriptorpb.DescriptorProto{Name: proto.String("All")}
	for k := descKind(1); k <= 18; k++ {
		typeName := map[descKind]string{descriptorpb.FieldDescriptorProto_TYPE_MESSAGE: ".t.All", descriptorpb.FieldDescriptorProto_TYPE_ENUM: ".t.Color"}[k]
		if k == descriptorpb.FieldDescriptorProto_TYPE_GROUP {
			continue
		}
		name := strings.ToLower(strings.TrimPrefix(k.String(), "TYPE_"))
		all.Field = append(all.Field, fieldOf("one_"+name, 20+int32(k), k, one, typeName), fieldOf("many_"+name, 50+int32(k), k, many, typeName))
		if k != descriptorpb.FieldDescriptorProto_TYPE_MESSAGE && k != descriptorpb.FieldDescriptorProto_TYPE_BYTES && k%2 == 0 {
			packed := fieldOf("packed_"+name, 80+int32(k), k, many, typeName)
			packed.Options = &descriptorpb.FieldOptions{Packed: proto.Bool(k != descriptorpb.FieldDescriptorProto_TYPE_STRING)}
			all.Field = append(all.Field, packed)
		}
	}
	for i, m := range []struct {
		name       string
		key, value descKind
		typeName   string
	}{
		{"Names", descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_SINT64, ""},
		{"Flags", descriptorpb.FieldDescriptorProto_TYPE_BOOL, descriptorpb.FieldDescriptorProto_TYPE_BYTES, ""},
		{"Alls", descriptorpb.FieldDescriptorProto_TYPE_SFIXED32, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, ".t.All"},
	} {
		entry := &descriptorpb.DescriptorProto{Name: proto.String(m.name + "Entry"), Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}}
		entry.Field = []*descField{fieldOf("key", 1, m.key, one, ""), fieldOf("value", 2, m.value, one, m.typeName)}
		all.NestedType = append(all.NestedType, entry)
		all.Field = append(all.Field, fieldOf(strings.ToLower(m.name), int32(120+i), descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, many, ".t.All."+m.name+"Entry"))
	}
	color := &descriptorpb.EnumDescriptorProto{Name: proto.String("Color"), Value: []*descriptorpb.EnumValueDescriptorProto{
		{Name: proto.String("RED"), Number: proto.Int32(0)}, {Name: proto.String("BLUE"), Number: proto.Int32(-7)}}}
	need := &descriptorpb.DescriptorProto{Name: proto.String("Need"), Field: []*descField{
		fieldOf("must", 1, descriptorpb.FieldDescriptorProto_TYPE_INT32, descriptorpb.FieldDescriptorProto_LABEL_REQUIRED, ""),
		fieldOf("unknown_fields", 2, descriptorpb.FieldDescriptorProto_TYPE_INT32, one, "")}}
	return &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name: proto.String("t.proto"), Package: proto.String("t"), MessageType: []*descriptorpb.DescriptorProto{all, need}, EnumType: []*descriptorpb.EnumDescriptorProto{color}}}}
}

func nativeInfo(t testing.TB, set proto.Message, name string) Info {
	t.Helper()
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(native{b, name})
	if err != nil {
		t.Fatal(err)
	}
	return Info{Type: pb.Schema_ProtobufNative, Data: data}
}

func allMessage(t testing.TB) protoreflect.MessageDescriptor {
	t.Helper()
	b, err := proto.Marshal(everyKind())
	if err != nil {
		t.Fatal(err)
	}
	md, err := findMessage(b, "t.All")
	if err != nil {
		t.Fatal(err)
	}
	return md
}

// Messages of any content read as the protobuf library reads them, but for
// integers of 64 bits, which stay numbers.
func TestProtobufAsTheLibrary(t *testing.T) {
	md := allMessage(t)
	s := compile(t, nativeInfo(t, everyKind(), "t.All"))
	if s.Name != "t.All" {
		t.Errorf("name %s", s.Name)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		m := dynamicpb.NewMessage(md)
		fill(r, m, 0)
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		want, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Append(nil, Value{Payload: b})
		if err != nil || !alike(decodeJSON(t, got), decodeJSON(t, want)) {
			t.Fatalf("%x:\n%s, %v\nexpected %s", b, got, err, want)
		}
	}
}

// fill gives a message values of all kinds.
func fill(r *rand.Rand, m *dynamicpb.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		switch {
		case r.IntN(3) > 0, fd.Message() != nil && depth > 2:
		case fd.IsMap():
			for range r.IntN(4) {
				m.Mutable(fd).Map().Set(scalar(r, fd.MapKey()).MapKey(), single(r, fd.MapValue(), func() protoreflect.Value { return m.Mutable(fd).Map().NewValue() }, depth))
			}
		case fd.IsList():
			for range r.IntN(4) {
				list := m.Mutable(fd).List()
				list.Append(single(r, fd, list.NewElement, depth))
			}
		default:
			m.Set(fd, single(r, fd, func() protoreflect.Value { return m.NewField(fd) }, depth))
		}
	}
}

func single(r *rand.Rand, fd protoreflect.FieldDescriptor, empty func() protoreflect.Value, depth int) protoreflect.Value {
	if fd.Message() == nil {
		return scalar(r, fd)
	}
	v := empty()
	fill(r, v.Message().Interface().(*dynamicpb.Message), depth+1)
	return v
}

func scalar(r *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	n := [...]uint64{0, 1, math.MaxUint64, math.MaxInt64, 1 << 31, 1 << 63, r.Uint64(), uint64(r.IntN(300))}[r.IntN(8)]
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n%2 == 1)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum([...]protoreflect.EnumNumber{0, -7, 5}[r.IntN(3)])
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(n)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32([...]float32{0, -1.5, 0.1, float32(math.Inf(1)), float32(math.NaN()), 3e30}[r.IntN(6)])
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64([...]float64{0, -1.5, 0.1, math.Inf(-1), math.NaN(), 3e300}[r.IntN(6)])
	case protoreflect.StringKind:
		return protoreflect.ValueOfString([...]string{"", "a", "é\n\"", strings.Repeat("x", 200)}[r.IntN(4)])
	default:
		return protoreflect.ValueOfBytes([]byte{byte(n), byte(n >> 8)}[:r.IntN(3)])
	}
}

func decodeJSON(t testing.TB, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// alike compares values; a number may stand against its text.
func alike(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if v, ok := b[k]; !ok || !alike(a[k], v) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !alike(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		text := string(a)
		switch b := b.(type) {
		case string:
			return b == text
		case json.Number:
			x, err := strconv.ParseFloat(text, 64)
			y, err2 := strconv.ParseFloat(string(b), 64)
			return string(b) == text || err == nil && err2 == nil && x == y && strings.ContainsAny(text+string(b), ".eE")
		}
		return false
	}
	return a == b
}

func TestProtobufCut(t *testing.T) {
	md := allMessage(t)
	s := compile(t, nativeInfo(t, everyKind(), "t.All"))
	m := dynamicpb.NewMessage(md)
	fill(rand.New(rand.NewPCG(3, 4)), m, 0)
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		out, err := s.Append([]byte("kept"), Value{Payload: b[:n]})
		cut := proto.Unmarshal(b[:n], dynamicpb.NewMessage(md))
		if (err == nil) != (cut == nil) {
			t.Errorf("%d of %d bytes: %v; the library says %v", n, len(b), err, cut)
		}
		if e := (*Error)(nil); err != nil && (!errors.As(err, &e) || string(out) != "kept") {
			t.Errorf("%d bytes: %q beside %v", n, out, err)
		}
	}
}

// What the wire holds beyond the schema, in other forms or not at all.
func TestProtobufOddities(t *testing.T) {
	all, need := nativeInfo(t, everyKind(), "t.All"), nativeInfo(t, everyKind(), "t.Need")
	for _, c := range []struct {
		name, payload string
		info          Info
		want, fault   string
	}{
		{"nothing", "", all, `{}`, ""},
		{"the last one counts", "c80101" + "c80102", all, `{"one_int32":2}`, ""},
		{"packed where it need not be", "ba03" + "03" + "010203", all, `{"many_int32":[1,2,3]}`, ""},
		{"unknown", "08" + "07" + "1203" + "616263" + "1d01000000" + "2101000000000000001b1c", all,
			`{"unknown_fields":[{"number":1,"wire_type":0,"value":7},{"number":2,"wire_type":2,"value":"YWJj"},{"number":3,"wire_type":5,"value":1},{"number":3,"wire_type":3,"value":""},{"number":4,"wire_type":1,"value":1}]}`, ""},
		{"map without key and value", "c207" + "00", all, `{"names":{"":0}}`, ""},
		{"map key twice", "c207" + "05" + "0a01611002" + "c207" + "05" + "0a01611004", all, `{"names":{"a":2}}`, ""},
		{"required", "0807", need, `{"must":7}`, ""},
		{"a field by the name of the unknown ones", "0807" + "1008" + "1801", need, `{"must":7,"unknown_fields":8}`, ""},
		{"required is missing", "1008", need, "", "required field must is missing"},
		{"another wire type", "d00101", all, "", "one_fixed64: wire type 0, expected 1 (fixed64)"},
		{"cut", "ca0101", all, "", "byte 0: field one_int32: unexpected EOF"},
		{"packed, cut", "ba03" + "01" + "80", all, "", "many_int32: packed numbers: unexpected EOF"},
		{"group end", "0c", all, "", "byte 0: field number 1: mismatching end group marker"},
		{"no field", "00", all, "", "byte 0: no field begins there: invalid field number"},
		{"text that is not UTF-8", "ea01" + "01" + "ff", all, "", "one_string: text of 1 bytes that is not UTF-8"},
	} {
		s := compile(t, c.info)
		b, err := hex.DecodeString(c.payload)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Append(nil, Value{Payload: b})
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if string(got) != c.want || fault != c.fault {
			t.Errorf("%s: %s, %q\nexpected %s, %q", c.name, got, fault, c.want, c.fault)
		}
	}
}

const readingAvro = `{"type":"record","name":"Reading","namespace":"lab.pb.LabProto","fields":[
	{"name":"unit","type":{"type":"string","avro.java.string":"String"},"default":""},{"name":"at","type":"long","default":0},
	{"name":"tags","type":{"type":"array","items":"string"},"default":[]},
	{"name":"kind","type":{"type":"enum","name":"Kind","namespace":"lab.pb.LabProto$Reading","symbols":["NONE","TEMP"]},"default":"NONE"},
	{"name":"in","type":{"type":"record","name":"In","fields":[{"name":"x","type":"int"}]}}]}`

const readingInfo = `[{"number":1,"name":"unit","type":"STRING","label":"LABEL_OPTIONAL","definition":null},
	{"number":2,"name":"at","type":"INT64","label":"LABEL_OPTIONAL"},{"number":4,"name":"tags","type":"STRING","label":"LABEL_REPEATED"},
	{"number":5,"name":"kind","type":"ENUM","label":"LABEL_OPTIONAL"},{"number":9,"name":"in","type":"MESSAGE","label":"LABEL_OPTIONAL"}]`

// PROTOBUF schemas tell names by Avro and numbers by a property.
func TestProtobufByAvro(t *testing.T) {
	info := Info{Type: pb.Schema_Protobuf, Data: []byte(readingAvro), Properties: map[string]string{parsingInfo: readingInfo}}
	s := compile(t, info)
	if s.Name != "lab.pb.LabProto.Reading" {
		t.Errorf("name %s", s.Name)
	}
	for payload, want := range map[string]string{
		"0a0161" + "100a" + "220174" + "220175" + "2801": `{"unit":"a","at":10,"tags":["t","u"],"kind":"TEMP"}`,
		"2807":                        `{"kind":7}`,
		"4a04" + "0805" + "0806" + "": `{"in":{"unknown_fields":[{"number":1,"wire_type":0,"value":5},{"number":1,"wire_type":0,"value":6}]}}`,
		"1801":                        `{"unknown_fields":[{"number":3,"wire_type":0,"value":1}]}`,
	} {
		if got, err := s.Append(nil, Value{Payload: unhex(payload)}); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; expected %s", payload, got, err, want)
		}
	}
	for list, want := range map[string]string{
		"":                                     "Protobuf schema: it has no field numbers (__PARSING_INFO__); a set of descriptors is needed",
		"{":                                    "Protobuf schema: __PARSING_INFO__: ",
		`[{"number":1,"name":"a","type":"X"}]`: `Protobuf schema: __PARSING_INFO__: field a: there is no type "X"`,
		`[{"number":1,"name":"a","type":"BOOL"},{"number":2,"name":"a","type":"BOOL"}]`: "Protobuf schema: __PARSING_INFO__: field a (number 2) is there twice",
	} {
		info.Properties = map[string]string{parsingInfo: list}
		if _, err := Compile(info); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v; expected %s", list, err, want)
		}
	}
}

func TestDescriptorErrors(t *testing.T) {
	twice := everyKind()
	twice.File[0].MessageType = append(twice.File[0].MessageType, twice.File[0].MessageType[1])
	for want, i := range map[string]Info{
		"ProtobufNative schema: not JSON with a set of descriptors: ":       {Type: pb.Schema_ProtobufNative, Data: []byte("x")},
		"ProtobufNative schema: no FileDescriptorSet: ":                     {Type: pb.Schema_ProtobufNative, Data: []byte(`{"fileDescriptorSet":"CgU="}`)},
		`ProtobufNative schema: no message "t.Other" among the descriptors`: nativeInfo(t, everyKind(), "t.Other"),
		`ProtobufNative schema: t.Color is no message`:                      nativeInfo(t, everyKind(), "t.Color"),
		`ProtobufNative schema: descriptor `:                                nativeInfo(t, twice, "t.Need"),
	} {
		if _, err := Compile(i); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v; expected %s", err, want)
		}
	}
}

func TestProtobufBombs(t *testing.T) {
	s := compile(t, nativeInfo(t, everyKind(), "t.All"))
	deep := []byte{}
	for range 200 {
		deep = append(append([]byte{0xfa, 0x01}, protoLength(len(deep))...), deep...)
	}
	for want, payload := range map[string][]byte{
		"more than 200000 fields": bytes.Repeat([]byte{0x08, 0x01}, mostParts+1),
		strings.Repeat("one_message.", 99) + "one_message: nested more than 100 levels deep": deep,
	} {
		if _, err := s.Append(nil, Value{Payload: payload}); err == nil || err.Error() != want {
			t.Errorf("%.200v; expected %.200s", err, want)
		}
	}
}

func protoLength(n int) []byte {
	if n < 0x80 {
		return []byte{byte(n)}
	}
	return []byte{byte(n) | 0x80, byte(n >> 7)}
}

func FuzzProtobuf(f *testing.F) {
	md := allMessage(f)
	info := nativeInfo(f, everyKind(), "t.All")
	for i := range 5 {
		m := dynamicpb.NewMessage(md)
		fill(rand.New(rand.NewPCG(7, uint64(i))), m, 1)
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		checkValue(t, info, Value{Payload: payload})
		checkValue(t, Info{Type: pb.Schema_Protobuf, Data: []byte(readingAvro), Properties: map[string]string{parsingInfo: readingInfo}}, Value{Payload: payload})
	})
}

func FuzzDescriptors(f *testing.F) {
	f.Add(nativeInfo(f, everyKind(), "t.All").Data, []byte{8, 1})
	f.Fuzz(func(t *testing.T, data, payload []byte) {
		checkValue(t, Info{Type: pb.Schema_ProtobufNative, Data: data}, Value{Payload: payload})
	})
}
