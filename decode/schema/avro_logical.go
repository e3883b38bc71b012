package schema

import (
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"strconv"
)

// logicalKey names a logical type on a kind of type. One that is not in the
// table is read as the type that it is on, as the specification says.
type logicalKey struct{ logical, kind string }

// logicals are the logical types.
var logicals = map[logicalKey]func(*avroReader, *avroType) bool{
	{"date", "int"}:                    (*avroReader).date,
	{"time-millis", "int"}:             onInt(func(r *avroReader, v int64) bool { return r.clockOf(v, millis) }),
	{"time-micros", "long"}:            onLong(func(r *avroReader, v int64) bool { return r.clockOf(v, micros) }),
	{"timestamp-millis", "long"}:       onLong(func(r *avroReader, v int64) bool { return r.moment(split(v, millis)) }),
	{"timestamp-micros", "long"}:       onLong(func(r *avroReader, v int64) bool { return r.moment(split(v, micros)) }),
	{"timestamp-nanos", "long"}:        onLong(func(r *avroReader, v int64) bool { return r.moment(split(v, nanos)) }),
	{"local-timestamp-millis", "long"}: onLong(func(r *avroReader, v int64) bool { return r.localMoment(split(v, millis)) }),
	{"local-timestamp-micros", "long"}: onLong(func(r *avroReader, v int64) bool { return r.localMoment(split(v, micros)) }),
	{"local-timestamp-nanos", "long"}:  onLong(func(r *avroReader, v int64) bool { return r.localMoment(split(v, nanos)) }),
	{"decimal", "bytes"}:               (*avroReader).decimal,
	{"decimal", "fixed"}:               (*avroReader).decimal,
	{"uuid", "fixed"}:                  (*avroReader).uuid,
	{"duration", "fixed"}:              (*avroReader).duration,
}

// logicalSizes are the sizes that logical types need their fixed type to have.
var logicalSizes = map[string]int{"uuid": 16, "duration": 12}

// setLogical takes a logical type that is well formed.
func (t *avroType) setLogical(m map[string]any) error {
	name, _ := m["logicalType"].(string)
	read := logicals[logicalKey{name, t.kind}]
	if read == nil || t.kind == "fixed" && logicalSizes[name] != 0 && logicalSizes[name] != t.size {
		return nil
	}
	if name == "decimal" {
		scale, ok := whole(m["scale"])
		if m["scale"] != nil && !ok || scale > largestDecimal {
			return nil
		}
		t.scale = scale
	}
	t.logical, t.read = name, read
	return nil
}

func onInt(show func(*avroReader, int64) bool) func(*avroReader, *avroType) bool {
	return func(r *avroReader, _ *avroType) bool {
		v, ok := r.int32()
		return ok && show(r, v)
	}
}

func onLong(show func(*avroReader, int64) bool) func(*avroReader, *avroType) bool {
	return func(r *avroReader, _ *avroType) bool {
		v, ok := r.varint("long")
		return ok && show(r, v)
	}
}

func (r *avroReader) date(*avroType) bool {
	v, ok := r.int32()
	return ok && r.writer.date(v)
}

// clockOf takes a time of day.
func (r *avroReader) clockOf(v, perSecond int64) bool {
	if v < 0 || v >= secondsPerDay*perSecond {
		return r.fail("%d is no time of day", v)
	}
	return r.clock(v * (nanos / perSecond))
}

// raw reads the bytes of a bytes or fixed type.
func (r *avroReader) raw(t *avroType) ([]byte, bool) {
	if t.kind == "fixed" {
		return r.take(int64(t.size), t.kind)
	}
	return r.counted(t.kind)
}

// decimal writes a number with all its digits: an unscaled integer, two's
// complement and big-endian, and a scale.
func (r *avroReader) decimal(t *avroType) bool {
	b, ok := r.raw(t)
	if !ok {
		return false
	}
	if len(b) > largestDecimal {
		return r.fail("a decimal of %d bytes; up to %d are read", len(b), largestDecimal)
	}
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return r.put(appendScaled(r.dst, v, t.scale))
}

// appendScaled appends v with the last scale digits behind the point.
func appendScaled(dst []byte, v *big.Int, scale int) []byte {
	digits := new(big.Int).Abs(v).String()
	for len(digits) <= scale {
		digits = "0" + digits
	}
	if v.Sign() < 0 {
		dst = append(dst, '-')
	}
	point := len(digits) - scale
	dst = append(dst, digits[:point]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[point:]...)
	}
	return dst
}

func (r *avroReader) uuid(t *avroType) bool {
	b, ok := r.raw(t)
	if !ok {
		return false
	}
	r.dst = append(r.dst, '"')
	for i, end := range [...]int{4, 6, 8, 10, 16} {
		if i > 0 {
			r.dst = append(r.dst, '-')
		}
		r.dst = hex.AppendEncode(r.dst, b[[...]int{0, 4, 6, 8, 10}[i]:end])
	}
	return r.put(append(r.dst, '"'))
}

// duration is three numbers of 4 bytes, little-endian.
func (r *avroReader) duration(t *avroType) bool {
	b, ok := r.raw(t)
	if !ok {
		return false
	}
	for i, key := range [...]string{`{"months":`, `,"days":`, `,"millis":`} {
		r.dst = strconv.AppendUint(append(r.dst, key...), uint64(binary.LittleEndian.Uint32(b[4*i:])), 10)
	}
	return r.put(append(r.dst, '}'))
}
