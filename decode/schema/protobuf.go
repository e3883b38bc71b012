package schema

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/decode/wire/jsontext"
)

// protoReader walks over the bytes of a message. The library's own reader would
// tell neither which field does not fit nor what the schema does not know, and
// builds a tree of 100 times the payload's size from hostile input.
type protoReader struct{ *writer }

// protoValue is one field as it stands on the wire.
type protoValue struct {
	number protowire.Number
	wire   protowire.Type
	bits   uint64 // of a number
	bytes  []byte // of what has a length, or of a group
}

func readProtobuf(w *writer, m *protoMessage, b []byte) bool {
	return (&protoReader{w}).message(m, b)
}

// message writes a message: known fields by their numbers, then what is not
// known. m is nil where nothing is known of it.
func (r *protoReader) message(m *protoMessage, b []byte) bool {
	start := len(r.values)
	defer func() { r.values = r.values[:start] }()
	if !r.scan(m, b) {
		return false
	}
	all := r.values[start:]
	slices.SortStableFunc(all, func(a, b protoValue) int { return cmp.Compare(a.number, b.number) })
	if !r.complete(m, all) {
		return false
	}
	brace := len(r.dst)
	unknown := false
	for rest := all; len(rest) > 0; {
		n := sameNumber(rest)
		f := m.field(rest[0].number)
		if f == nil {
			unknown = true
		} else if !r.member(f, rest[:n]) {
			return false
		}
		rest = rest[n:]
	}
	if unknown {
		r.unknown(m, all)
	}
	if len(r.dst) == brace {
		r.dst = append(r.dst, ',')
	}
	r.dst[brace] = '{'
	return r.put(append(r.dst, '}')) && r.room()
}

func (m *protoMessage) field(n protowire.Number) *protoField {
	if m == nil {
		return nil
	}
	return m.fields[n]
}

// sameNumber is how many values of the first one's field there are.
func sameNumber(values []protoValue) int {
	for i := range values {
		if values[i].number != values[0].number {
			return i
		}
	}
	return len(values)
}

// complete says whether all required fields are there.
func (r *protoReader) complete(m *protoMessage, all []protoValue) bool {
	if m == nil {
		return true
	}
	for _, n := range m.required {
		if !slices.ContainsFunc(all, func(v protoValue) bool { return v.number == n }) {
			return r.fail("required field %s is missing", short(m.fields[n].name))
		}
	}
	return true
}

// scan cuts a message into its fields.
func (r *protoReader) scan(m *protoMessage, b []byte) bool {
	for size := len(b); len(b) > 0; {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return r.fail("byte %d: no field begins there: %v", size-len(b), wireFault(n))
		}
		v := protoValue{number: number, wire: wire}
		used := v.consume(b[n:])
		if used < 0 {
			return r.fail("byte %d: field %s: %v", size-len(b), m.nameOf(number), wireFault(used))
		}
		if !r.part() {
			return false
		}
		r.values = append(r.values, v)
		b = b[n+used:]
	}
	return true
}

// wireFault is what a negative length of protowire means.
func wireFault(n int) error { return plainly(protowire.ParseError(n)) }

// plainly takes off what the protobuf library puts before its messages: a
// prefix with another kind of space from one build of a program to the next.
func plainly(err error) error {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return errors.New(strings.TrimPrefix(text, "proto: "))
}

// consume reads the value behind a tag, and gives its length, or an error code
// of protowire.
func (v *protoValue) consume(b []byte) (n int) {
	switch v.wire {
	case protowire.VarintType:
		v.bits, n = protowire.ConsumeVarint(b)
	case protowire.Fixed64Type:
		v.bits, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var bits uint32
		bits, n = protowire.ConsumeFixed32(b)
		v.bits = uint64(bits)
	case protowire.BytesType:
		v.bytes, n = protowire.ConsumeBytes(b)
	case protowire.StartGroupType:
		v.bytes, n = protowire.ConsumeGroup(v.number, b)
	default:
		n = protowire.ConsumeFieldValue(v.number, v.wire, b)
	}
	return n
}

func (f *protoField) nested() bool {
	return f.kind == protoreflect.MessageKind || f.kind == protoreflect.GroupKind
}

// nameOf names a field for an error.
func (m *protoMessage) nameOf(n protowire.Number) string {
	if f := m.field(n); f != nil {
		return short(f.name)
	}
	return "number " + strconv.Itoa(int(n))
}

