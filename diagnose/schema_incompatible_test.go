package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func TestSchemaIncompatible(t *testing.T) {
	for code, want := range map[pb.ServerError][]string{
		pb.ServerError_IncompatibleSchema: {"error " + topic + " | PRODUCER refused | fields differ"}, pb.ServerError_ProducerBusy: nil,
	} {
		s := newScene(t)
		c := s.conn(4000)
		c.client(producerCommand(1, topic, "p", 9, 0))
		c.broker(errorCommand(9, code, "fields differ"))
		s.finds(schemaIncompatible, want...)
	}
}

func TestSchemaNotCreated(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_GET_OR_CREATE_SCHEMA.Enum(), GetOrCreateSchema: &pb.CommandGetOrCreateSchema{RequestId: proto.Uint64(9),
		Topic: proto.String(topic), Schema: &pb.Schema{Name: proto.String("s"), SchemaData: []byte("{}"), Type: pb.Schema_Json.Enum()}}})
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_GET_OR_CREATE_SCHEMA_RESPONSE.Enum(), GetOrCreateSchemaResponse: &pb.CommandGetOrCreateSchemaResponse{
		RequestId: proto.Uint64(9), ErrorCode: pb.ServerError_IncompatibleSchema.Enum(), ErrorMessage: proto.String("no")}})
	s.finds(schemaIncompatible, "error "+topic+" | GET_OR_CREATE_SCHEMA refused")
}
