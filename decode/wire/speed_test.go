package wire

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// samples are messages as captures of small frames have them.
var samples = []struct {
	name  string
	table *Table
	m     proto.Message
}{
	{"Ping", BaseCommand, &pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}}},
	{"Send", BaseCommand, &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(), Send: &pb.CommandSend{
		ProducerId: proto.Uint64(5), SequenceId: proto.Uint64(123456), NumMessages: proto.Int32(10)}}},
	{"Message", BaseCommand, &pb.BaseCommand{Type: pb.BaseCommand_MESSAGE.Enum(), Message: &pb.CommandMessage{
		ConsumerId: proto.Uint64(3), MessageId: &pb.MessageIdData{LedgerId: proto.Uint64(1234567), EntryId: proto.Uint64(89), Partition: proto.Int32(-1)}}}},
	{"Metadata144", MessageMetadata, &pb.MessageMetadata{
		ProducerName: proto.String("standalone-12-345"), SequenceId: proto.Uint64(12345), PublishTime: proto.Uint64(1700000000000),
		Properties: []*pb.KeyValue{
			{Key: proto.String("trace-id"), Value: proto.String("4bf92f3577b34da6a3ce929d0e0e4736-1")},
			{Key: proto.String("content-type"), Value: proto.String("application/json")},
		},
		PartitionKey: proto.String("order-1234567"), Compression: pb.CompressionType_LZ4.Enum(), UncompressedSize: proto.Uint32(3000),
		NumMessagesInBatch: proto.Int32(10), SchemaVersion: []byte{0, 0, 0, 0, 0, 0, 0, 1}}},
}

func TestNothingIsAllocated(t *testing.T) {
	for _, s := range samples {
		data := marshal(t, s.m)
		var w Walk
		var out []byte
		face := func() {
			if err := w.Parse(s.table, data); err != nil {
				t.Fatal(err)
			}
			out = w.AppendJSON(out[:0], Top, nil)
			out = w.AppendText(out[:0], Top, nil)
		}
		if n := testing.AllocsPerRun(100, face); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}

func TestAccessAllocatesNothing(t *testing.T) {
	w := parse(t, MessageMetadata, samples[3].m)
	bytes := 0
	access := func() {
		for i := range w.Each(Top, field.MessageMetadataProperties) {
			key, _ := w.Text(i, field.KeyValueKey)
			bytes += len(key)
		}
	}
	if n := testing.AllocsPerRun(100, access); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if bytes != 101*len("trace-idcontent-type") {
		t.Errorf("%d bytes of keys", bytes)
	}
}

func BenchmarkParse(b *testing.B) {
	each(b, func(w *Walk, out []byte) []byte { return out })
}

func BenchmarkParseAndJSON(b *testing.B) {
	each(b, func(w *Walk, out []byte) []byte { return w.AppendJSON(out[:0], Top, nil) })
}

func BenchmarkParseAndText(b *testing.B) {
	each(b, func(w *Walk, out []byte) []byte { return w.AppendText(out[:0], Top, nil) })
}

// BenchmarkUnmarshal is the library's, which makes neither ranges nor JSON: a
// measure of the machine.
func BenchmarkUnmarshal(b *testing.B) {
	for _, s := range samples {
		data, _ := proto.Marshal(s.m)
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				m := s.m.ProtoReflect().New().Interface()
				if err := proto.Unmarshal(data, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func each(b *testing.B, face func(*Walk, []byte) []byte) {
	for _, s := range samples {
		data, _ := proto.Marshal(s.m)
		b.Run(s.name, func(b *testing.B) {
			var w Walk
			var out []byte
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Parse(s.table, data); err != nil {
					b.Fatal(err)
				}
				out = face(&w, out)
			}
		})
	}
}
