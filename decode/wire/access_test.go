package wire

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

func parse(t *testing.T, table *Table, m proto.Message) *Walk {
	t.Helper()
	w := &Walk{}
	if err := w.Parse(table, marshal(t, m)); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAccessByNumber(t *testing.T) {
	w := parse(t, BaseCommand, &pb.BaseCommand{
		Type: pb.BaseCommand_SUBSCRIBE.Enum(),
		Subscribe: &pb.CommandSubscribe{
			Topic: proto.String("t"), Subscription: proto.String("s"), SubType: pb.CommandSubscribe_Key_Shared.Enum(),
			ConsumerId: proto.Uint64(1 << 63), RequestId: proto.Uint64(2), Durable: proto.Bool(false),
			PriorityLevel:  proto.Int32(-3),
			StartMessageId: &pb.MessageIdData{LedgerId: proto.Uint64(7), EntryId: proto.Uint64(8), AckSet: []int64{-1, 5}},
			Metadata:       []*pb.KeyValue{{Key: proto.String("a"), Value: proto.String("b")}, {Key: proto.String("c"), Value: proto.String("d")}},
		},
	})
	sub, ok := w.Sub(Top, field.BaseCommandSubscribe)
	if !ok {
		t.Fatal("no subscribe")
	}
	if v, ok := w.Uint(sub, field.CommandSubscribeConsumerId); v != 1<<63 || !ok {
		t.Errorf("consumer_id %d, %v", v, ok)
	}
	if v, ok := w.Int32(sub, field.CommandSubscribeSubType); v != 3 || !ok {
		t.Errorf("subType %d, %v", v, ok)
	}
	if v, ok := w.Int64(sub, field.CommandSubscribePriorityLevel); v != -3 || !ok {
		t.Errorf("priority_level %d, %v", v, ok)
	}
	if v, ok := w.Bool(sub, field.CommandSubscribeDurable); v || !ok {
		t.Errorf("durable %v, %v", v, ok)
	}
	if v, ok := w.Text(sub, field.CommandSubscribeTopic); string(v) != "t" || !ok {
		t.Errorf("topic %q, %v", v, ok)
	}
	if _, ok := w.Text(sub, field.CommandSubscribeConsumerName); ok {
		t.Error("a consumer_name that is not there")
	}
	if _, ok := w.Sub(sub, field.CommandSubscribeSchema); ok {
		t.Error("a schema that is not there")
	}
	id, _ := w.Sub(sub, field.CommandSubscribeStartMessageId)
	var words []int64
	for i := range w.Each(id, field.MessageIdDataAckSet) {
		words = append(words, w.Nodes[i].Int64())
	}
	if !slices.Equal(words, []int64{-1, 5}) {
		t.Errorf("ack_set %v", words)
	}
	var keys []string
	for i := range w.Each(sub, field.CommandSubscribeMetadata) {
		key, _ := w.Text(i, field.KeyValueKey)
		keys = append(keys, string(key))
	}
	if !slices.Equal(keys, []string{"a", "c"}) {
		t.Errorf("keys %q", keys)
	}
}

func TestAccessToDoubles(t *testing.T) {
	w := parse(t, BaseCommand, &pb.BaseCommand{
		Type:                  pb.BaseCommand_CONSUMER_STATS_RESPONSE.Enum(),
		ConsumerStatsResponse: &pb.CommandConsumerStatsResponse{RequestId: proto.Uint64(1), MsgRateOut: proto.Float64(2.5)},
	})
	sub, _ := w.Sub(Top, field.BaseCommandConsumerStatsResponse)
	if v, ok := w.Double(sub, field.CommandConsumerStatsResponseMsgRateOut); v != 2.5 || !ok {
		t.Errorf("msgRateOut %v, %v", v, ok)
	}
}

// Two occurrences of message, each with a message_id: read as one.
func TestAccessToMergedMessages(t *testing.T) {
	var w Walk
	if err := w.Parse(BaseCommand, unhex(t, "0809 4a08 0801 1204 0801 2807 4a0a 1206 0802 1003 2808 1801")); err != nil {
		t.Fatal(err)
	}
	message, _ := w.Sub(Top, 9)
	if v, ok := w.Uint(message, field.CommandMessageRedeliveryCount); v != 1 || !ok {
		t.Errorf("redelivery_count %d, %v", v, ok)
	}
	id, _ := w.Sub(message, field.CommandMessageMessageId)
	ledger, _ := w.Uint(id, field.MessageIdDataLedgerId)
	entry, _ := w.Uint(id, field.MessageIdDataEntryId)
	if ledger != 2 || entry != 3 {
		t.Errorf("message id %d:%d, want 2:3", ledger, entry)
	}
	words := 0
	for i := w.Find(id, field.MessageIdDataAckSet); i >= 0; i = w.NextOf(i) {
		words++
	}
	if words != 2 {
		t.Errorf("%d words of ack_set, want 2", words)
	}
}

func TestFieldsOfAWrongTypeAreNotThere(t *testing.T) {
	var w Walk
	if err := w.Parse(BaseCommand, unhex(t, "0806 3203 0a0161")); err != nil {
		t.Fatal(err)
	}
	send, _ := w.Sub(Top, field.BaseCommandSend)
	if v, ok := w.Uint(send, field.CommandSendProducerId); ok {
		t.Errorf("producer_id %d of a string", v)
	}
}

// Where a value stands is what the byte view shows.
func TestRanges(t *testing.T) {
	var w Walk
	if err := w.Parse(BaseCommand, unhex(t, "0806 3204 0805 1007")); err != nil {
		t.Fatal(err)
	}
	var got [][4]int32
	for _, n := range w.Nodes {
		got = append(got, [4]int32{n.Start, n.ValueStart, n.End, n.Next})
	}
	want := [][4]int32{{0, 1, 2, 1}, {2, 4, 8, 4}, {4, 5, 6, 3}, {6, 7, 8, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
