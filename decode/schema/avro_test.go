package schema

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/proto/pb"
)

// avroVector is a value that another implementation wrote; see testdata/ORIGIN.
type avroVector struct {
	Name    string
	Schema  json.RawMessage
	Payload string // hexadecimal
	Want    string
	Root    string
}

func avroVectors(t testing.TB) (all []avroVector) {
	t.Helper()
	b, err := os.ReadFile("testdata/avro.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func (v *avroVector) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(v.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compile(t testing.TB, i Info) *Schema {
	t.Helper()
	s, err := Compile(i)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func avro(t testing.TB, schema string) *Schema {
	t.Helper()
	return compile(t, Info{Type: pb.Schema_Avro, Data: []byte(schema)})
}

func TestAvroVectors(t *testing.T) {
	for _, v := range avroVectors(t) {
		s := avro(t, string(v.Schema))
		got, err := s.Append([]byte("kept "), Value{Payload: v.bytes(t)})
		if err != nil || string(got) != "kept "+v.Want {
			t.Errorf("%s: %s, %v\nexpected %s", v.Name, got, err, v.Want)
		}
		if s.Name != v.Root {
			t.Errorf("%s: the type is %q, expected %q", v.Name, s.Name, v.Root)
		}
	}
}

// No value can be read from a part of its bytes, nor with one too many.
func TestAvroCut(t *testing.T) {
	for _, v := range avroVectors(t) {
		s, b := avro(t, string(v.Schema)), v.bytes(t)
		for n := range b {
			got, err := s.Append([]byte("kept"), Value{Payload: b[:n]})
			if e := (*Error)(nil); !errors.As(err, &e) || string(got) != "kept" {
				t.Errorf("%s: read from %d of %d bytes: %s, %v", v.Name, n, len(b), got, err)
			}
		}
		_, err := s.Append(nil, Value{Payload: append(b[:len(b):len(b)], 0)})
		if err == nil || err.Error() != "1 bytes behind the value" {
			t.Errorf("%s: with one byte more: %v", v.Name, err)
		}
	}
}

// An error names the field, and says what was found and what was expected.
func TestAvroErrors(t *testing.T) {
	const nested = `{"type":"record","name":"R","fields":[
		{"name":"m","type":{"type":"map","values":{"type":"array","items":
			{"type":"record","name":"In","fields":[{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}}]}}}}]}`
	for _, c := range []struct{ schema, payload, want string }{
		{`"int"`, "8080808010", "2147483648 is no int"},
		{`"long"`, "ffffffffffffffffffff01", "byte 0: a number of more than 64 bits"},
		{`"boolean"`, "02", "byte 0: 0x02 is no boolean"},
		{`"double"`, "0011", "double of 8 bytes, of which the payload has 2"},
		{`"string"`, "02ff", "text of 1 bytes that is not UTF-8"},
		{`"string"`, "01", "byte 1: a length of -1"},
		{`"string"`, "ffffffffffffffff7f", "byte 9: a length of -4611686018427387904"},
		{`["null","int"]`, "04", "branch 2 of a union that has 2"},
		{`{"type":"array","items":"int"}`, "0404", "[1]: cut off: the payload ends at byte 2, within a value of type int"},
		{nested, "02" + "026b" + "02" + "06" + "00" + "00", "m.k[0].e: symbol 3 of an enum that has 2"},
		{nested, "02" + "02ff" + "02" + "06" + "00" + "00", "m: a map key of 1 bytes that is not UTF-8"},
		{`{"type":"int","logicalType":"date"}`, "feffffff0f", "2147483647 days from the epoch is outside the years 0 to 9999"},
		{`{"type":"int","logicalType":"time-millis"}`, "01", "-1 is no time of day"},
	} {
		b, err := hex.DecodeString(c.payload)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := avro(t, c.schema).Append(nil, Value{Payload: b}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s of %s: %v\nexpected %s", c.payload, c.schema, err, c.want)
		}
	}
}

// Blocks with a negative count have their size behind it; a map's key may come
// twice, and the last value counts.
func TestAvroBlocks(t *testing.T) {
	for _, c := range []struct{ schema, payload, want string }{
		{`{"type":"array","items":"int"}`, "03" + "04" + "0204" + "02" + "06" + "00", "[1,2,3]"},
		{`{"type":"map","values":"int"}`, "06" + "026102" + "026204" + "026106" + "00", `{"b":2,"a":3}`},
		{`{"type":"map","values":"int"}`, "04" + "026102" + "026104" + "00", `{"a":2}`},
		{`{"type":"array","items":"null"}`, "0400", "[null,null]"},
	} {
		b, err := hex.DecodeString(c.payload)
		if err != nil {
			t.Fatal(err)
		}
		got, err := avro(t, c.schema).Append(nil, Value{Payload: b})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; expected %s", c.payload, got, err, c.want)
		}
	}
}

// A few bytes must not become any amount of work.
func TestAvroBombs(t *testing.T) {
	many := binary.AppendVarint(nil, 1<<62)
	wide := `{"type":"record","name":"R0","fields":[]}`
	for i := range 40 { // 2^40 records in no bytes
		name := "R" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		wide = `{"type":"record","name":"` + name + `","fields":[{"name":"a","type":` + wide + `},{"name":"b","type":"` + lastName(wide) + `"}]}`
	}
	list := `{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}`
	for _, c := range []struct {
		name, schema string
		payload      []byte
		want         string
	}{
		{"nulls", `{"type":"array","items":"null"}`, many, "the value is far longer than its payload"},
		{"empty records", `{"type":"array","items":{"type":"record","name":"E","fields":[]}}`, many, "the value is far longer than its payload"},
		{"records in records", wide, nil, "the value is far longer than its payload"},
		{"a list", list, slices.Repeat([]byte{2}, 5000), "nested more than 100 levels deep"},
	} {
		_, err := avro(t, c.schema).Append(nil, Value{Payload: c.payload})
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %.300v, expected %s", c.name, err, c.want)
		}
	}
}

