package diagnose

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func TestTopicMigrated(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 10)
	s.finds(topicMigrated)
	for kind, id := range map[pb.CommandTopicMigrated_ResourceType]uint64{pb.CommandTopicMigrated_Producer: 1, pb.CommandTopicMigrated_Consumer: 2} {
		c.broker(&pb.BaseCommand{Type: pb.BaseCommand_TOPIC_MIGRATED.Enum(), TopicMigrated: &pb.CommandTopicMigrated{ResourceId: proto.Uint64(id),
			ResourceType: kind.Enum(), BrokerServiceUrl: proto.String("pulsar://green:6650")}})
	}
	got := sayAll(s.findings(topicMigrated))
	for _, w := range []string{topic + " p: ", topic + " sub c: ", "sent it to pulsar://green:6650"} {
		if !strings.Contains(got, w) {
			t.Errorf("expected %q in:\n%s", w, got)
		}
	}
}
