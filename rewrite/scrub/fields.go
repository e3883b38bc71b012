package scrub

import (
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// action says what becomes of the value of a field.
type action uint8

const (
	free      action = iota // addresses and known texts in it are replaced
	keep                    // nothing
	replace                 // all of it
	overwrite               // all of it, by any bytes
	blank                   // all of it, until what it holds is put there
	topic                   // its parts, where topics are replaced
	name                    // all of it, where names are replaced
)

// field names a field of a message.
type fieldName struct{ message, name string }

// any stands for every message.
const anyMessage = ""

// actions are those of fields; strings that are not here are free, bytes kept.
var actions = map[fieldName]action{
	{"MessageMetadata", "partition_key"}:       replace,
	{"SingleMessageMetadata", "partition_key"}: replace,
	{"MessageMetadata", "ordering_key"}:        replace,
	{"SingleMessageMetadata", "ordering_key"}:  replace,
	{"KeyValue", "value"}:                      replace,
	{"MessageMetadata", "encryption_param"}:    overwrite,
	{"ContextPair", "value"}:                   replace,
	{"AddRequest", "body"}:                     blank,
	{"ReadResponse", "body"}:                   blank,
	{"ReadLacResponse", "lastEntryBody"}:       blank,
	{anyMessage, "original_principal"}:         replace,

	{anyMessage, "client_version"}:   keep,
	{anyMessage, "server_version"}:   keep,
	{anyMessage, "proxy_version"}:    keep,
	{anyMessage, "auth_method_name"}: keep,

	{anyMessage, "topic"}:          topic,
	{anyMessage, "topics"}:         topic,
	{anyMessage, "new_topics"}:     topic,
	{anyMessage, "deleted_topics"}: topic,
	{anyMessage, "namespace"}:      topic,
	{anyMessage, "topics_pattern"}: topic,

	{anyMessage, "subscription"}:      name,
	{anyMessage, "subscription_name"}: name,
	{anyMessage, "producer_name"}:     name,
	{anyMessage, "consumer_name"}:     name,
	{anyMessage, "consumerName"}:      name,
	{anyMessage, "uuid"}:              name,
}

func actionOf(message string, f *wire.Field) action {
	if f.Secret {
		return overwrite
	}
	for _, n := range []fieldName{{message, f.Name}, {anyMessage, f.Name}} {
		if a, ok := actions[n]; ok {
			return a
		}
	}
	if f.Kind == wire.Bytes {
		return keep
	}
	return free
}

// walked replaces the values in b, of which w is the walk.
func (s *Streams) walked(b []byte, w *wire.Walk) {
	s.nodes(b, w, w.Table.Name, wire.Top, int32(len(w.Nodes)))
}

func (s *Streams) nodes(b []byte, w *wire.Walk, message string, parent, end int32) {
	for i := parent + 1; i < end; i = w.Nodes[i].Next {
		n := &w.Nodes[i]
		value := b[n.ValueStart:n.End]
		switch {
		case n.Field == nil:
			if n.WireType == wire.Len {
				s.names.random(value)
			}
		case n.Field.Kind == wire.Message && isReplicators(w, int(i)):
		case n.Field.Kind == wire.Message:
			s.nodes(b, w, n.Field.Message.Name, i, n.Next)
		case n.Field.Kind == wire.String || n.Field.Kind == wire.Bytes:
			s.value(value, actionOf(message, n.Field))
		}
	}
}

// replicators begins the names of properties that brokers set for each other:
// positions.
const replicators = "__MSG_PROP_REPL_"

// isReplicators says whether a node is such a property.
func isReplicators(w *wire.Walk, i int) bool {
	if w.Nodes[i].Field.Message.Name != "KeyValue" {
		return false
	}
	key, _ := w.Text(i, field.KeyValueKey)
	return strings.HasPrefix(string(key), replicators)
}

// value replaces one value in place.
func (s *Streams) value(b []byte, a action) {
	switch {
	case a == overwrite:
		s.overwrite(b)
	case a == blank:
		mask(b)
	case a == replace:
		copy(b, s.names.text(string(b)))
	case a == topic && s.options.Topics:
		copy(b, s.topic(string(b)))
	case a == name && s.options.Names:
		copy(b, s.name(string(b)))
	case a != keep:
		if text := s.names.freeText(string(b)); len(text) == len(b) {
			copy(b, text)
		}
	}
}

// overwrite replaces a secret: text by text, that readers may go on.
func (s *Streams) overwrite(b []byte) {
	for _, c := range b {
		if c < ' ' || c > '~' {
			s.names.random(b)
			return
		}
	}
	s.names.remember(string(b))
	copy(b, s.names.text(string(b)))
}

// kept are parts of names that say what they are, not whose.
var keptParts = map[string]bool{"persistent:": true, "non-persistent:": true, "": true, "public": true, "default": true, "pulsar": true, "system": true}

// systemNamespace has topics of brokers.
const systemNamespace = "pulsar/system/"

// keptEnds are ends of topic names that programs look at.
var keptEnds = []string{"-RETRY", "-DLQ", "-partition-"}

// topic replaces the parts of a topic's name, all the same wherever it stands.
func (s *Streams) topic(full string) string {
	if strings.Contains(full, systemNamespace) {
		return full
	}
	parts := strings.Split(full, "/")
	for i, p := range parts {
		if keptParts[p] || strings.HasPrefix(p, "__") {
			continue
		}
		parts[i] = s.topicPart(p)
	}
	return strings.Join(parts, "/")
}

func (s *Streams) topicPart(p string) string {
	for _, end := range keptEnds {
		if i := strings.LastIndex(p, end); i > 0 {
			return s.topicPart(p[:i]) + p[i:]
		}
	}
	s.names.remember(p)
	return s.names.text(p)
}

// replicator begins the names of producers that replicate between clusters.
const replicator = "pulsar.repl."

func (s *Streams) name(full string) string {
	if strings.HasPrefix(full, replicator) {
		return full
	}
	s.names.remember(full)
	return s.names.text(full)
}
