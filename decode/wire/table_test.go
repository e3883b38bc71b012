package wire

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"pulsar-dissect/proto/field"
)

func TestARecursiveTypeIsCompiledOnce(t *testing.T) {
	send := BaseCommand.Field(field.BaseCommandSend).Message
	id := send.Field(field.CommandSendMessageId).Message
	if id.Name != "MessageIdData" || id.Field(field.MessageIdDataFirstChunkMessageId).Message != id {
		t.Errorf("%s does not hold itself", id.Name)
	}
	ack := BaseCommand.Field(field.BaseCommandAck).Message
	if ack.Field(field.CommandAckMessageId).Message != id {
		t.Error("ACK and SEND have tables of their own for MessageIdData")
	}
}

func TestFieldsAreThoseOfTheSchema(t *testing.T) {
	f := MessageMetadata.Field(field.MessageMetadataCompression)
	if f.Name != "compression" || f.Kind != Enumeration || f.Repeated || f.Required || f.Enum.Value(3) != "ZSTD" || f.Enum.Value(5) != "" || f.Enum.Value(-1) != "" {
		t.Errorf("got %+v", f)
	}
	if f := MessageMetadata.Field(field.MessageMetadataProducerName); !f.Required || f.Kind != String {
		t.Errorf("got %+v", f)
	}
	for _, n := range []int32{-1, 0, 10, 35, 1 << 28} {
		if f := MessageMetadata.Field(n); f != nil {
			t.Errorf("field %d: %s", n, f.Name)
		}
	}
}

func TestCompileRefusesWhatIsNotWalked(t *testing.T) {
	for name, m := range map[string]proto.Message{
		"a map":        &structpb.Struct{},
		"a float":      &wrapperspb.FloatValue{},
		"a large enum": &descriptorpb.FieldDescriptorProto{}, // through its options
	} {
		if compiles(m) {
			t.Errorf("%s was compiled", name)
		}
	}
	if !compiles(&durationpb.Duration{}) {
		t.Error("two integers were refused")
	}
}

func compiles(m proto.Message) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	Compile(m.ProtoReflect().Descriptor(), never)
	return true
}

func TestTablesHaveAllFields(t *testing.T) {
	for _, k := range walked {
		if want := k.empty.ProtoReflect().Descriptor().Fields().Len(); len(k.table.Fields) != want {
			t.Errorf("%s: %d fields, want %d", k.table.Name, len(k.table.Fields), want)
		}
	}
}
