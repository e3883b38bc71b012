package schema

import (
	"encoding/hex"
	"strings"
	"testing"

	"pulsar-dissect/proto/pb"
)

// pairInfo is a KEY_VALUE schema as clients register it.
func pairInfo(keyType, keyData, valueType, valueData, encoding string) Info {
	i := Info{Type: pb.Schema_KeyValue, Name: "KeyValue", Properties: map[string]string{
		"key.schema.name": "k", "key.schema.type": keyType, "key.schema.properties": "{}",
		"value.schema.name": "v", "value.schema.type": valueType, "value.schema.properties": `{"__alwaysAllowNull":"true"}`,
		"kv.encoding.type": encoding,
	}}
	for _, data := range []string{keyData, valueData} {
		i.Data = append(i.Data, 0, 0, byte(len(data)>>8), byte(len(data)))
		i.Data = append(i.Data, data...)
	}
	return i
}

func TestKeyValue(t *testing.T) {
	inline := pairInfo("INT32", "", "JSON", `{"type":"record","name":"R","fields":[{"name":"n","type":"int"}]}`, "INLINE")
	avroInside := pairInfo("STRING", "", "AVRO", `{"type":"record","name":"R","fields":[{"name":"n","type":"int"}]}`, "SEPARATED")
	bytes := pairInfo("BYTES", "", "BYTES", "", "")
	none := pairInfo("", "", "", "", "")
	none.Properties = nil
	key := []byte("key0")
	for _, c := range []struct {
		name  string
		info  Info
		value Value
		want  string
		fault string
	}{
		{"inline", inline, Value{Payload: unhex("00000004" + "00000007" + "00000007" + hex.EncodeToString([]byte(`{"n":1}`)))}, `{"key":7,"value":{"n":1}}`, ""},
		{"inline, the message's key is another", inline, Value{Key: key, HasKey: true, Payload: unhex("00000004" + "00000007" + "ffffffff")}, `{"key":7,"value":null}`, ""},
		{"inline, no key", inline, Value{Payload: unhex("ffffffff" + "ffffffff")}, `{"key":null,"value":null}`, ""},
		{"inline, null", inline, Value{Null: true}, `null`, ""},
		{"inline, key does not fit", inline, Value{Payload: unhex("00000000" + "00000000")}, "", "key: 0 bytes, expected 4"},
		{"inline, value does not fit", inline, Value{Payload: unhex("ffffffff" + "00000008" + hex.EncodeToString([]byte(`{"n":""}`)))}, `{"key":null,"value":{"n":""}}`, `value.n: "", expected int`},
		{"inline, cut", inline, Value{Payload: unhex("000000")}, "", "key: cut off"},
		{"inline, key cut", inline, Value{Payload: unhex("00000004" + "00")}, "", "key: size 4, 1 bytes left"},
		{"inline, value cut", inline, Value{Payload: unhex("00000004" + "00000007" + "7fffffff")}, "", "value: size 2147483647, 0 bytes left"},
		{"inline, negative", inline, Value{Payload: unhex("fffffffe")}, "", "key: size -2, 0 bytes left"},
		{"inline, more", inline, Value{Payload: unhex("ffffffff" + "ffffffff" + "00")}, "", "1 bytes behind the value"},
		{"separated", avroInside, Value{Key: key, HasKey: true, Payload: []byte{2}}, `{"key":"key0","value":{"n":1}}`, ""},
		{"separated, null", avroInside, Value{Key: key, HasKey: true, Null: true}, `{"key":"key0","value":null}`, ""},
		{"separated, no key", avroInside, Value{Payload: []byte{2}}, `{"key":null,"value":{"n":1}}`, ""},
		{"separated, empty key", avroInside, Value{HasKey: true, Payload: []byte{2}}, `{"key":"","value":{"n":1}}`, ""},
		{"separated, cut", avroInside, Value{Key: key, HasKey: true}, "", "value.n: cut off: the payload ends at byte 0, within a value of type int"},
		{"bytes", bytes, Value{Payload: unhex("00000001" + "ff" + "00000000")}, `{"key":"/w==","value":""}`, ""},
		{"no properties", none, Value{Payload: unhex("00000001" + "ff" + "00000000")}, `{"key":"/w==","value":""}`, ""},
	} {
		s := compile(t, c.info)
		got, err := s.Append(nil, c.value)
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if string(got) != c.want || fault != c.fault {
			t.Errorf("%s: %s, %q\nexpected %s, %q", c.name, got, fault, c.want, c.fault)
		}
	}
	if s := compile(t, inline); s.NeedsWriter() {
		t.Error("INT32 and JSON need no writer")
	}
	if s := compile(t, avroInside); !s.NeedsWriter() {
		t.Error("AVRO needs its writer also within a pair")
	}
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err) // a mistake in a test
	}
	return b
}

func TestKeyValueSchemaErrors(t *testing.T) {
	good := pairInfo("INT32", "", "STRING", "", "INLINE")
	for n := range good.Data {
		cut := good
		cut.Data = good.Data[:n]
		if _, err := Compile(cut); err == nil {
			t.Errorf("compiled from %d of %d bytes", n, len(good.Data))
		}
	}
	properties := pairInfo("INT32", "", "STRING", "", "INLINE")
	properties.Properties["value.schema.properties"] = "{"
	more := pairInfo("INT32", "", "STRING", "", "INLINE")
	more.Data = append(more.Data, 0)
	for want, i := range map[string]Info{
		"KeyValue schema: key: a schema of type NOTHING":   pairInfo("NOTHING", "", "STRING", "", ""),
		"KeyValue schema: key: a schema of type KEY_VALUE": pairInfo("KEY_VALUE", "", "STRING", "", ""),
		"KeyValue schema: value: Avro schema: not JSON":    pairInfo("INT32", "", "AVRO", "x", ""),
		"KeyValue schema: value: properties: ":             properties,
		"KeyValue schema: 1 bytes behind the value schema": more,
	} {
		if _, err := Compile(i); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
}

func FuzzKeyValue(f *testing.F) {
	f.Add(unhex("00000004"+"00000007"+"00000007"+hex.EncodeToString([]byte(`{"n":1}`))), []byte("k"), true)
	f.Fuzz(func(t *testing.T, payload, key []byte, inline bool) {
		encoding := "SEPARATED"
		if inline {
			encoding = "INLINE"
		}
		i := pairInfo("STRING", "", "JSON", `{"type":"record","name":"R","fields":[{"name":"n","type":"int"}]}`, encoding)
		checkValue(t, i, Value{Payload: payload, Key: key, HasKey: true})
	})
}
