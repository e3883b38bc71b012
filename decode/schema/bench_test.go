package schema

import (
	"testing"

	"pulsar-dissect/proto/pb"
)

// A value of each kind, into a buffer that is there: what a message costs.
func BenchmarkAppend(b *testing.B) {
	json := []byte(`{"unit":"river","n":1,"big":7,"val":1.5,"tags":["a","b1"],"m":{"x":1}}`)
	for _, c := range []struct {
		name    string
		info    Info
		payload []byte
	}{
		{"Avro", Info{Type: pb.Schema_Avro, Data: []byte(measurement)},
			unhex("020a7269766572" + "02" + "0e" + "000000000000f83f" + "01" + "00" + "00" + "0402610462310002" + "027802" + "00" + "00" + "a49a02")},
		{"JSON", Info{Type: pb.Schema_Json, Data: []byte(measurement)}, json},
		{"Protobuf", Info{Type: pb.Schema_Protobuf, Data: []byte(readingAvro), Properties: map[string]string{parsingInfo: readingInfo}},
			unhex("0a0161" + "100a" + "220174" + "220175" + "2801")},
		{"Int64", Info{Type: pb.Schema_Int64}, make([]byte, 8)},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := compile(b, c.info)
			var dst []byte
			b.ReportAllocs()
			b.SetBytes(int64(len(c.payload)))
			for b.Loop() {
				var err error
				if dst, err = s.Append(dst[:0], Value{Payload: c.payload}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
