package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	catalogue "pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
)

// Here the protobuf library is the second opinion on everything that it can
// tell: values, merging, packed fields, missing required fields.

// walked are the messages that the walk has tables for.
var walked = []struct {
	table *Table
	empty proto.Message
}{
	{BaseCommand, &pb.BaseCommand{}},
	{MessageMetadata, &pb.MessageMetadata{}},
	{SingleMessageMetadata, &pb.SingleMessageMetadata{}},
	{BrokerEntryMetadata, &pb.BrokerEntryMetadata{}},
	{SnapshotRequest, &pb.ReplicatedSubscriptionsSnapshotRequest{}},
	{SnapshotResponse, &pb.ReplicatedSubscriptionsSnapshotResponse{}},
	{Snapshot, &pb.ReplicatedSubscriptionsSnapshot{}},
	{SubscriptionUpdate, &pb.ReplicatedSubscriptionsUpdate{}},
}

func TestEveryCommandReadsAsTheLibraryReadsIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range catalogue.Commands {
		for range 200 {
			m := randomCommand(rng, &c)
			data := marshal(t, m)
			w := agree(t, BaseCommand, &pb.BaseCommand{}, data)
			if len(w.Issues) > 0 {
				t.Fatalf("%s: issues %v in %x", c.Name, w.Issues, data)
			}
		}
	}
}

func TestMetadataReadsAsTheLibraryReadsIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range walked[1:] {
		for range 500 {
			m := k.empty.ProtoReflect().New()
			fill(rng, m, 1, 0)
			if w := agree(t, k.table, k.empty, marshal(t, m.Interface())); len(w.Issues) > 0 {
				t.Fatalf("%s: issues %v", k.table.Name, w.Issues)
			}
		}
	}
}

// Partial messages one after another are one message, merged.
func TestConcatenationsReadAsTheLibraryReadsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		k := walked[rng.IntN(len(walked))]
		var data []byte
		for range 1 + rng.IntN(4) {
			m := k.empty.ProtoReflect().New()
			fill(rng, m, 0.3, 0)
			data = append(data, marshal(t, m.Interface())...)
		}
		agree(t, k.table, k.empty, data)
	}
}

func TestDamagedBytesReadAsTheLibraryReadsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 30000 {
		k := walked[rng.IntN(len(walked))]
		m := k.empty.ProtoReflect().New()
		fill(rng, m, 0.3, 0)
		data := damage(rng, marshal(t, m.Interface()))
		agree(t, k.table, k.empty, data)
	}
}

// agree parses data both ways and compares. The walk refuses what the protocol
// has no use for (groups, deep nesting), and accepts varints whose tenth byte
// has bits to spare, as Java's and Python's readers do; the library does not.
func agree(t *testing.T, table *Table, empty proto.Message, data []byte) *Walk {
	t.Helper()
	w := &Walk{}
	err := w.Parse(table, data)
	checkShape(t, w)
	got := strictJSON(t, w.AppendJSON(nil, Top, &Options{ShowSecrets: true}))
	m := empty.ProtoReflect().New()
	libErr := proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(data, m.Interface())
	switch {
	case err != nil && libErr == nil:
		if e := new(Error); !errors.As(err, &e) || e.Reason != Group && e.Reason != TooDeep {
			t.Fatalf("%s %x: %v, but the library reads it", table.Name, data, err)
		}
		return w
	case err == nil && libErr != nil:
		if !hasLooseVarint(data) {
			t.Fatalf("%s %x: the library says %v", table.Name, data, libErr)
		}
		return w
	case err != nil:
		return w
	}
	want := plain(m)
	dropOneof(want, got.(map[string]any))
	if diff := difference("", want, withoutUnknown(got)); diff != "" {
		t.Fatalf("%s: %.500s in %x", table.Name, diff, data)
	}
	missing := proto.CheckInitialized(m.Interface()) != nil
	if found := w.Found&MissingRequired != 0; missing && !found || found && !missing && w.Found&RepeatedSingular == 0 {
		t.Fatalf("%s: missing required %v, the library says %v, in %x", table.Name, found, missing, data)
	}
	return w
}

// hasLooseVarint tells whether 9 bytes with the high bit are followed by one above 1.
func hasLooseVarint(data []byte) bool {
	run := 0
	for _, c := range data {
		if run >= 9 && c > 1 {
			return true
		}
		if run++; c < 0x80 {
			run = 0
		}
	}
	return false
}

func marshal(t *testing.T, m proto.Message) []byte {
	t.Helper()
	data, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func randomCommand(rng *rand.Rand, c *catalogue.Command) proto.Message {
	m := &pb.BaseCommand{Type: pb.BaseCommand_Type(c.Number).Enum()}
	fill(rng, m.ProtoReflect().Mutable(c.Field).Message(), 0.7, 0)
	return m
}

// fill sets fields of m: all required ones if share is above a half, each
// other one with probability share.
func fill(rng *rand.Rand, m protoreflect.Message, share float64, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		needed := f.Cardinality() == protoreflect.Required && share > 0.5
		if !needed && (rng.Float64() > share || depth > 3) {
			continue
		}
		if !f.IsList() {
			setRandom(rng, m, f, share, depth)
			continue
		}
		list := m.Mutable(f).List()
		for range rng.IntN(4) {
			if f.Message() != nil {
				fill(rng, list.AppendMutable().Message(), share, depth+1)
			} else {
				list.Append(randomValue(rng, f))
			}
		}
	}
}

