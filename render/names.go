package render

import (
	"strconv"
	"strings"
	"unicode"

	"pulsar-dissect/session"
)

// maxName is how many bytes of a name from the wire a line shows.
const maxName = 200

// appendLabel appends the short name of a connection: c0, c1, ... by its number
// in the run, as in conn_id of the JSON records.
func appendLabel(dst []byte, id int) []byte {
	return strconv.AppendInt(append(dst, 'c'), int64(id), 10)
}

// Parts of topic names that say little.
const (
	persistentScheme = "persistent://"
	defaultNamespace = "public/default/"
)

// appendTopic appends a topic without what most have in common.
func appendTopic[T string | []byte](dst []byte, topic T) []byte {
	name := strings.TrimPrefix(string(topic), persistentScheme)
	return appendName(dst, strings.TrimPrefix(name, defaultNamespace))
}

// appendName appends a name from the wire, cut.
func appendName[T string | []byte](dst []byte, name T) []byte {
	if len(name) > maxName {
		return append(appendVisible(dst, name[:maxName]), "…"...)
	}
	return appendVisible(dst, name)
}

// appendID appends the place of an entry: ledger:entry, the partition if there
// is one, and the index in a batch in brackets. An entry that was not stored
// has -1:-1.
func appendEntryID(dst []byte, id *session.MessageID) []byte {
	dst = strconv.AppendInt(dst, int64(id.Ledger), 10)
	dst = strconv.AppendInt(append(dst, ':'), int64(id.Entry), 10)
	if id.Partition >= 0 {
		dst = strconv.AppendInt(append(dst, ':'), int64(id.Partition), 10)
	}
	if id.BatchIndex >= 0 {
		dst = strconv.AppendInt(append(dst, '['), int64(id.BatchIndex), 10)
		dst = append(dst, ']')
	}
	return dst
}

// appendError appends the text of a broker's error, cut, without the packages
// of the Java class that it begins with: "a.b.C$DException: why" is
// "DException: why".
func appendError[T string | []byte](dst []byte, text T) []byte {
	s := string(text)
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '.' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if end > 0 && s[end] == ':' {
		s = s[strings.LastIndexAny(s[:end], ".$")+1:]
	}
	return appendName(dst, s)
}
