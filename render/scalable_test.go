package render_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	protobuf "google.golang.org/protobuf/proto"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// timelineOf shows frames of a broker, without what stands above the lines and
// the first columns.
func timelineOf(t *testing.T, o render.Options, frames ...*pb.BaseCommand) (lines []string) {
	t.Helper()
	tape := wiremake.NewTape()
	talk := tape.Talk(40000)
	for _, f := range frames {
		for part := range slices.Chunk(wiremake.Frame(f), 1000) {
			talk.Send(wiremake.Server, part)
		}
	}
	var out bytes.Buffer
	face := render.NewTimeline(&out, o)
	packets := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(tape.Source())
	for e, err := range session.New(session.Options{}).Events(decode.New(decode.Limits{}, nil).Events(packets)) {
		if err != nil {
			t.Fatal(err)
		}
		if err := face.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := face.Close(&render.End{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, "\n")
		if i := strings.Index(line, "← "); i >= 0 {
			lines = append(lines, strings.Join(strings.Fields(line[i+len("← "):]), " "))
		} else if strings.HasPrefix(line, "     ") {
			lines = append(lines, strings.TrimPrefix(line, strings.Repeat(" ", 28)))
		}
	}
	return slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "→ -- ") || strings.Contains(l, "COMMAND") })
}

func u64(v uint64) *uint64 { return &v }

func u32(v uint32) *uint32 { return &v }

// segmentInfo is a segment; sealed 0: it is active.
func segmentInfo(id uint64, start, end uint32, created, sealed uint64, parents, children []uint64) *pb.SegmentInfoProto {
	s := &pb.SegmentInfoProto{SegmentId: &id, HashStart: &start, HashEnd: &end, State: pb.SegmentState_ACTIVE.Enum(), CreatedAtEpoch: &created,
		CreatedAtMs: u64(1), ParentIds: parents, ChildIds: children}
	if sealed > 0 {
		s.State, s.SealedAtEpoch = pb.SegmentState_SEALED.Enum(), &sealed
	}
	return s
}

func topicUpdate(dag *pb.ScalableTopicDAG) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_SCALABLE_TOPIC_UPDATE.Enum(),
		ScalableTopicUpdate: &pb.CommandScalableTopicUpdate{SessionId: u64(7), Dag: dag}}
}

