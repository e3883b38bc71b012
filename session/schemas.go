package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/schema"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// Schema is a schema that was seen on the wire, or given by the user.
type Schema struct {
	info     schema.Info
	sum      [sha256.Size]byte
	compiled *schema.Schema
	fault    error // why it cannot be compiled
	size     int   // of its data, bytes
	dropped  bool  // let go for the limit
}

// Compiled is the schema made ready for reading, which is done at its first
// use. The error says what is wrong with it.
func (s *Schema) Compiled() (*schema.Schema, error) {
	if s.compiled == nil && s.fault == nil {
		s.compiled, s.fault = schema.Compile(s.info)
		s.info.Data = nil
	}
	return s.compiled, s.fault
}

// Type is the type of the schema.
func (s *Schema) Type() schema.Type { return s.info.Type }

// Name is the name of its outermost type, or that under which it is
// registered.
func (s *Schema) Name() string {
	if c, err := s.Compiled(); err == nil {
		return c.Name
	}
	return s.info.Name
}

// schemaKey is a version of a topic's schema. Versions are counted by topic
// and cluster; clusters are told apart by their brokers.
type schemaKey struct {
	broker  string // address; empty: whichever broker spoke of it last
	topic   string // as schemaTopic has it
	version string // bytes on the wire: a number of 8 bytes, or a hash
}

// schemaTable holds the schemas, within the limits.
type schemaTable struct {
	limits   *Limits
	counters *Counters
	given    map[string]*Schema // by the user, by topic
	known    map[schemaKey]*Schema
	keys     []schemaKey // oldest first
	bySum    map[[sha256.Size]byte]*Schema
	order    []*Schema // oldest first
	bytes    int
}

// schemaTopic is the name under which a topic's schemas are kept: without the
// scheme and without the number of a partition.
func schemaTopic(topic string) string {
	if _, rest, ok := strings.Cut(topic, "://"); ok {
		topic = rest
	}
	if i := strings.LastIndex(topic, partitionMark); i >= 0 && digits(topic[i+len(partitionMark):]) {
		topic = topic[:i]
	}
	if !strings.Contains(topic, "/") {
		topic = "public/default/" + topic
	}
	return topic
}

const partitionMark = "-partition-"

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// give takes the schemas of the user.
func (t *schemaTable) give(byTopic map[string]*schema.Schema) {
	t.given = map[string]*Schema{}
	for topic, s := range byTopic {
		t.given[schemaTopic(topic)] = &Schema{info: schema.Info{Type: s.Type, Name: s.Name}, compiled: s}
	}
}

// read takes the schema that a command carries in a field; nil where there is
// none that says something about payloads.
func (t *schemaTable) read(f *decode.Frame, number int32) *Schema {
	if f.Sub < 0 {
		return nil
	}
	node, ok := f.Base.Sub(f.Sub, number)
	if !ok {
		return nil
	}
	kind, _ := f.Base.Int32(node, field.SchemaType)
	if !schema.Describes(schema.Type(kind)) {
		return nil
	}
	sum := sha256.Sum256(f.Base.Bytes(&f.Base.Nodes[node]))
	if s := t.bySum[sum]; s != nil {
		return s
	}
	s := &Schema{info: infoOf(&f.Base, node), sum: sum}
	t.add(s)
	return s
}

// infoOf copies a schema.
func infoOf(w *wire.Walk, node int) schema.Info {
	kind, _ := w.Int32(node, field.SchemaType)
	name, _ := w.Text(node, field.SchemaName)
	data, _ := w.Text(node, field.SchemaSchemaData)
	i := schema.Info{Type: schema.Type(kind), Name: string(name), Data: bytes.Clone(data), Properties: map[string]string{}}
	for p := range w.Each(node, field.SchemaProperties) {
		key, _ := w.Text(p, field.KeyValueKey)
		value, _ := w.Text(p, field.KeyValueValue)
		i.Properties[string(key)] = string(value)
	}
	return i
}

// schemaCost is what a schema takes beyond its data, in bytes.
const schemaCost = 512

func (t *schemaTable) add(s *Schema) {
	if t.bySum == nil {
		t.bySum, t.known = map[[sha256.Size]byte]*Schema{}, map[schemaKey]*Schema{}
	}
	t.bySum[s.sum] = s
	t.order = append(t.order, s)
	s.size = len(s.info.Data)
	t.bytes += s.size + schemaCost
	for len(t.order) > 1 && (len(t.order) > t.limits.Schemas || t.bytes > t.limits.SchemaBytes) {
		t.drop(t.order[0])
		t.order = t.order[1:]
	}
}

// drop lets a schema go. Those who still have it see that.
func (t *schemaTable) drop(s *Schema) {
	t.counters.Schemas++
	t.bytes -= s.size + schemaCost
	delete(t.bySum, s.sum)
	*s = Schema{dropped: true}
}

// name notes that a schema is a version of a topic's.
func (t *schemaTable) name(broker, topic string, version []byte, s *Schema) {
	if s == nil || len(version) == 0 || len(version) > longestVersion {
		return
	}
	for _, k := range [...]schemaKey{{broker, topic, string(version)}, {"", topic, string(version)}} {
		if t.known[k] == nil {
			t.keys = append(t.keys, k)
		}
		t.known[k] = s
	}
	for len(t.keys) > 2*t.limits.Schemas {
		delete(t.known, t.keys[0])
		t.keys = t.keys[1:]
	}
}

// longestVersion is the largest version in bytes that is kept.
const longestVersion = 64

// version finds a version of a topic's schema.
func (t *schemaTable) version(broker, topic string, version []byte) *Schema {
	for _, b := range [...]string{broker, ""} {
		if s := t.known[schemaKey{b, topic, string(version)}]; s != nil && !s.dropped {
			return s
		}
	}
	return nil
}

// VersionNumber reads a schema version that is a number: 8 bytes, big-endian.
func VersionNumber(version []byte) (n uint64, ok bool) {
	if len(version) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(version), true
}