// member writes a field with all its values, behind a comma.
func (r *protoReader) member(f *protoField, values []protoValue) bool {
	r.dst = append(jsontext.AppendText(append(r.dst, ','), f.name), ':')
	if !r.enter(named(f.name)) {
		return false
	}
	ok := false
	switch {
	case f.pairs:
		ok = r.mapping(f, values)
	case f.repeated:
		ok = r.list(f, values)
	case f.nested() && len(values) > 1:
		ok = r.merged(f, values)
	default:
		ok = r.element(f, &values[len(values)-1])
	}
	r.leave()
	return ok && r.room()
}

// merged writes the one message that several occurrences make together.
func (r *protoReader) merged(f *protoField, values []protoValue) bool {
	whole := protoValue{wire: protoWires[f.kind]}
	for i := range values {
		if !r.fits(f, &values[i]) {
			return false
		}
		whole.bytes = append(whole.bytes, values[i].bytes...)
	}
	return r.element(f, &whole)
}

func (r *protoReader) list(f *protoField, values []protoValue) bool {
	r.dst = append(r.dst, '[')
	i := 0
	item := func(v *protoValue) bool {
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		if !r.enter(place(i)) {
			return false
		}
		ok := r.element(f, v)
		r.leave()
		i++
		return ok && r.room()
	}
	for n := range values {
		if ok := r.packed(f, &values[n], item); !ok {
			return false
		}
	}
	return r.put(append(r.dst, ']'))
}

// packed gives the elements of a value: several where numbers are packed.
func (r *protoReader) packed(f *protoField, v *protoValue, item func(*protoValue) bool) bool {
	wire := protoWires[f.kind]
	if v.wire != protowire.BytesType || wire == protowire.BytesType || wire == protowire.StartGroupType {
		return item(v)
	}
	for b := v.bytes; len(b) > 0; {
		element := protoValue{wire: wire}
		n := element.consume(b)
		if n < 0 {
			return r.fail("packed numbers: %v", wireFault(n))
		}
		if !item(&element) {
			return false
		}
		b = b[n:]
	}
	return true
}

// mapping writes the entries of a map, each a message with key and value.
func (r *protoReader) mapping(f *protoField, values []protoValue) bool {
	o := r.begin()
	for i := range values {
		key, value, ok := r.entry(f, &values[i])
		if !ok {
			return false
		}
		if !r.key(&o, key) || !r.enter(keyed(key)) || !r.element(f.message.fields[mapValue], value) || !r.room() {
			return false
		}
		r.leave()
	}
	r.end(&o)
	return true
}

// The fields of a map's entries.
const (
	mapKey   = 1
	mapValue = 2
)

// entry reads a map's entry. What it leaves out is zero.
func (r *protoReader) entry(f *protoField, v *protoValue) (key []byte, value *protoValue, ok bool) {
	if !r.fits(f, v) {
		return nil, nil, false
	}
	start := len(r.values)
	defer func() { r.values = r.values[:start] }()
	if !r.scan(f.message, v.bytes) {
		return nil, nil, false
	}
	found := [...]protoValue{mapKey: {wire: protoWires[f.message.fields[mapKey].kind]}, mapValue: {wire: protoWires[f.message.fields[mapValue].kind]}}
	for _, part := range r.values[start:] {
		if part.number == mapKey || part.number == mapValue {
			found[part.number] = part
		}
	}
	before := len(r.dst)
	ok = r.element(f.message.fields[mapKey], &found[mapKey])
	key = found[mapKey].bytes
	if f.message.fields[mapKey].kind != protoreflect.StringKind {
		key = bytes.Clone(r.dst[before:])
	}
	r.dst = r.dst[:before]
	return key, &found[mapValue], ok
}

// fits says whether a value has the wire type of its field.
func (r *protoReader) fits(f *protoField, v *protoValue) bool {
	if want := protoWires[f.kind]; v.wire != want {
		return r.fail("wire type %d, expected %d (%s)", v.wire, want, f.kind)
	}
	return true
}

// element writes one value.
func (r *protoReader) element(f *protoField, v *protoValue) bool {
	switch {
	case !r.fits(f, v):
		return false
	case f.nested():
		return r.message(f.message, v.bytes)
	}
	return protoForms[f.kind](r, f, v)
}

