package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"pulsar-dissect/proto/pb"
)

func written(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	set, err := proto.Marshal(everyKind())
	if err != nil {
		t.Fatal(err)
	}
	single := everyKind()
	single.File[0].MessageType, single.File[0].EnumType = single.File[0].MessageType[1:], nil
	one, err := proto.Marshal(single)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		content string
		message string // behind #
		typ     Type
		root    string
		payload string // hexadecimal
		want    string
	}{
		{"avro", ` {"type":"record","name":"R","fields":[{"name":"n","type":"int"}]}`, "", pb.Schema_Avro, "R", "02", `{"n":1}`},
		{"avro primitive", `"long"`, "", pb.Schema_Avro, "", "02", `1`},
		{"avro, described as an object", `{"type":"string"}`, "", pb.Schema_Avro, "", "0261", `"a"`},
		{"admin, upload", `{"type":"AVRO","schema":"{\"type\":\"record\",\"name\":\"R\",\"fields\":[]}","properties":{"a":"b"}}`, "", pb.Schema_Avro, "R", "", `{}`},
		{"admin, get", `{"version":3,"type":"JSON","timestamp":0,"data":"{\"type\":\"record\",\"name\":\"J\",\"fields\":[]}","properties":{}}`, "", pb.Schema_Json, "J", "7b7d", `{}`},
		{"admin, data as JSON", `{"name":"t","type":"JSON","schema":{"type":"record","name":"J","fields":[]},"properties":{}}`, "", pb.Schema_Json, "J", "7b7d", `{}`},
		{"admin, primitive", `{"name":"t","type":"INT16","schema":""}`, "", pb.Schema_Int16, "t", "0102", `258`},
		{"admin, pair", `{"type":"KEY_VALUE","data":"{\"key\":\"\",\"value\":{\"type\":\"record\",\"name\":\"V\",\"fields\":[]}}","properties":{"key.schema.type":"STRING","value.schema.type":"AVRO","kv.encoding.type":"INLINE"}}`,
			"", pb.Schema_KeyValue, "", "00000001" + "61" + "00000000", `{"key":"a","value":{}}`},
		{"admin, protobuf", `{"type":"PROTOBUF","schema":` + quote(readingAvro) + `,"properties":{"__PARSING_INFO__":` + quote(readingInfo) + `}}`,
			"", pb.Schema_Protobuf, "lab.pb.LabProto.Reading", "0a0161", `{"unit":"a"}`},
		{"descriptors", string(set), "t.All", pb.Schema_ProtobufNative, "t.All", "c80102", `{"one_int32":2}`},
		{"descriptors of one message", string(one), "", pb.Schema_ProtobufNative, "t.Need", "0802", `{"must":2}`},
	} {
		path := written(t, "schema", []byte(c.content))
		if c.message != "" {
			path += "#" + c.message
		}
		s, err := Load(path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := s.Append(nil, Value{Payload: unhex(c.payload)})
		if err != nil || string(got) != c.want || s.Type != c.typ || s.Name != c.root {
			t.Errorf("%s: %s, %v, %s %q\nexpected %s, %s %q", c.name, got, err, s.Type, s.Name, c.want, c.typ, c.root)
		}
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func TestLoadErrors(t *testing.T) {
	set, err := proto.Marshal(everyKind())
	if err != nil {
		t.Fatal(err)
	}
	noMessage, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{Name: proto.String("x")}}})
	if err != nil {
		t.Fatal(err)
	}
	for want, content := range map[string]string{
		"it is empty": " \n",
		"neither JSON nor a set of protobuf descriptors":             "hello",
		"it has 2 messages; name one as FILE#MESSAGE: t.All, t.Need": string(set),
		"it has 0 messages; name one as FILE#MESSAGE: ":              string(noMessage),
		`Avro schema: there is no type "INT99"`:                      `{"type":"INT99"}`,
		"2097152 bytes; a schema has at most 1048576":                strings.Repeat("x", 2<<20),
		"KeyValue schema: key schema: cut off":                       `{"type":"KEY_VALUE","schema":"x"}`,
	} {
		path := written(t, "schema", []byte(content))
		if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
	if _, err := Load("/absent/file"); err == nil || err.Error() != "/absent/file: no such file or directory" {
		t.Error(err)
	}
}
