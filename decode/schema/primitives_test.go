package schema

import (
	"encoding/hex"
	"errors"
	"testing"

	"pulsar-dissect/proto/pb"
)

// The first rows of each type are what a Java client 4.2.4 wrote (the value as
// it printed it: capture schema), those of Go what a Go client 0.19.0 wrote.
var primitiveRows = []struct {
	typ     Type
	payload string
	value   string // empty: an error
	fault   string
	ofGo    bool
}{
	{typ: pb.Schema_String, payload: "706c61696e2074657874", value: `"plain text"`},
	{typ: pb.Schema_String, payload: "", value: `""`},
	{typ: pb.Schema_String, payload: "68c3a90a", value: `"hé\n"`},
	{typ: pb.Schema_String, payload: "ff", fault: "text of 1 bytes that is not UTF-8"},
	{typ: pb.Schema_Bool, payload: "01", value: `true`},
	{typ: pb.Schema_Bool, payload: "00", value: `false`},
	{typ: pb.Schema_Bool, payload: "", fault: "0 bytes, expected 1"},
	{typ: pb.Schema_Int8, payload: "fd", value: `-3`},
	{typ: pb.Schema_Int16, payload: "0bb8", value: `3000`},
	{typ: pb.Schema_Int16, payload: "b80b", value: `3000`, ofGo: true},
	{typ: pb.Schema_Int32, payload: "0000004d", value: `77`},
	{typ: pb.Schema_Int32, payload: "ffffffff", value: `-1`},
	{typ: pb.Schema_Int32, payload: "4d000000", value: `77`, ofGo: true},
	{typ: pb.Schema_Int32, payload: "00004d", fault: "3 bytes, expected 4"},
	{typ: pb.Schema_Int64, payload: "0000010000000000", value: `1099511627776`},
	{typ: pb.Schema_Int64, payload: "8000000000000000", value: `-9223372036854775808`},
	{typ: pb.Schema_Int64, payload: "87d6120000000000", value: `1234567`, ofGo: true},
	{typ: pb.Schema_Float, payload: "3fc00000", value: `1.5`},
	{typ: pb.Schema_Float, payload: "3dcccccd", value: `0.1`},
	{typ: pb.Schema_Float, payload: "7fc00000", value: `"NaN"`},
	{typ: pb.Schema_Float, payload: "3fc00000", value: `1.5`, ofGo: true},
	{typ: pb.Schema_Double, payload: "4002000000000000", value: `2.25`},
	{typ: pb.Schema_Double, payload: "fff0000000000000", value: `"-Infinity"`},
	{typ: pb.Schema_Double, payload: "3fd5555555555555", value: `0.3333333333333333`, ofGo: true},
	{typ: pb.Schema_Date, payload: "0000018bcfe56800", value: `"2023-11-14T22:13:20Z"`},
	{typ: pb.Schema_Date, payload: "ffffffffffffffff", value: `"1969-12-31T23:59:59.999Z"`},
	{typ: pb.Schema_Date, payload: "7fffffffffffffff", fault: "9223372036854775 s from the epoch is outside the years 0 to 9999"},
	{typ: pb.Schema_Timestamp, payload: "0000018bcfe56801", value: `"2023-11-14T22:13:20.001Z"`},
	{typ: pb.Schema_Time, payload: "000000000036ee80", value: `"01:00:00"`},
	{typ: pb.Schema_Time, payload: "0000018bcfe56801", value: `"2023-11-14T22:13:20.001Z"`},
	{typ: pb.Schema_Instant, payload: "000000006553f10000000005", value: `"2023-11-14T22:13:20.000000005Z"`},
	{typ: pb.Schema_Instant, payload: "000000006553f1003b9aca00", fault: "1000000000 ns of a second"},
	{typ: pb.Schema_Instant, payload: "000000006553f100ffffffff", fault: "-1 ns of a second"},
	{typ: pb.Schema_Instant, payload: "7fffffffffffffff00000000", fault: "9223372036854775807 s from the epoch is outside the years 0 to 9999"},
	{typ: pb.Schema_LocalDate, payload: "0000000000004d46", value: `"2024-02-29"`},
	{typ: pb.Schema_LocalDate, payload: "fffffffffff50558", value: `"0000-01-01"`},
	{typ: pb.Schema_LocalDate, payload: "fffffffffff50557", fault: "-719529 days from the epoch is outside the years 0 to 9999"},
	{typ: pb.Schema_LocalDate, payload: "7fffffffffffffff", fault: "9223372036854775807 days from the epoch is outside the years 0 to 9999"},
	{typ: pb.Schema_LocalTime, payload: "00000362d417ae04", value: `"01:02:03.000000004"`},
	{typ: pb.Schema_LocalTime, payload: "00004e94914f0000", fault: "86400000000000 ns is no time of day"},
	{typ: pb.Schema_LocalTime, payload: "ffffffffffffffff", fault: "-1 ns is no time of day"},
	{typ: pb.Schema_LocalDateTime, payload: "0000000000004d46" + "00000362d417ae00", value: `"2024-02-29T01:02:03"`},
	{typ: pb.Schema_LocalDateTime, payload: "0000000000004d46" + "00004e94914f0000", fault: "86400000000000 ns is no time of day"},
	{typ: pb.Schema_LocalDateTime, payload: "0000000000004d46", fault: "8 bytes, expected 16"},
}