func TestScalableTopics(t *testing.T) {
	split := &pb.ScalableTopicDAG{Epoch: u64(3), ControllerBrokerUrl: protobuf.String("pulsar://c:6650"),
		Segments: []*pb.SegmentInfoProto{
			segmentInfo(3, 0, 0xffff, 3, 0, []uint64{1, 2}, nil),
			segmentInfo(2, 0x8000, 0xffff, 1, 3, []uint64{0}, []uint64{3}),
			segmentInfo(1, 0, 0x7fff, 1, 3, []uint64{0}, []uint64{3}),
			segmentInfo(0, 0, 0xffff, 0, 1, nil, []uint64{1, 2}),
		},
		SegmentBrokers: []*pb.SegmentBrokerAddress{{SegmentId: u64(3), BrokerUrl: protobuf.String("pulsar://b:6650")}}}
	legacy := segmentInfo(5, 0, 0x7fff, 0, 0, nil, nil)
	legacy.LegacyTopicName, legacy.EntryBucketSplits = protobuf.String("persistent://public/default/old"), []uint32{0x2000, 0x4000}
	assignment := &pb.ScalableConsumerAssignment{LayoutEpoch: u64(3), Segments: []*pb.ScalableAssignedSegment{
		{SegmentId: u64(4), HashStart: u32(0x8000), HashEnd: u32(0xffff), SegmentTopic: protobuf.String("segment://a/b/t/8000-ffff-4")},
		{SegmentId: u64(2), HashStart: u32(0), HashEnd: u32(0x7fff), SegmentTopic: protobuf.String("segment://a/b/t/0000-7fff-2"),
			BucketRanges: []*pb.IntRange{{Start: protobuf.Int32(0), End: protobuf.Int32(3)}, {Start: protobuf.Int32(8), End: protobuf.Int32(11)}}},
	}}
	for _, c := range []struct {
		name    string
		command *pb.BaseCommand
		want    []string
	}{
		{"split and merged", topicUpdate(split), []string{
			"SCALABLE_TOPIC_UPDATE session 7 epoch 3, 4 segments, 1 of them active, controller at pulsar://c:6650",
			"└─ segment 0 0000-ffff sealed, since epoch 0 to 1",
			"   ├─ segment 1 0000-7fff sealed, since epoch 1 to 3",
			"   │  └─ segment 3 0000-ffff active, since epoch 3 at pulsar://b:6650",
			"   └─ segment 2 8000-ffff sealed, since epoch 1 to 3",
			"      └─ segment 3 (see above)",
		}},
		{"two roots, one named only by its child, one of a topic of before", topicUpdate(&pb.ScalableTopicDAG{Epoch: u64(1), Segments: []*pb.SegmentInfoProto{
			segmentInfo(6, 0x8000, 0xffff, 0, 1, nil, []uint64{9}), legacy, segmentInfo(7, 0x8000, 0xbfff, 1, 0, []uint64{6}, nil),
		}}), []string{
			"SCALABLE_TOPIC_UPDATE session 7 epoch 1, 3 segments, 2 of them active",
			"├─ segment 5 0000-7fff active, since epoch 0, buckets from 2000 4000, topic old",
			"└─ segment 6 8000-ffff sealed, since epoch 0 to 1",
			"   ├─ segment 9 (not told of)",
			"   └─ segment 7 8000-bfff active, since epoch 1",
		}},
		{"a circle", topicUpdate(&pb.ScalableTopicDAG{Epoch: u64(1), Segments: []*pb.SegmentInfoProto{
			segmentInfo(1, 0, 1, 0, 1, []uint64{2}, []uint64{2}), segmentInfo(2, 2, 3, 0, 1, []uint64{1}, []uint64{1}),
		}}), []string{
			"SCALABLE_TOPIC_UPDATE session 7 epoch 1, 2 segments, 0 of them active",
			"├─ segment 1 0000-0001 sealed, since epoch 0 to 1",
			"│  └─ segment 2 0002-0003 sealed, since epoch 0 to 1",
			"│     └─ segment 1 (see above)",
			"└─ segment 2 (see above)",
		}},
		{"refused", &pb.BaseCommand{Type: pb.BaseCommand_SCALABLE_TOPIC_UPDATE.Enum(), ScalableTopicUpdate: &pb.CommandScalableTopicUpdate{
			SessionId: u64(7), Error: pb.ServerError_TopicNotFound.Enum(), Message: protobuf.String("no")}},
			[]string{`SCALABLE_TOPIC_UPDATE session 7 TopicNotFound "no"`}},
		{"assignment", &pb.BaseCommand{Type: pb.BaseCommand_SCALABLE_TOPIC_ASSIGNMENT_UPDATE.Enum(),
			ScalableTopicAssignmentUpdate: &pb.CommandScalableTopicAssignmentUpdate{ConsumerId: u64(2), Assignment: assignment}}, []string{
			"SCALABLE_TOPIC_ASSIGNMENT_UPDATE consumer 2 epoch 3, 2 segments",
			"├─ segment 2 0000-7fff on segment://a/b/t/0000-7fff-2, buckets 0-3 8-11",
			"└─ segment 4 8000-ffff on segment://a/b/t/8000-ffff-4",
		}},
		{"subscribed", &pb.BaseCommand{Type: pb.BaseCommand_SCALABLE_TOPIC_SUBSCRIBE_RESPONSE.Enum(),
			ScalableTopicSubscribeResponse: &pb.CommandScalableTopicSubscribeResponse{RequestId: u64(4), Assignment: &pb.ScalableConsumerAssignment{LayoutEpoch: u64(1)}}},
			[]string{"SCALABLE_TOPIC_SUBSCRIBE_RESPONSE epoch 1, 0 segments request 4 (request not seen)"}},
		{"topics", &pb.BaseCommand{Type: pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE.Enum(),
			WatchScalableTopicsUpdate: &pb.CommandWatchScalableTopicsUpdate{WatchId: u64(1), Event: &pb.CommandWatchScalableTopicsUpdate_Snapshot{
				Snapshot: &pb.ScalableTopicsSnapshot{Topics: []string{"topic://a/b/one", "topic://a/b/two"}}}}},
			[]string{"WATCH_SCALABLE_TOPICS_UPDATE watch 1 has 2 topics", "├─ topic://a/b/one", "└─ topic://a/b/two"}},
		{"topics that came and went", &pb.BaseCommand{Type: pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE.Enum(),
			WatchScalableTopicsUpdate: &pb.CommandWatchScalableTopicsUpdate{WatchId: u64(1), Event: &pb.CommandWatchScalableTopicsUpdate_Diff{
				Diff: &pb.ScalableTopicsDiff{Added: []string{"new\x1b[31m"}, Removed: []string{"old"}}}}},
			[]string{"WATCH_SCALABLE_TOPICS_UPDATE watch 1 now 1 added, 1 removed", `├─ + new\x1b[31m`, "└─ - old"}},
		{"coordinators", &pb.BaseCommand{Type: pb.BaseCommand_WATCH_TC_ASSIGNMENTS_UPDATE.Enum(),
			WatchTcAssignmentsUpdate: &pb.CommandWatchTcAssignmentsUpdate{WatchId: u64(1), Snapshot: &pb.TcAssignmentsSnapshot{Parallelism: u32(16),
				Assignments: []*pb.TcAssignment{{TcId: u64(0), BrokerServiceUrlTls: protobuf.String("pulsar+ssl://b:6651")}, {TcId: u64(1)}}}}},
			[]string{"WATCH_TC_ASSIGNMENTS_UPDATE watch 1 has 16 coordinators, 2 assigned", "├─ coordinator 0 at pulsar+ssl://b:6651", "└─ coordinator 1 at no broker"}},
	} {
		if got := timelineOf(t, render.Options{Format: render.Table}, c.command); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nexpected:\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// A graph of many segments, deep or wide, is shown in part.
func TestLargeGraphs(t *testing.T) {
	deep, wide := &pb.ScalableTopicDAG{Epoch: u64(1)}, &pb.ScalableTopicDAG{Epoch: u64(1)}
	for i := range uint64(20_000) {
		deep.Segments = append(deep.Segments, segmentInfo(i+1, 0, 1, 0, 1, []uint64{i}, []uint64{i + 2}))
		wide.Segments = append(wide.Segments, segmentInfo(i, uint32(i), uint32(i), 0, 0, nil, nil))
	}
	for name, dag := range map[string]*pb.ScalableTopicDAG{"deep": deep, "wide": wide} {
		for _, width := range []int{0, 80} {
			lines := timelineOf(t, render.Options{Format: render.Table, Width: width}, topicUpdate(dag))
			if len(lines) != 202 || lines[201] != "… and 19,800 more" {
				t.Errorf("%s: %d lines, the last %q", name, len(lines), lines[len(lines)-1])
			}
		}
	}
}

// In a line for grep all fields stand in the line.
func TestScalableTopicsInOneLine(t *testing.T) {
	tape := wiremake.NewTape()
	tape.Talk(40000).Send(wiremake.Server, wiremake.Frame(topicUpdate(&pb.ScalableTopicDAG{Epoch: u64(3), Segments: []*pb.SegmentInfoProto{
		segmentInfo(1, 0, 0xffff, 0, 0, nil, nil)}})))
	var out bytes.Buffer
	face := render.NewTimeline(&out, render.Options{Format: render.Compact})
	packets := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(tape.Source())
	for e := range session.New(session.Options{}).Events(decode.New(decode.Limits{}, nil).Events(packets)) {
		if err := face.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := face.Close(&render.End{}); err != nil {
		t.Fatal(err)
	}
	if want := "SCALABLE_TOPIC_UPDATE - session_id=7 dag{epoch=3 segments=[{segment_id=1 hash_start=0 hash_end=65535 state=ACTIVE"; !strings.Contains(out.String(), want) {
		t.Errorf("%s\nhas no %s", out.String(), want)
	}
}
