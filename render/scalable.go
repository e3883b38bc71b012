package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// trees are the commands that carry a tree, or a list, that is drawn below their
// line. They are given the field that has it.
var trees = map[pb.BaseCommand_Type][]struct {
	number int32
	draw   func(w *wire.Walk, node int) []string
}{
	pb.BaseCommand_SCALABLE_TOPIC_UPDATE:             {{field.CommandScalableTopicUpdateDag, segmentTree}},
	pb.BaseCommand_SCALABLE_TOPIC_SUBSCRIBE_RESPONSE: {{field.CommandScalableTopicSubscribeResponseAssignment, assignedSegments}},
	pb.BaseCommand_SCALABLE_TOPIC_ASSIGNMENT_UPDATE:  {{field.CommandScalableTopicAssignmentUpdateAssignment, assignedSegments}},
	pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE: {
		{field.CommandWatchScalableTopicsUpdateSnapshot, topicsOfSnapshot}, {field.CommandWatchScalableTopicsUpdateDiff, topicsOfDiff}},
	pb.BaseCommand_WATCH_TC_ASSIGNMENTS_UPDATE: {{field.CommandWatchTcAssignmentsUpdateSnapshot, coordinators}},
}

// treeOf draws the tree of a command; nil where it has none.
func treeOf(f *decode.Frame) []string {
	for _, t := range trees[pb.BaseCommand_Type(f.Type)] {
		if node, ok := f.Base.Sub(f.Sub, t.number); ok && f.Sub >= 0 {
			return t.draw(&f.Base, node)
		}
	}
	return nil
}

// assignedSegments lists the segments that a consumer is to read
// (ScalableConsumerAssignment), in the order of their hashes.
func assignedSegments(w *wire.Walk, assignment int) []string {
	var b branches
	var list []*topicSegment
	for i := range w.Each(assignment, field.ScalableConsumerAssignmentSegments) {
		if len(list) == keptSegments {
			b.left++
			continue
		}
		s := &topicSegment{}
		s.id, _ = w.Uint(i, field.ScalableAssignedSegmentSegmentId)
		s.start, _ = w.Uint(i, field.ScalableAssignedSegmentHashStart)
		s.end, _ = w.Uint(i, field.ScalableAssignedSegmentHashEnd)
		topic, _ := w.Text(i, field.ScalableAssignedSegmentSegmentTopic)
		s.words = fmt.Sprintf("segment %d %s on %s%s", s.id, hashRange(s.start, s.end), appendTopic(nil, topic), bucketRanges(w, i))
		list = append(list, s)
	}
	slices.SortStableFunc(list, compareSegments)
	nodes := make([]string, len(list))
	for i, s := range list {
		nodes[i] = s.words
	}
	b.list(nodes)
	return b.end()
}

// bucketRanges are the parts of a segment that a consumer is to read, where it
// does not read all of it.
func bucketRanges(w *wire.Walk, node int) string {
	var words []string
	for i := range w.Each(node, field.ScalableAssignedSegmentBucketRanges) {
		from, _ := w.Int32(i, field.IntRangeStart)
		to, _ := w.Int32(i, field.IntRangeEnd)
		if len(words) < mostRelatives {
			words = append(words, fmt.Sprintf(" %d-%d", from, to))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ", buckets" + strings.Join(words, "")
}

func topicsOfSnapshot(w *wire.Walk, snapshot int) []string {
	var b branches
	b.list(topicsWith(w, snapshot, field.ScalableTopicsSnapshotTopics, ""))
	return b.end()
}

func topicsOfDiff(w *wire.Walk, diff int) []string {
	var b branches
	b.list(append(topicsWith(w, diff, field.ScalableTopicsDiffAdded, "+ "), topicsWith(w, diff, field.ScalableTopicsDiffRemoved, "- ")...))
	return b.end()
}

func topicsWith(w *wire.Walk, node int, number int32, mark string) (names []string) {
	for i := range w.Each(node, number) {
		names = append(names, mark+string(appendTopic(nil, w.Bytes(&w.Nodes[i]))))
	}
	return names
}

// coordinators lists which broker each coordinator of transactions is at
// (TcAssignmentsSnapshot).
func coordinators(w *wire.Walk, snapshot int) []string {
	var nodes []string
	for i := range w.Each(snapshot, field.TcAssignmentsSnapshotAssignments) {
		id, _ := w.Uint(i, field.TcAssignmentTcId)
		at := brokerURL(w, i, field.TcAssignmentBrokerServiceUrl, field.TcAssignmentBrokerServiceUrlTls)
		if at == "" {
			at = "no broker"
		}
		nodes = append(nodes, "coordinator "+strconv.FormatUint(id, 10)+" at "+at)
	}
	var b branches
	b.list(nodes)
	return b.end()
}

// showDAG sums up the graph of a topic: "epoch 3, 5 segments, 2 of them active".
func showDAG(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	dag, _ := w.Sub(parent, number)
	epoch, _ := w.Uint(dag, field.ScalableTopicDAGEpoch)
	all, active := 0, 0
	for i := range w.Each(dag, field.ScalableTopicDAGSegments) {
		all++
		if state, _ := w.Int32(i, field.SegmentInfoProtoState); state == int32(pb.SegmentState_ACTIVE) {
			active++
		}
	}
	dst = fmt.Appendf(dst, "epoch %d, %s, %d of them active", epoch, plural(all, "segment"), active)
	if at := brokerURL(w, dag, field.ScalableTopicDAGControllerBrokerUrl, field.ScalableTopicDAGControllerBrokerUrlTls); at != "" {
		dst = append(append(dst, ", controller at "...), at...)
	}
	return dst
}

// showAssignment sums up what a consumer is to read.
func showAssignment(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	a, _ := w.Sub(parent, number)
	epoch, _ := w.Uint(a, field.ScalableConsumerAssignmentLayoutEpoch)
	return fmt.Appendf(dst, "epoch %d, %s", epoch, plural(count(w, a, field.ScalableConsumerAssignmentSegments), "segment"))
}

func count(w *wire.Walk, node int, number int32) (n int) {
	for range w.Each(node, number) {
		n++
	}
	return n
}

func showSnapshot(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	s, _ := w.Sub(parent, number)
	return append(dst, plural(count(w, s, field.ScalableTopicsSnapshotTopics), "topic")...)
}

func showDiff(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	d, _ := w.Sub(parent, number)
	return fmt.Appendf(dst, "%d added, %d removed", count(w, d, field.ScalableTopicsDiffAdded), count(w, d, field.ScalableTopicsDiffRemoved))
}

func showCoordinators(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	s, _ := w.Sub(parent, number)
	n, _ := w.Uint(s, field.TcAssignmentsSnapshotParallelism)
	return fmt.Appendf(dst, "%s, %d assigned", plural(n, "coordinator"), count(w, s, field.TcAssignmentsSnapshotAssignments))
}

// showFilters shows properties that topics must have: "a=1 b=2".
func showFilters(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	n, start := 0, len(dst)
	for i := range w.Each(parent, number) {
		if n++; n > shownProperties {
			continue
		}
		k, _ := w.Text(i, field.KeyValueKey)
		v, _ := w.Text(i, field.KeyValueValue)
		dst = appendName(append(appendName(separate(dst, start), k), '='), v)
	}
	if n > shownProperties {
		dst = strconv.AppendInt(append(dst, " +"...), int64(n-shownProperties), 10)
	}
	return dst
}
