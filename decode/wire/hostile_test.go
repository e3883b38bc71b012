package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	catalogue "pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
)

// Every prefix of a message is either walked, if it ends between two fields of
// the top, or refused at a byte within it; what came before is kept.
func TestTruncationAtEveryByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for i := range catalogue.Commands {
		checkPrefixes(t, BaseCommand, marshal(t, randomCommand(rng, &catalogue.Commands[i])))
	}
	for _, k := range walked[1:] {
		m := k.empty.ProtoReflect().New()
		fill(rng, m, 0.9, 0)
		checkPrefixes(t, k.table, marshal(t, m.Interface()))
	}
}

func checkPrefixes(t *testing.T, table *Table, data []byte) {
	t.Helper()
	var whole, w Walk
	if err := whole.Parse(table, data); err != nil {
		t.Fatal(err)
	}
	for cut := range data {
		err := w.Parse(table, data[:cut])
		checkShape(t, &w)
		strictJSON(t, w.AppendJSON(nil, Top, nil))
		complete, between := completeFields(&whole, cut)
		if between != (err == nil) {
			t.Fatalf("%s cut at %d of %d: %v", table.Name, cut, len(data), err)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > cut) {
			t.Fatalf("%s cut at %d: %v", table.Name, cut, err)
		}
		for i := range complete {
			if w.Nodes[i].Field != whole.Nodes[i].Field || w.Nodes[i].Start != whole.Nodes[i].Start {
				t.Fatalf("%s cut at %d: node %d differs", table.Name, cut, i)
			}
		}
	}
}

// completeFields returns how many nodes belong to fields of the top that end
// before cut, and whether cut is the end of one.
func completeFields(w *Walk, cut int) (nodes int, between bool) {
	end := 0
	for c := int32(0); c < int32(len(w.Nodes)) && int(w.Nodes[c].End) <= cut; c = w.Nodes[c].Next {
		nodes, end = int(w.Nodes[c].Next), int(w.Nodes[c].End)
	}
	return nodes, end == cut
}

func TestErrors(t *testing.T) {
	for _, v := range []struct {
		name   string
		bytes  string
		offset int
		reason Reason
	}{
		{"tag cut", "0812 98", 2, ShortVarint},
		{"number cut", "08", 1, ShortVarint},
		{"number of 11 bytes", "08 8080808080808080808001", 1, LongVarint},
		{"number runs past the end of its message", "0806 3202 0880 00", 5, ShortVarint},
		{"length missing", "0806 32", 3, ShortVarint},
		{"length of 11 bytes", "32 8080808080808080808001", 1, LongVarint},
		{"double cut", "081a d20103 21 0102", 6, ShortFixed},
		{"length past the end", "0806 3205 0801", 3, LengthPastEnd},
		{"length of 64 bits", "0806 32ffffffffffffffffff01", 3, LengthPastEnd},
		{"length past the end of its message", "0805 2a04 0a030000", 5, LengthPastEnd},
		{"fixed 64 cut", "0806 f10601020304050607", 4, ShortFixed},
		{"fixed 32 cut", "0806 f506010203", 4, ShortFixed},
		{"field number 0", "0806 0001", 2, BadNumber},
		{"tag of 33 bits", "0806 8080808010 01", 2, BadNumber},
		{"group", "0806 f306 f406", 4, Group},
		{"wire type 7", "f706", 2, Group},
		{"packed element cut", "0809 4a04 22 02 0180", 7, ShortVarint},
	} {
		var w Walk
		err := w.Parse(BaseCommand, unhex(t, v.bytes))
		var e *Error
		if !errors.As(err, &e) || e.Offset != v.offset || e.Reason != v.reason {
			t.Errorf("%s: got %v, want %s at byte %d", v.name, err, v.reason, v.offset)
		}
	}
}

