package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestVersionViolation(t *testing.T) {
	getSchema := func(c *talk) *pb.BaseCommand {
		return &pb.BaseCommand{Type: pb.BaseCommand_GET_SCHEMA.Enum(), GetSchema: &pb.CommandGetSchema{RequestId: c.next(), Topic: proto.String(topic)}}
	}
	for version, want := range map[int32][]string{12: {"warning GET_SCHEMA is newer | version 13, to a peer of version 12"}, 13: nil} {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		c.broker(connectedCommand(version))
		c.client(getSchema(c))
		s.finds(versionViolation, want...)
	}
	migrated := &pb.BaseCommand{Type: pb.BaseCommand_TOPIC_MIGRATED.Enum(), TopicMigrated: &pb.CommandTopicMigrated{ResourceId: proto.Uint64(1),
		ResourceType: pb.CommandTopicMigrated_Producer.Enum()}}
	for version, want := range map[int32][]string{19: {"warning TOPIC_MIGRATED is newer | The broker sent"}, 20: nil} {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(version))
		c.broker(connectedCommand(21), migrated)
		s.finds(versionViolation, want...)
	}
}

func TestCommandBeforeConnected(t *testing.T) {
	s := newScene(t)
	c := s.tcp(4000)
	c.client(connectCommand(21), ping(), producerCommand(1, topic, "p", 1, 0))
	c.broker(connectedCommand(21))
	s.finds(versionViolation, "warning PRODUCER before CONNECTED")

	s = newScene(t)
	c = s.tcp(4000)
	c.client(connectCommand(21))
	c.Lose(wiremake.Server, 40)
	c.client(producerCommand(1, topic, "p", 1, 0))
	s.finds(versionViolation)
}