func TestPrimitives(t *testing.T) {
	for _, c := range primitiveRows {
		b, err := hex.DecodeString(c.payload)
		if err != nil {
			t.Fatal(err)
		}
		got, err := compile(t, Info{Type: c.typ}).Append(nil, Value{Payload: b, Go: c.ofGo})
		switch {
		case c.fault == "" && (err != nil || string(got) != c.value):
			t.Errorf("%s %s: %s, %v; expected %s", c.typ, c.payload, got, err, c.value)
		case c.fault != "" && (err == nil || err.Error() != c.fault):
			t.Errorf("%s %s: %s, %v; expected %s", c.typ, c.payload, got, err, c.fault)
		}
	}
	for typ := range primitives {
		got, err := compile(t, Info{Type: typ}).Append(nil, Value{Null: true})
		if err != nil || string(got) != "null" {
			t.Errorf("%s: null_value gives %s, %v", typ, got, err)
		}
	}
}

// What says nothing about payloads is told apart from what cannot be read.
func TestNoValue(t *testing.T) {
	for _, typ := range []Type{pb.Schema_None, pb.Schema_AutoConsume, pb.Schema_External, 99, -1} {
		if _, err := Compile(Info{Type: typ}); !errors.Is(err, ErrNoValue) || Describes(typ) {
			t.Errorf("%s: %v, %t", typ, err, Describes(typ))
		}
	}
	for _, typ := range []Type{pb.Schema_String, pb.Schema_Avro, pb.Schema_KeyValue, pb.Schema_ProtobufNative} {
		if !Describes(typ) {
			t.Errorf("%s is said to tell nothing", typ)
		}
	}
}

func TestLargePayload(t *testing.T) {
	s := compile(t, Info{Type: pb.Schema_String})
	if _, err := s.Append(nil, Value{Payload: make([]byte, largestPayload+1)}); err == nil ||
		err.Error() != "a payload of 5242881 bytes; values of up to 5242880 are read" {
		t.Error(err)
	}
	if got, err := s.Append(nil, Value{Payload: make([]byte, largestPayload)}); err != nil || len(got) != 6*largestPayload+2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func FuzzPrimitives(f *testing.F) {
	for _, c := range primitiveRows {
		b, _ := hex.DecodeString(c.payload)
		f.Add(int32(c.typ), b, c.ofGo)
	}
	f.Fuzz(func(t *testing.T, typ int32, payload []byte, ofGo bool) {
		if _, ok := primitives[Type(typ)]; ok {
			checkValue(t, Info{Type: Type(typ)}, Value{Payload: payload, Go: ofGo})
		}
	})
}