func TestErrorText(t *testing.T) {
	var w Walk
	err := w.Parse(BaseCommand, []byte{0x08})
	if got, want := err.Error(), "not a protobuf message: varint runs past the end at byte 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// nested makes a MessageIdData that holds itself so many times.
func nested(times int) []byte {
	var b []byte
	for range times {
		b = append(protowire.AppendTag(nil, 7, protowire.BytesType), protowire.AppendBytes(nil, b)...)
	}
	return b
}

func TestDepthIsLimited(t *testing.T) {
	table := Compile((&pb.MessageIdData{}).ProtoReflect().Descriptor(), never)
	var w Walk
	if err := w.Parse(table, nested(MaxDepth)); err != nil {
		t.Errorf("%d deep: %v", MaxDepth, err)
	}
	if len(w.Nodes) != MaxDepth {
		t.Errorf("%d nodes, want %d", len(w.Nodes), MaxDepth)
	}
	for _, depth := range []int{MaxDepth + 1, 10000} {
		err := w.Parse(table, nested(depth))
		if e := new(Error); !errors.As(err, &e) || e.Reason != TooDeep {
			t.Errorf("%d deep: %v, want %s", depth, err, TooDeep)
		}
		strictJSON(t, w.AppendJSON(nil, Top, nil))
	}
}

func never(string, string) bool { return false }

func TestNodesAreLimited(t *testing.T) {
	data := bytes.Repeat([]byte{0x08, 0x01}, MaxNodes)
	var w Walk
	if err := w.Parse(BrokerEntryMetadata, data); err != nil {
		t.Fatalf("%d nodes: %v", MaxNodes, err)
	}
	err := w.Parse(BrokerEntryMetadata, append(data, 0x08, 0x02))
	if e := new(Error); !errors.As(err, &e) || e.Reason != TooMany || e.Offset != len(data) {
		t.Errorf("got %v, want %s at byte %d", err, TooMany, len(data))
	}
	if len(w.Nodes) != MaxNodes || cap(w.Nodes) != MaxNodes {
		t.Errorf("%d nodes of %d kept, want %d", len(w.Nodes), cap(w.Nodes), MaxNodes)
	}
}

func TestIssuesAreLimited(t *testing.T) {
	var w Walk
	if err := w.Parse(BrokerEntryMetadata, bytes.Repeat([]byte{0x78, 0x01}, MaxIssues+3)); err != nil {
		t.Fatal(err)
	}
	if len(w.Issues) != MaxIssues || w.Unlisted != 3 || w.Found != UnknownField {
		t.Errorf("%d issues, %d more, found %d; want %d, 3, %d", len(w.Issues), w.Unlisted, w.Found, MaxIssues, UnknownField)
	}
	if err := w.Parse(BrokerEntryMetadata, nil); err != nil || len(w.Issues) != 0 || w.Unlisted != 0 || w.Found != 0 {
		t.Errorf("issues of the walk before are still there: %d, %d, %d", len(w.Issues), w.Unlisted, w.Found)
	}
}

// Merging the same message over and over must not take quadratic time.
func TestManyOccurrencesAreMergedInLinearTime(t *testing.T) {
	occurrence := []byte{0x4a, 0x06, 0x12, 0x04, 0x08, 0x01, 0x10, 0x02} // message{message_id{...}}
	var w Walk
	if err := w.Parse(BaseCommand, bytes.Repeat(occurrence, 100_000)); err != nil {
		t.Fatal(err)
	}
	if got, want := string(w.AppendJSON(nil, Top, nil)), `{"message":{"message_id":{"ledgerId":1,"entryId":2}}}`; got != want {
		t.Errorf("got %.100s, want %s", got, want)
	}
}

// FuzzWalk: whatever the bytes, no panic, nodes in order, valid JSON without a
// key twice, text without control characters, and no other reading than that
// of the protobuf library.
func FuzzWalk(f *testing.F) {
	for _, v := range vectors {
		f.Add(byte(0), unhex(f, v.bytes))
		f.Add(byte(1), unhex(f, v.bytes))
	}
	recorded(f, func(which int, _ string, data []byte) { f.Add(byte(which), data) })
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		k := walked[int(which)%len(walked)]
		w := agree(t, k.table, k.empty, data)
		text := string(w.AppendText(nil, Top, &Options{MaxText: 10}))
		if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }); i >= 0 || !utf8.ValidString(text) {
			t.Fatalf("text with a control character at %d: %q", i, text)
		}
		for _, i := range w.Issues {
			if i.String() == "" {
				t.Fatal("issue without text")
			}
		}
	})
}
