package schema

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"

	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/proto/pb"
)

// primitive is a type whose schema has no data. Numbers are big-endian, but for
// the integers of Go clients.
type primitive struct {
	size   int // bytes, -1: any
	append func(w *writer, b []byte) bool
}

// primitives are the primitive types as the Java client writes them. The Go
// client writes INT16, INT32 and INT64 little-endian, all else alike.
var primitives = map[Type]primitive{
	pb.Schema_String:    {-1, (*writer).text},
	pb.Schema_Bool:      {1, func(w *writer, b []byte) bool { return w.put(strconv.AppendBool(w.dst, b[0] != 0)) }},
	pb.Schema_Int8:      {1, func(w *writer, b []byte) bool { return w.integer(int64(int8(b[0]))) }},
	pb.Schema_Int16:     {2, func(w *writer, b []byte) bool { return w.integer(int64(int16(w.integers.Uint16(b)))) }},
	pb.Schema_Int32:     {4, func(w *writer, b []byte) bool { return w.integer(int64(int32(w.integers.Uint32(b)))) }},
	pb.Schema_Int64:     {8, func(w *writer, b []byte) bool { return w.integer(int64(w.integers.Uint64(b))) }},
	pb.Schema_Float:     {4, func(w *writer, b []byte) bool { return w.float32(math.Float32frombits(binary.BigEndian.Uint32(b))) }},
	pb.Schema_Double:    {8, func(w *writer, b []byte) bool { return w.float64(math.Float64frombits(binary.BigEndian.Uint64(b))) }},
	pb.Schema_Date:      {8, func(w *writer, b []byte) bool { return w.moment(split(int64be(b), millis)) }},
	pb.Schema_Timestamp: {8, func(w *writer, b []byte) bool { return w.moment(split(int64be(b), millis)) }},
	pb.Schema_Time:      {8, func(w *writer, b []byte) bool { return w.timeOfJava(int64be(b)) }},
	pb.Schema_Instant: {12, func(w *writer, b []byte) bool {
		return w.moment(int64be(b), int64(int32(binary.BigEndian.Uint32(b[8:]))))
	}},
	pb.Schema_LocalDate:     {8, func(w *writer, b []byte) bool { return w.date(int64be(b)) }},
	pb.Schema_LocalTime:     {8, func(w *writer, b []byte) bool { return w.clock(int64be(b)) }},
	pb.Schema_LocalDateTime: {16, func(w *writer, b []byte) bool { return w.dateAndClock(int64be(b), int64be(b[8:])) }},
}

func (p primitive) read(w *writer, b []byte) bool {
	if p.size >= 0 && len(b) != p.size {
		return w.fail("%d bytes, expected %d", len(b), p.size)
	}
	return p.append(w, b)
}

func int64be(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }

// put takes dst with something appended. It is always true.
func (w *writer) put(dst []byte) bool {
	w.dst = dst
	return true
}

func (w *writer) integer(v int64) bool { return w.put(strconv.AppendInt(w.dst, v, 10)) }

func (w *writer) float64(v float64) bool { return w.put(jsontext.AppendFloat(w.dst, v)) }

// float32 writes as many digits as a float of 32 bits has.
func (w *writer) float32(v float32) bool {
	f := float64(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return w.float64(f)
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return w.put(strconv.AppendFloat(w.dst, f, format, -1, 32))
}

func (w *writer) text(b []byte) bool {
	if !utf8.Valid(b) {
		return w.fail("text of %d bytes that is not UTF-8", len(b))
	}
	return w.put(jsontext.AppendString(w.dst, b))
}

func (w *writer) bytes(b []byte) bool { return w.put(jsontext.AppendBase64(w.dst, b)) }
