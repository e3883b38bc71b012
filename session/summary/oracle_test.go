package summary_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// counts is a summary as figures with names, so that two can be compared.
type counts map[string]int64

func (c counts) set(n int64, path ...string) {
	if n != 0 {
		c[strings.Join(path, "/")] += n
	}
}

// TestSummaryEqualsOracle holds the figures of every plain capture against
// those that an independent decoder counted.
func TestSummaryEqualsOracle(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Shared(t), "captures", "oracle", "*.jsonl.zst"))
	if err != nil || len(files) == 0 {
		t.Skip("no records of the oracle")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".oracle.jsonl.zst")
		if skipped(name) {
			continue
		}
		t.Run(name, func(t *testing.T) { compareWithOracle(t, name) })
	}
}

// skipped leaves out what is large, and what cannot be read yet without keys.
func skipped(name string) bool {
	for _, prefix := range []string{"tls", "load.", "load-small.", "encryption.", "py-encrypt."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func compareWithOracle(t *testing.T, name string) {
	path := testkit.Capture(t, name)
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	var o capture.Options
	if strings.HasPrefix(name, "time-shuffled") {
		o.Reorder = 200 * time.Millisecond
	}
	var theirs testkit.Record
	for r := range testkit.Oracle(t, name) {
		if r["kind"] == "summary" {
			theirs = r
		}
	}
	s := summarize(t, o, summary.Limits{}, path)
	incomplete := s.Incomplete.Count > 0
	want, got := oracleCounts(theirs, incomplete), ownCounts(s, incomplete)
	if s.States[decode.StateChunk].Count > 0 {
		withoutCodecMessages(want)
		withoutCodecMessages(got)
	}
	if maps.Equal(want, got) {
		return
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %d, the oracle has %d", k, got[k], v)
		}
	}
	for k, v := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: %d, the oracle has none", k, v)
		}
	}
}

// ownCounts leaves out, where frames are incomplete, what the oracle counts
// only of whole ones.
func ownCounts(s *summary.Summary, incomplete bool) counts {
	c := counts{}
	c.set(int64(s.Packets()), "packets")
	c.set(int64(s.Frames), "frames")
	commands, _ := s.Commands()
	for _, row := range commands {
		c.set(int64(row.Count[0]), "commands", "c2s", row.Name)
		c.set(int64(row.Count[1]), "commands", "s2c", row.Name)
	}
	for p, n := range s.Connections {
		name := decode.Protocol(p).String()
		if decode.Protocol(p) == decode.BookKeeper {
			name = decode.Unknown.String() // which is what the oracle takes it for
		}
		c.set(int64(n), "conns", name)
	}
	for v, n := range s.Checksums[1:] {
		c.set(int64(n), "checksums", decode.Checksum(v+1).String())
	}
	for kind := range s.Exchanges {
		if session.ExchangeKind(kind) == session.Bookie {
			continue
		}
		for result, n := range s.Exchanges[kind].Results {
			c.set(int64(n), "pairs", session.ExchangeKind(kind).String()+"."+session.Result(result).String())
		}
	}
	c.set(int64(s.Chunked.Complete), "chunked", "complete")
	produced, _, _ := s.Produced()
	for _, p := range produced {
		if incomplete {
			continue
		}
		c.set(int64(p.Entries.Entries), "produced", p.Topic, "entries")
		c.set(int64(p.Messages), "produced", p.Topic, "messages")
		c.set(int64(p.Bytes), "produced", p.Topic, "bytes")
		c.set(int64(p.Receipts), "produced", p.Topic, "receipts")
		c.set(int64(p.Errors), "produced", p.Topic, "errors")
	}
	consumed, _, _ := s.Consumed()
	for _, x := range consumed {
		c.set(int64(x.Entries.Entries), "consumed", x.Topic, x.Subscription, "entries")
		c.set(int64(x.Messages), "consumed", x.Topic, x.Subscription, "messages")
		c.set(int64(x.Acked), "consumed", x.Topic, x.Subscription, "acked")
	}
	for d, kind := range []string{"SEND", "MESSAGE"} {
		rows, _ := s.Codecs(decode.Direction(d))
		for _, row := range rows {
			if incomplete {
				continue
			}
			c.set(int64(row.Entries.Entries), "codecs", kind, row.Codec.String(), "entries")
			c.set(int64(row.Messages), "codecs", kind, row.Codec.String(), "messages")
			c.set(int64(row.Bytes), "codecs", kind, row.Codec.String(), "bytes")
		}
	}
	return c
}

// withoutCodecMessages leaves out what the oracle counts with every chunk.
func withoutCodecMessages(c counts) {
	maps.DeleteFunc(c, func(k string, _ int64) bool {
		return strings.HasPrefix(k, "codecs/") && strings.HasSuffix(k, "/messages")
	})
}

// oracleNames are the figures of the oracle under the names of ownCounts.
var oracleNames = map[string]string{
	"send_frames": "entries", "message_frames": "entries", "messages": "messages", "wire_payload_bytes": "bytes",
	"receipts": "receipts", "send_errors": "errors", "acked_messages": "acked", "entries": "entries",
}

func oracleCounts(r testkit.Record, incomplete bool) counts {
	c := counts{}
	c.set(integer(r["packets"]), "packets")
	c.set(integer(r["frames"]), "frames")
	for dir, types := range object(r["commands"]) {
		for name, n := range object(types) {
			c.set(integer(n), "commands", dir, name)
		}
	}
	for name, n := range object(r["conns"]) {
		c.set(integer(n), "conns", name)
	}
	for name, n := range object(r["checksums"]) {
		c.set(integer(n), "checksums", name)
	}
	for name, n := range object(r["pairs"]) {
		c.set(integer(n), "pairs", strings.Replace(name, "auth_result.", "auth.", 1))
	}
	c.set(integer(r["chunked_messages"]), "chunked", "complete")
	for topic, figures := range object(r["produced"]) {
		if !incomplete {
			c.take(figures, "produced", known(topic))
		}
	}
	for topic, subscriptions := range object(r["consumed"]) {
		for name, figures := range object(subscriptions) {
			delete(object(figures), "messages_compacted_out")
			c.take(figures, "consumed", known(topic), known(name))
		}
	}
	for kind, codecs := range object(r["codecs"]) {
		for name, figures := range object(codecs) {
			if !incomplete {
				c.take(figures, "codecs", kind, name)
			}
		}
	}
	return c
}

func (c counts) take(figures any, path ...string) {
	for name, n := range object(figures) {
		if own := oracleNames[name]; own != "" {
			c.set(integer(n), append(path[:len(path):len(path)], own)...)
		}
	}
}

// known turns the oracle's word for no name into none.
func known(name string) string {
	if name == "None" {
		return ""
	}
	return name
}

func object(v any) map[string]any { o, _ := v.(map[string]any); return o }

func integer(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}
