package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// topicSegment is a node of the graph of a scalable topic (SegmentInfoProto): a range
// of hashes. Where one is split or merged, it is sealed, and its children have
// its hashes.
type topicSegment struct {
	id         uint64
	start, end uint64 // hashes
	words      string
	children   []uint64
	hasParent  bool // in the graph
	shown      bool
}

// keptSegments bounds the segments of a graph that are looked at.
const keptSegments = 10_000

// segmentGraph is that of a scalable topic (ScalableTopicDAG).
type segmentGraph struct {
	branches
	segments []*topicSegment // in the order of their hashes
	byID     map[uint64]*topicSegment
	more     int // beyond keptSegments
}

// segmentTree draws the graph of a topic from its oldest segments on. One that
// was made of several is drawn below the first of them.
func segmentTree(w *wire.Walk, dag int) []string {
	g := readSegments(w, dag)
	var roots []*topicSegment
	for _, s := range g.segments {
		if !s.hasParent {
			roots = append(roots, s)
		}
	}
	g.draw("", roots)
	g.draw("", g.unshown()) // their parents go in a circle
	g.left = g.more + len(g.unshown())
	return g.end()
}

func (g *segmentGraph) unshown() (list []*topicSegment) {
	for _, s := range g.segments {
		if !s.shown {
			list = append(list, s)
		}
	}
	return list
}

func (g *segmentGraph) draw(prefix string, siblings []*topicSegment) {
	for i, s := range siblings {
		if g.full() {
			return
		}
		text := "segment " + strconv.FormatUint(s.id, 10)
		if s.shown {
			g.add(prefix, text+" (see above)", i == len(siblings)-1)
			continue
		}
		s.shown = true
		g.draw(g.add(prefix, text+s.words, i == len(siblings)-1), g.below(s))
	}
}

// below gives the children of a segment.
func (g *segmentGraph) below(s *topicSegment) (children []*topicSegment) {
	for _, id := range s.children {
		if c := g.byID[id]; c != nil {
			children = append(children, c)
		} else {
			children = append(children, &topicSegment{id: id, words: " (not told of)"})
		}
	}
	slices.SortStableFunc(children, compareSegments)
	return children
}

func compareSegments(a, b *topicSegment) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.id, b.id))
}

func readSegments(w *wire.Walk, dag int) *segmentGraph {
	g := &segmentGraph{byID: map[uint64]*topicSegment{}}
	brokers := segmentBrokers(w, dag)
	parents := map[uint64][]uint64{}
	for i := range w.Each(dag, field.ScalableTopicDAGSegments) {
		s := readSegment(w, i)
		if len(g.segments) >= keptSegments || g.byID[s.id] != nil {
			g.more++
			continue
		}
		if url := brokers[s.id]; url != "" {
			s.words += " at " + url
		}
		g.segments, g.byID[s.id] = append(g.segments, s), s
		parents[s.id] = numberList(w, i, field.SegmentInfoProtoParentIds)
	}
	slices.SortStableFunc(g.segments, compareSegments)
	g.tie(parents)
	return g
}

// tie ties segments to their children, whichever side names the other.
func (g *segmentGraph) tie(parents map[uint64][]uint64) {
	for _, s := range g.segments {
		for _, id := range parents[s.id] {
			if p := g.byID[id]; p != nil && !slices.Contains(p.children, s.id) {
				p.children = append(p.children, s.id)
			}
		}
	}
	for _, s := range g.segments {
		for _, id := range s.children {
			if c := g.byID[id]; c != nil {
				c.hasParent = true
			}
		}
	}
}

// mostRelatives bounds the parents, and the children, of a segment.
const mostRelatives = 100

// numberList are the values of a repeated number.
func numberList(w *wire.Walk, node int, number int32) (list []uint64) {
	for i := range w.Each(node, number) {
		if v := w.Nodes[i].Value; len(list) < mostRelatives && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func segmentBrokers(w *wire.Walk, dag int) map[uint64]string {
	brokers := map[uint64]string{}
	for i := range w.Each(dag, field.ScalableTopicDAGSegmentBrokers) {
		id, _ := w.Uint(i, field.SegmentBrokerAddressSegmentId)
		if len(brokers) < keptSegments {
			brokers[id] = brokerURL(w, i, field.SegmentBrokerAddressBrokerUrl, field.SegmentBrokerAddressBrokerUrlTls)
		}
	}
	return brokers
}

// brokerURL is the address of a broker, that for TLS where it has no other.
func brokerURL(w *wire.Walk, node int, url, tls int32) string {
	b, _ := w.Text(node, url)
	if len(b) == 0 {
		b, _ = w.Text(node, tls)
	}
	return string(appendName(nil, b))
}

func readSegment(w *wire.Walk, node int) *topicSegment {
	s := &topicSegment{children: numberList(w, node, field.SegmentInfoProtoChildIds)}
	s.id, _ = w.Uint(node, field.SegmentInfoProtoSegmentId)
	s.start, _ = w.Uint(node, field.SegmentInfoProtoHashStart)
	s.end, _ = w.Uint(node, field.SegmentInfoProtoHashEnd)
	state, _ := w.Int32(node, field.SegmentInfoProtoState)
	created, _ := w.Uint(node, field.SegmentInfoProtoCreatedAtEpoch)
	s.words = " " + hashRange(s.start, s.end) + " " + strings.ToLower(pb.SegmentState(state).String()) + ", since epoch " + strconv.FormatUint(created, 10)
	if sealed, ok := w.Uint(node, field.SegmentInfoProtoSealedAtEpoch); ok {
		s.words += " to " + strconv.FormatUint(sealed, 10)
	}
	if splits := numberList(w, node, field.SegmentInfoProtoEntryBucketSplits); len(splits) > 0 {
		s.words += ", buckets from" + strings.Join(hexNumbers(splits), "")
	}
	if legacy, _ := w.Text(node, field.SegmentInfoProtoLegacyTopicName); len(legacy) > 0 {
		s.words += ", topic " + string(appendTopic(nil, legacy))
	}
	return s
}

func hexNumbers(list []uint64) (words []string) {
	for _, v := range list {
		words = append(words, fmt.Sprintf(" %04x", v))
	}
	return words
}

// hashRange shows a range of hashes, which have 16 bits.
func hashRange(start, end uint64) string { return fmt.Sprintf("%04x-%04x", start, end) }
