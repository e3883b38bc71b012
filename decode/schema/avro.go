package schema

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"

	"pulsar-dissect/decode/wire/jsontext"
)

// avroReader walks over a value in Avro's binary encoding.
type avroReader struct {
	*writer
	b  []byte
	at int
}

func readAvro(w *writer, t *avroType, b []byte) bool {
	r := &avroReader{writer: w, b: b}
	if !t.read(r, t) {
		return false
	}
	if rest := len(b) - r.at; rest > 0 {
		return w.fail("%d bytes behind the value", rest)
	}
	return true
}

// cut says that the payload ends before the value does.
func (r *avroReader) cut(t string) bool {
	return r.fail("cut off: the payload ends at byte %d, within a value of type %s", len(r.b), t)
}

// varint reads a zigzag number.
func (r *avroReader) varint(t string) (int64, bool) {
	v, n := binary.Varint(r.b[r.at:])
	switch {
	case n == 0:
		return 0, r.cut(t)
	case n < 0:
		return 0, r.fail("byte %d: a number of more than 64 bits", r.at)
	}
	r.at += n
	return v, true
}

// take reads n bytes.
func (r *avroReader) take(n int64, t string) ([]byte, bool) {
	if n < 0 {
		return nil, r.fail("byte %d: a length of %d", r.at, n)
	}
	if n > int64(len(r.b)-r.at) {
		return nil, r.fail("%s of %d bytes, of which the payload has %d", t, n, len(r.b)-r.at)
	}
	b := r.b[r.at : r.at+int(n)]
	r.at += int(n)
	return b, true
}

func (r *avroReader) null(*avroType) bool { return r.put(append(r.dst, "null"...)) }

func (r *avroReader) boolean(*avroType) bool {
	b, ok := r.take(1, "boolean")
	if !ok {
		return false
	}
	if b[0] > 1 {
		return r.fail("byte %d: %#02x is no boolean", r.at-1, b[0])
	}
	return r.put(strconv.AppendBool(r.dst, b[0] == 1))
}

func (r *avroReader) int32() (int64, bool) {
	v, ok := r.varint("int")
	if ok && (v < math.MinInt32 || v > math.MaxInt32) {
		return 0, r.fail("%d is no int", v)
	}
	return v, ok
}

func (r *avroReader) int(*avroType) bool {
	v, ok := r.int32()
	return ok && r.integer(v)
}

func (r *avroReader) long(*avroType) bool {
	v, ok := r.varint("long")
	return ok && r.integer(v)
}

func (r *avroReader) float(*avroType) bool {
	b, ok := r.take(4, "float")
	return ok && r.float32(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

func (r *avroReader) double(*avroType) bool {
	b, ok := r.take(8, "double")
	return ok && r.float64(math.Float64frombits(binary.LittleEndian.Uint64(b)))
}

// counted reads bytes behind their length.
func (r *avroReader) counted(t string) ([]byte, bool) {
	n, ok := r.varint(t)
	if !ok {
		return nil, false
	}
	return r.take(n, t)
}

func (r *avroReader) bytes(*avroType) bool {
	b, ok := r.counted("bytes")
	return ok && r.writer.bytes(b)
}

func (r *avroReader) string(*avroType) bool {
	b, ok := r.counted("string")
	return ok && r.text(b)
}

func (r *avroReader) fixed(t *avroType) bool {
	b, ok := r.take(int64(t.size), "fixed")
	return ok && r.writer.bytes(b)
}

func (r *avroReader) enum(t *avroType) bool {
	i, ok := r.varint("enum")
	if !ok {
		return false
	}
	if i < 0 || i >= int64(len(t.symbols)) {
		return r.fail("symbol %d of an enum that has %d", i, len(t.symbols))
	}
	return r.put(jsontext.AppendText(r.dst, t.symbols[i]))
}

func (r *avroReader) union(t *avroType) bool {
	i, ok := r.varint("union")
	if !ok {
		return false
	}
	if i < 0 || i >= int64(len(t.branches)) {
		return r.fail("branch %d of a union that has %d", i, len(t.branches))
	}
	branch := t.branches[i]
	return branch.read(r, branch)
}

func (r *avroReader) record(t *avroType) bool {
	r.dst = append(r.dst, '{')
	for i := range t.fields {
		f := &t.fields[i]
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		r.dst = append(r.dst, f.quoted...)
		if !r.enter(named(f.name)) || !f.typ.read(r, f.typ) || !r.room() {
			return false
		}
		r.leave()
	}
	return r.put(append(r.dst, '}'))
}

// blocks reads the items of an array or a map: blocks of a count and so many
// items, until one of none. A negative count has the block's size in bytes
// behind it.
func (r *avroReader) blocks(t string, item func(i int) bool) bool {
	for i := 0; ; {
		n, ok := r.varint(t)
		if ok && n < 0 {
			n = -n
			_, ok = r.varint(t)
		}
		switch {
		case !ok:
			return false
		case n == 0:
			return true
		case n < 0:
			return r.fail("byte %d: a count of 2^63", r.at)
		}
		for ; n > 0; n, i = n-1, i+1 {
			if !item(i) || !r.room() {
				return false
			}
		}
	}
}

func (r *avroReader) array(t *avroType) bool {
	r.dst = append(r.dst, '[')
	ok := r.blocks("array", func(i int) bool {
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		if !r.enter(place(i)) || !t.items.read(r, t.items) {
			return false
		}
		r.leave()
		return true
	})
	return ok && r.put(append(r.dst, ']'))
}

func (r *avroReader) mapping(t *avroType) bool {
	o := r.begin()
	ok := r.blocks("map", func(int) bool {
		b, ok := r.counted("map key")
		if !ok {
			return false
		}
		if !utf8.Valid(b) {
			return r.fail("a map key of %d bytes that is not UTF-8", len(b))
		}
		if !r.key(&o, b) || !r.enter(keyed(b)) || !t.items.read(r, t.items) {
			return false
		}
		r.leave()
		return true
	})
	if ok {
		r.end(&o)
	}
	return ok
}