// lastName is the name of the outermost record of a schema of TestAvroBombs.
func lastName(schema string) string {
	_, rest, _ := strings.Cut(schema, `"name":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

func TestAvroSchemaErrors(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{``, "Avro schema: not JSON: unexpected end of JSON input"},
		{`{"type":"record"}`, "Avro schema: a type record without a name"},
		{`{"type":"record","name":"R"}`, "Avro schema: record R has no list of fields"},
		{`{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}`, "Avro schema: field a of R: it is there twice"},
		{`{"type":"record","name":"R","fields":[{"name":"a","type":"Other"}]}`, `Avro schema: field a of R: there is no type "Other"`},
		{`{"type":"record","name":"R","fields":[{"name":"a"}]}`, "Avro schema: field a of R: a type is missing"},
		{`{"type":"record","name":"R","fields":[7]}`, "Avro schema: field  of R: it has no name"},
		{`{"type":"enum","name":"E","symbols":[1]}`, "Avro schema: a symbol of an enum that is no text"},
		{`{"type":"enum","name":"E"}`, "Avro schema: an enum without symbols"},
		{`{"type":"fixed","name":"F","size":1.5}`, "Avro schema: a fixed type without a size"},
		{`{"type":"fixed","name":"F","size":-1}`, "Avro schema: a fixed type without a size"},
		{`"record"`, "Avro schema: a type record without its parts"},
		{strings.Repeat(`{"type":"array","items":`, 200) + `"int"` + strings.Repeat(`}`, 200), "Avro schema: nested more than 100 levels deep"},
		{`[` + strings.Repeat(`"int",`, 30_000) + `"int"]`, "Avro schema: more than 20000 types"},
		{strings.Repeat(" ", largestSchema+1), "a schema of 1048577 bytes; up to 1048576 are read"},
	} {
		_, err := Compile(Info{Type: pb.Schema_Avro, Data: []byte(c.schema)})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.80s: %v\nexpected %s", c.schema, err, c.want)
		}
	}
}

// A type by the name of a primitive one stays the primitive one; a name that
// is defined again is taken as it was defined last.
func TestAvroNames(t *testing.T) {
	s := avro(t, `{"type":"record","name":"R","namespace":"n","fields":[
		{"name":"a","type":{"type":"record","name":"string","fields":[]}},
		{"name":"b","type":"string"},
		{"name":"c","type":{"type":"fixed","name":"X","size":1}},
		{"name":"d","type":{"type":"fixed","name":"X","size":2}},
		{"name":"e","type":"X"}, {"name":"f","type":{"type":"n.X"}}]}`)
	got, err := s.Append(nil, Value{Payload: []byte("\x02hABBCCDD")})
	if want := `{"a":{},"b":"h","c":"QQ==","d":"QkI=","e":"Q0M=","f":"REQ="}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; expected %s", got, err, want)
	}
}

func FuzzAvro(f *testing.F) {
	for _, v := range avroVectors(f) {
		f.Add([]byte(v.Schema), v.bytes(f))
	}
	f.Fuzz(func(t *testing.T, schema, payload []byte) {
		checkValue(t, Info{Type: pb.Schema_Avro, Data: schema}, Value{Payload: payload})
	})
}
