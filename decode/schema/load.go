package schema

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"pulsar-dissect/proto/pb"
)

// Load reads a schema from a file: an Avro schema (JSON), a schema as Pulsar's
// admin tools write it (JSON with type, and schema or data), or a set of
// protobuf descriptors (protoc --include_imports --descriptor_set_out=FILE),
// where FILE#NAME names the message if the set has several.
func Load(path string) (*Schema, error) {
	file, message, _ := strings.Cut(path, "#")
	b, err := readFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	info, err := infoOf(b, message)
	if err == nil {
		var s *Schema
		if s, err = Compile(*info); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", file, err)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > largestSchema {
		return nil, fmt.Errorf("%d bytes; a schema has at most %d", info.Size(), largestSchema)
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return b, err
}

// infoOf tells what kind of schema a file holds.
func infoOf(b []byte, message string) (*Info, error) {
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return nil, errors.New("it is empty")
	case !json.Valid(b):
		return descriptors(b, message)
	}
	if i, ok := adminInfo(b); ok {
		return i, nil
	}
	return &Info{Type: pb.Schema_Avro, Data: b}, nil
}

// adminInfo reads a schema as admin tools write it: the data as text in
// "schema" or "data", or as JSON itself.
func adminInfo(b []byte) (*Info, bool) {
	var a struct {
		Name, Type   string
		Schema, Data json.RawMessage
		Properties   map[string]string
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, false
	}
	t, ok := typeNames[a.Type]
	if !ok {
		return nil, false
	}
	data := a.Schema
	if data == nil {
		data = a.Data
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(text)
	}
	if t == pb.Schema_KeyValue {
		data = joined(data)
	}
	return &Info{Type: t, Name: a.Name, Data: data, Properties: a.Properties}, true
}

// joined makes the data of a KEY_VALUE schema of {"key": ..., "value": ...}.
func joined(b []byte) (data []byte) {
	var halves struct{ Key, Value json.RawMessage }
	if json.Unmarshal(b, &halves) != nil {
		return b
	}
	for _, half := range [][]byte{halves.Key, halves.Value} {
		var text string
		if json.Unmarshal(half, &text) == nil {
			half = []byte(text)
		}
		data = append(binary.BigEndian.AppendUint32(data, uint32(len(half))), half...)
	}
	return data
}

// descriptors makes a PROTOBUF_NATIVE schema of a set of descriptors.
func descriptors(set []byte, message string) (*Info, error) {
	var fds descriptorpb.FileDescriptorSet
	err := proto.UnmarshalOptions{RecursionLimit: deepest}.Unmarshal(set, &fds)
	if err != nil || len(fds.File) == 0 {
		return nil, errors.New("neither JSON nor a set of protobuf descriptors")
	}
	if message == "" {
		if message, err = onlyMessage(&fds); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(native{set, message})
	return &Info{Type: pb.Schema_ProtobufNative, Data: data}, err
}

// onlyMessage is the message of the last file, which is the one that protoc
// was asked for.
func onlyMessage(fds *descriptorpb.FileDescriptorSet) (string, error) {
	last := fds.File[len(fds.File)-1]
	var names []string
	for _, m := range last.MessageType {
		names = append(names, strings.TrimPrefix(last.GetPackage()+"."+m.GetName(), "."))
	}
	if len(names) != 1 {
		return "", fmt.Errorf("it has %d messages; name one as FILE#MESSAGE: %s", len(names), strings.Join(names, ", "))
	}
	return names[0], nil
}