func setRandom(rng *rand.Rand, m protoreflect.Message, f protoreflect.FieldDescriptor, share float64, depth int) {
	if f.Message() != nil {
		fill(rng, m.Mutable(f).Message(), share, depth+1)
		return
	}
	m.Set(f, randomValue(rng, f))
}

func randomValue(rng *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	bits := rng.Uint64() >> rng.IntN(64)
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(bits&1 == 1)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(rng.IntN(values.Len())).Number())
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(bits))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(bits))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(bits))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(bits)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(randomDouble(rng))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(randomText(rng))
	}
	b := make([]byte, rng.IntN(40))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return protoreflect.ValueOfBytes(b)
}

func randomDouble(rng *rand.Rand) float64 {
	odd := []float64{0, math.Copysign(0, -1), 1, -1.5, 1e21, 1e-7, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	if n := rng.IntN(2 * len(odd)); n < len(odd) {
		return odd[n]
	}
	return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(30)-15))
}

func randomText(rng *rand.Rand) string {
	letters := []rune("abcdefghijklmnopqrstuvwxyz0123456789-:/ \"\\\n\t\x00\x1b\x7f\u0085äß世🙂\u2028<>&")
	s := make([]rune, rng.IntN(30))
	for i := range s {
		s[i] = letters[rng.IntN(len(letters))]
	}
	return string(s)
}

// damage changes, cuts, doubles or moves some of the bytes.
func damage(rng *rand.Rand, data []byte) []byte {
	for range 1 + rng.IntN(3) {
		if len(data) == 0 {
			return []byte{byte(rng.Uint32())}
		}
		i, j := rng.IntN(len(data)), rng.IntN(len(data))
		switch i, j = min(i, j), max(i, j); rng.IntN(5) {
		case 0:
			data[i] ^= 1 << rng.IntN(8)
		case 1:
			data[i] = byte(rng.Uint32())
		case 2:
			data = append(data[:i], data[j:]...)
		case 3:
			data = append(data, data[i:j]...)
		case 4:
			data = data[:j]
		}
	}
	return data
}

// plain turns a message into what strictJSON makes of our output.
func plain(m protoreflect.Message) map[string]any {
	out := map[string]any{}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if !f.IsList() {
			out[string(f.Name())] = plainValue(f, v)
			return true
		}
		var list []any
		for i := range v.List().Len() {
			list = append(list, plainValue(f, v.List().Get(i)))
		}
		out[string(f.Name())] = list
		return true
	})
	return out
}

func plainValue(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return plain(v.Message())
	case protoreflect.EnumKind:
		if value := f.Enum().Values().ByNumber(v.Enum()); value != nil {
			return string(value.Name())
		}
		return json.Number(strconv.Itoa(int(v.Enum())))
	case protoreflect.BytesKind:
		return base64.StdEncoding.EncodeToString(v.Bytes())
	case protoreflect.StringKind:
		if s := v.String(); !utf8.ValidString(s) {
			return "hex:" + hex.EncodeToString([]byte(s))
		}
		return v.String()
	case protoreflect.BoolKind:
		return v.Bool()
	case protoreflect.DoubleKind:
		return v.Float()
	}
	return json.Number(v.String())
}

// difference tells where two such values differ.
func difference(path string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return fmt.Sprintf("%s: got %v, want %v", path, got, want)
		}
		for k := range want {
			if diff := difference(path+"."+k, want[k], got[k]); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return fmt.Sprintf("%s: got %v, want %v", path, got, want)
		}
		for i := range want {
			if diff := difference(path, want[i], got[i]); diff != "" {
				return diff
			}
		}
		return ""
	case float64:
		if s, ok := got.(string); ok {
			got = json.Number(s)
		}
		if f, err := got.(json.Number).Float64(); err != nil || math.Float64bits(f) != math.Float64bits(want) && f == f {
			return fmt.Sprintf("%s: got %v, want %v", path, got, want)
		}
		return ""
	}
	if want != got {
		return fmt.Sprintf("%s: got %#v, want %#v", path, got, want)
	}
	return ""
}

// dropOneof takes the only oneof of the schema out of both where all of its
// fields are there: the walk shows what stands on the wire, the library the
// last one.
func dropOneof(want, got map[string]any) {
	const command, one, other = "watchScalableTopicsUpdate", "snapshot", "diff"
	g, _ := got[command].(map[string]any)
	if g[one] == nil || g[other] == nil {
		return
	}
	for _, m := range []map[string]any{g, want[command].(map[string]any)} {
		delete(m, one)
		delete(m, other)
	}
}

func withoutUnknown(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "unknown_fields")
		for _, e := range v {
			withoutUnknown(e)
		}
	case []any:
		for _, e := range v {
			withoutUnknown(e)
		}
	}
	return v
}

// strictJSON reads one JSON value that must be valid UTF-8 and have no key twice.
func strictJSON(t *testing.T, b []byte) any {
	t.Helper()
	if !utf8.Valid(b) || !json.Valid(b) {
		t.Fatalf("not JSON: %q", b)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v, err := readValue(d)
	if err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

func readValue(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		return readObject(d)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return tok, nil
}

func readObject(d *json.Decoder) (any, error) {
	object := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		if _, twice := object[key.(string)]; twice {
			return nil, fmt.Errorf("key %q twice", key)
		}
		if object[key.(string)], err = readValue(d); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}
