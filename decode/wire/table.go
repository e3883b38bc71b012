package wire

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Kind says how the value of a field is to be read.
type Kind uint8

// The kinds of the protocol. The schema has no other (no fixed or zigzag
// integers, no groups, no maps).
const (
	Uint64 Kind = iota
	Uint32
	Int64
	Int32
	Bool
	Enumeration
	Double
	String
	Bytes
	Message
)

// Wire types of the encoding that occur in the protocol; 3 and 4 are groups.
const (
	Varint  uint8 = 0
	Fixed64 uint8 = 1
	Len     uint8 = 2
	Fixed32 uint8 = 5
)

// kinds maps the kinds of descriptors to ours and to their wire type.
var kinds = map[protoreflect.Kind]struct {
	kind Kind
	wire uint8
}{
	protoreflect.Uint64Kind:  {Uint64, Varint},
	protoreflect.Uint32Kind:  {Uint32, Varint},
	protoreflect.Int64Kind:   {Int64, Varint},
	protoreflect.Int32Kind:   {Int32, Varint},
	protoreflect.BoolKind:    {Bool, Varint},
	protoreflect.EnumKind:    {Enumeration, Varint},
	protoreflect.DoubleKind:  {Double, Fixed64},
	protoreflect.StringKind:  {String, Len},
	protoreflect.BytesKind:   {Bytes, Len},
	protoreflect.MessageKind: {Message, Len},
}

// Field is a field of the schema.
type Field struct {
	Number   int32
	Name     string
	Kind     Kind
	WireType uint8 // of one value that is not packed
	Repeated bool
	Required bool
	Secret   bool   // not shown unless asked for
	Enum     *Enum  // of kind Enumeration
	Message  *Table // of kind Message

	ordinal int    // position in Table.Fields
	word    uint8  // place in a fieldSet
	bit     uint64 //
	key     label
}

// Enum is an enumeration of the schema.
type Enum struct {
	Name string

	names  []string // by number, "" where there is none
	quoted [][]byte // the same as JSON strings
}

// Value returns the name of number n, "" where the schema has none.
func (e *Enum) Value(n int32) string {
	if uint(n) < uint(len(e.names)) {
		return e.names[n]
	}
	return ""
}

// Table is a message of the schema, compiled for the walk.
type Table struct {
	Name   string
	Fields []*Field // in the order of the schema

	byNumber []*Field // by field number, nil where there is none
	required fieldSet
}

// Field returns the field of that number, nil where the schema has none.
func (t *Table) Field(number int32) *Field {
	if uint(number) < uint(len(t.byNumber)) {
		return t.byNumber[number]
	}
	return nil
}

// maxNumber bounds the numbers of fields and enum values, which are indices
// here. A schema beyond it is a mistake of ours, found when the program starts.
const maxNumber = 1 << 12

// Compile makes the table of a message and of all messages in it, each once,
// also where they hold themselves. secret tells which fields hold credentials.
// It panics on a schema that the walk cannot serve.
func Compile(md protoreflect.MessageDescriptor, secret func(message, field string) bool) *Table {
	c := compiler{
		secret: secret,
		tables: map[protoreflect.FullName]*Table{},
		enums:  map[protoreflect.FullName]*Enum{},
	}
	return c.table(md)
}

type compiler struct {
	secret func(message, field string) bool
	tables map[protoreflect.FullName]*Table
	enums  map[protoreflect.FullName]*Enum
}

func (c *compiler) table(md protoreflect.MessageDescriptor) *Table {
	if t := c.tables[md.FullName()]; t != nil {
		return t
	}
	t := &Table{Name: string(md.Name())}
	if n := md.Fields().Len(); n > maxFields {
		panic(fmt.Sprintf("wire: message %s has %d fields, more than %d", md.FullName(), n, maxFields))
	}
	c.tables[md.FullName()] = t // before its fields: one of them may be of this type
	for i := range md.Fields().Len() {
		f := c.field(md.Fields().Get(i))
		f.ordinal, f.word, f.bit = i, uint8(i/64), 1<<(i%64)
		t.Fields = append(t.Fields, f)
		t.byNumber = put(t.byNumber, f.Number, f)
		if f.Required {
			t.required.add(f)
		}
	}
	return t
}

func (c *compiler) field(fd protoreflect.FieldDescriptor) *Field {
	k, ok := kinds[fd.Kind()]
	if !ok || fd.IsMap() {
		panic(fmt.Sprintf("wire: field %s: kind %s is not walked", fd.FullName(), fd.Kind()))
	}
	f := &Field{
		Number:   int32(fd.Number()),
		Name:     string(fd.Name()),
		Kind:     k.kind,
		WireType: k.wire,
		Repeated: fd.IsList(),
		Required: fd.Cardinality() == protoreflect.Required,
		Secret:   c.secret(string(fd.Parent().Name()), string(fd.Name())),
		key:      makeLabel(string(fd.Name())),
	}
	switch k.kind {
	case Enumeration:
		f.Enum = c.enum(fd.Enum())
	case Message:
		f.Message = c.table(fd.Message())
	}
	return f
}

func (c *compiler) enum(ed protoreflect.EnumDescriptor) *Enum {
	if e := c.enums[ed.FullName()]; e != nil {
		return e
	}
	e := &Enum{Name: string(ed.Name())}
	c.enums[ed.FullName()] = e
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		e.names = put(e.names, int32(v.Number()), string(v.Name()))
		e.quoted = put(e.quoted, int32(v.Number()), []byte(`"`+string(v.Name())+`"`))
	}
	return e
}

// put sets s[n], lengthening s as needed.
func put[T any](s []T, n int32, v T) []T {
	if n < 0 || n > maxNumber {
		panic(fmt.Sprintf("wire: number %d is outside 0 to %d", n, maxNumber))
	}
	if missing := int(n) + 1 - len(s); missing > 0 {
		s = append(s, make([]T, missing)...)
	}
	s[n] = v
	return s
}
