package render_test

import (
	"path/filepath"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/schema"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// firstMessage gives the record of the first message of a capture that fits.
func firstMessage(t *testing.T, path string, o session.Options, maxPayload int, fits func(*session.Event) bool) string {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	packets := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(src.Packets())
	for e, err := range session.New(o).Events(decode.New(decode.Limits{}, nil).Events(packets)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.MessageSeen && fits(e) {
			return string(render.NewJSON(render.JSONOptions{MaxPayload: maxPayload}).Append(nil, e))
		}
	}
	t.Fatal("no such message")
	return ""
}

func anyMessage(*session.Event) bool { return true }

func TestValueInRecord(t *testing.T) {
	path := filepath.Join(testkit.Root(t), "testdata", "captures", "py-schema", "py-schema.pcap")
	given := func(text string) session.Options {
		s, err := schema.Compile(schema.Info{Type: pb.Schema_Avro, Data: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return session.Options{Schemas: map[string]*schema.Schema{"clicks-schema-avro-pd-59270": s}}
	}
	for _, c := range []struct {
		name       string
		options    session.Options
		maxPayload int
		want       string
		never      string
	}{
		{"of the wire", session.Options{}, 1024,
			`,"value":{"a":"str0","n":0,"f":0,"ok":false,"xs":[1,2,0]},"schema":{"type":"Avro","version":0,"name":"Rec"},"state":"ok"}`, "value_error"},
		{"of the user, not fitting", given(`{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}`), 1024,
			`,"value_error":"24 bytes behind the value","schema":{"type":"Avro","version":0,"name":"R"},"state":"ok"}`, `"value":`},
		{"without payloads", session.Options{}, 0, `"state":"ok"}`, `"value`},
	} {
		got := firstMessage(t, path, c.options, c.maxPayload, anyMessage)
		if !strings.HasSuffix(got, c.want+"\n") || strings.Contains(got, c.never) {
			t.Errorf("%s: %s\nexpected %s", c.name, got, c.want)
		}
	}
}

func TestMarkerInRecord(t *testing.T) {
	got := firstMessage(t, testkit.Capture(t, "replication.pcap"), session.Options{}, 1024, func(e *session.Event) bool {
		return e.Message.Marker != nil && e.Message.Marker.Type == int32(pb.MarkerType_REPLICATED_SUBSCRIPTION_SNAPSHOT_RESPONSE)
	})
	want := `,"replicated_from":"east","replicate_to":["west"],"marker":{"type":"REPLICATED_SUBSCRIPTION_SNAPSHOT_RESPONSE","snapshot_id":"`
	if !strings.Contains(got, want) || !strings.Contains(got, `"cluster":{"cluster":"east","message_id":{"ledger_id":`) {
		t.Errorf("%s\nexpected %s", got, want)
	}
}

func TestTransactionInRecord(t *testing.T) {
	got := firstMessage(t, testkit.Capture(t, "go-txn.pcap"), session.Options{}, 0, func(e *session.Event) bool { return e.Message.InTxn })
	if !strings.Contains(got, `,"txn":"0:6"`) {
		t.Error(got)
	}
}