// protoWires are the wire types of the kinds, not packed.
var protoWires = map[protoreflect.Kind]protowire.Type{
	protoreflect.BoolKind: protowire.VarintType, protoreflect.EnumKind: protowire.VarintType,
	protoreflect.Int32Kind: protowire.VarintType, protoreflect.Sint32Kind: protowire.VarintType, protoreflect.Uint32Kind: protowire.VarintType,
	protoreflect.Int64Kind: protowire.VarintType, protoreflect.Sint64Kind: protowire.VarintType, protoreflect.Uint64Kind: protowire.VarintType,
	protoreflect.Sfixed32Kind: protowire.Fixed32Type, protoreflect.Fixed32Kind: protowire.Fixed32Type, protoreflect.FloatKind: protowire.Fixed32Type,
	protoreflect.Sfixed64Kind: protowire.Fixed64Type, protoreflect.Fixed64Kind: protowire.Fixed64Type, protoreflect.DoubleKind: protowire.Fixed64Type,
	protoreflect.StringKind: protowire.BytesType, protoreflect.BytesKind: protowire.BytesType, protoreflect.MessageKind: protowire.BytesType,
	protoreflect.GroupKind: protowire.StartGroupType,
}

// protoForms write values of the kinds.
var protoForms = map[protoreflect.Kind]func(*protoReader, *protoField, *protoValue) bool{
	protoreflect.BoolKind: func(r *protoReader, _ *protoField, v *protoValue) bool {
		return r.put(strconv.AppendBool(r.dst, v.bits != 0))
	},
	protoreflect.EnumKind:     (*protoReader).symbol,
	protoreflect.Int32Kind:    signed(func(v uint64) int64 { return int64(int32(v)) }),
	protoreflect.Int64Kind:    signed(func(v uint64) int64 { return int64(v) }),
	protoreflect.Sint32Kind:   signed(func(v uint64) int64 { return int64(int32(protowire.DecodeZigZag(v & math.MaxUint32))) }),
	protoreflect.Sint64Kind:   signed(protowire.DecodeZigZag),
	protoreflect.Sfixed32Kind: signed(func(v uint64) int64 { return int64(int32(v)) }),
	protoreflect.Sfixed64Kind: signed(func(v uint64) int64 { return int64(v) }),
	protoreflect.Uint32Kind:   signed(func(v uint64) int64 { return int64(uint32(v)) }),
	protoreflect.Fixed32Kind:  signed(func(v uint64) int64 { return int64(uint32(v)) }),
	protoreflect.Uint64Kind:   unsigned,
	protoreflect.Fixed64Kind:  unsigned,
	protoreflect.FloatKind: func(r *protoReader, _ *protoField, v *protoValue) bool {
		return r.float32(math.Float32frombits(uint32(v.bits)))
	},
	protoreflect.DoubleKind: func(r *protoReader, _ *protoField, v *protoValue) bool {
		return r.float64(math.Float64frombits(v.bits))
	},
	protoreflect.StringKind: func(r *protoReader, _ *protoField, v *protoValue) bool { return r.text(v.bytes) },
	protoreflect.BytesKind:  func(r *protoReader, _ *protoField, v *protoValue) bool { return r.bytes(v.bytes) },
}

func signed(of func(uint64) int64) func(*protoReader, *protoField, *protoValue) bool {
	return func(r *protoReader, _ *protoField, v *protoValue) bool { return r.integer(of(v.bits)) }
}

func unsigned(r *protoReader, _ *protoField, v *protoValue) bool {
	return r.put(strconv.AppendUint(r.dst, v.bits, 10))
}

// symbol writes the name of an enum's value, or its number.
func (r *protoReader) symbol(f *protoField, v *protoValue) bool {
	if name, ok := f.symbols[int32(v.bits)]; ok {
		return r.put(jsontext.AppendText(r.dst, name))
	}
	return r.integer(int64(int32(v.bits)))
}

// unknownMember is the member with what the schema does not know. A field of
// that name takes its place.
const unknownMember = "unknown_fields"

func (r *protoReader) unknown(m *protoMessage, all []protoValue) {
	if m != nil {
		for _, f := range m.fields {
			if f.name == unknownMember {
				return
			}
		}
	}
	r.dst = append(r.dst, `,"`+unknownMember+`":`...)
	open := byte('[')
	for i := range all {
		v := &all[i]
		if m.field(v.number) != nil {
			continue
		}
		r.dst = append(r.dst, open)
		r.dst = strconv.AppendInt(append(r.dst, `{"number":`...), int64(v.number), 10)
		r.dst = strconv.AppendInt(append(r.dst, `,"wire_type":`...), int64(v.wire), 10)
		r.dst = append(r.dst, `,"value":`...)
		r.raw(v)
		r.dst = append(r.dst, '}')
		open = ','
	}
	r.dst = append(r.dst, ']')
}

// raw writes a value of which only the wire type is known.
func (r *protoReader) raw(v *protoValue) {
	if v.wire == protowire.BytesType || v.wire == protowire.StartGroupType {
		r.dst = jsontext.AppendBase64(r.dst, v.bytes)
		return
	}
	r.dst = strconv.AppendUint(r.dst, v.bits, 10)
}
