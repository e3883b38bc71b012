package wire

import (
	"encoding/hex"
	"strings"
	"testing"
)

// unhex reads hexadecimal digits with spaces between them.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func issueTexts(w *Walk) string {
	var texts []string
	for _, i := range w.Issues {
		texts = append(texts, i.String())
	}
	return strings.Join(texts, " ")
}

// Bytes made by hand, with what must be read from them.
var vectors = []struct {
	name   string
	table  *Table
	bytes  string
	json   string
	text   string
	issues string
}{
	{
		"ping", BaseCommand, "0812 920100",
		`{"type":"PING","ping":{}}`, `type=PING ping{}`, ``,
	}, {
		"empty", BrokerEntryMetadata, "",
		`{}`, ``, ``,
	}, {
		"send", BaseCommand, "0806 3204 0805 1007",
		`{"type":"SEND","send":{"producer_id":5,"sequence_id":7}}`, `type=SEND send{producer_id=5 sequence_id=7}`, ``,
	}, {
		"64 bits are exact", BaseCommand, "080d 6a0b 08ffffffffffffffffff01",
		`{"type":"SUCCESS","success":{"request_id":18446744073709551615}}`, `type=SUCCESS success{request_id=18446744073709551615}`, ``,
	}, {
		"signed: int32 in 10 bytes, in 5 bytes, int64", MessageMetadata, "0a00 1000 1800 98 01 ffffffffffffffffff01 a001ffffffff0f 58 ffffffffffffffffff01",
		`{"producer_name":"","sequence_id":0,"publish_time":0,"deliver_at_time":-1,"marker_type":-1,"num_messages_in_batch":-1}`,
		`producer_name="" sequence_id=0 publish_time=0 deliver_at_time=-1 marker_type=-1 num_messages_in_batch=-1`, ``,
	}, {
		"a uint32 is its low 32 bits", BaseCommand, "080b 5a09 0801 10858080808001",
		`{"type":"FLOW","flow":{"consumer_id":1,"messagePermits":5}}`, `type=FLOW flow{consumer_id=1 messagePermits=5}`, ``,
	}, {
		"a bool is any bit", SingleMessageMetadata, "1801 208002",
		`{"payload_size":1,"compacted_out":true}`, `payload_size=1 compacted_out=true`, ``,
	}, {
		"unknown values of enums are numbers", BaseCommand, "08e707 2217 0a0161 120162 1809 2001 2802 68ffffffffffffffffff01",
		`{"type":999,"subscribe":{"topic":"a","subscription":"b","subType":9,"consumer_id":1,"request_id":2,"initialPosition":-1}}`,
		`type=999 subscribe{topic=a subscription=b subType=9 consumer_id=1 request_id=2 initialPosition=-1}`,
		`unknown_enum:type=999 unknown_enum:subscribe.subType=9 unknown_enum:subscribe.initialPosition=-1`,
	}, {
		"unknown fields of all wire types", BrokerEntryMetadata, "0801 f806 05 f106 0102030405060708 fa06 03 616263 f506 01000000",
		`{"broker_timestamp":1,"unknown_fields":[{"number":111,"wire_type":0,"value":5},{"number":110,"wire_type":1,"value":578437695752307201},{"number":111,"wire_type":2,"value":"YWJj"},{"number":110,"wire_type":5,"value":1}]}`,
		`broker_timestamp=1 111=5 110=578437695752307201 111=0x616263 110=1`,
		`unknown_field:BrokerEntryMetadata.111 unknown_field:BrokerEntryMetadata.110 unknown_field:BrokerEntryMetadata.111 unknown_field:BrokerEntryMetadata.110`,
	}, {
		"a wrong wire type is an unknown field", BaseCommand, "0806 3207 0a0161 1007 1807",
		`{"type":"SEND","send":{"sequence_id":7,"num_messages":7,"unknown_fields":[{"number":1,"wire_type":2,"value":"YQ=="}]}}`,
		`type=SEND send{1=0x61 sequence_id=7 num_messages=7}`,
		`wrong_wire_type:send.producer_id=2 unknown_field:send.1 missing_required:send.producer_id`,
	}, {
		"a number cannot be packed unless repeated", BrokerEntryMetadata, "0a02 0102",
		`{"unknown_fields":[{"number":1,"wire_type":2,"value":"AQI="}]}`,
		`1=0x0102`,
		`wrong_wire_type:broker_timestamp=2 unknown_field:BrokerEntryMetadata.1`,
	}, {
		"repeated numbers, packed and not, in between others", BaseCommand, "0809 4a10 0801 1204 0801 1002 2003 22 02 0405 1801",
		`{"type":"MESSAGE","message":{"consumer_id":1,"message_id":{"ledgerId":1,"entryId":2},"ack_set":[3,4,5],"redelivery_count":1}}`,
		`type=MESSAGE message{consumer_id=1 message_id{ledgerId=1 entryId=2} ack_set=[3 4 5] redelivery_count=1}`, ``,
	}, {
		"an empty packed field is no field", MessageMetadata, "0a00 1000 1800 fa0100",
		`{"producer_name":"","sequence_id":0,"publish_time":0}`, `producer_name="" sequence_id=0 publish_time=0`, ``,
	}, {
		"repeated messages, interleaved", SingleMessageMetadata, "0a06 0a0161 120162 1801 0a06 0a0163 120164",
		`{"properties":[{"key":"a","value":"b"},{"key":"c","value":"d"}],"payload_size":1}`,
		`properties=[{key=a value=b} {key=c value=d}] payload_size=1`, ``,
	}, {
		"the last value of a singular field", SingleMessageMetadata, "1801 120161 1802 120162",
		`{"payload_size":2,"partition_key":"b"}`, `payload_size=2 partition_key=b`,
		`repeated_singular:payload_size repeated_singular:partition_key`,
	}, {
		"singular messages are merged, at all depths", BaseCommand, "0809 4a08 0801 1204 0801 2807 4a0a 1206 0802 1003 2808 1801",
		`{"type":"MESSAGE","message":{"consumer_id":1,"message_id":{"ledgerId":2,"ack_set":[7,8],"entryId":3},"redelivery_count":1}}`,
		`type=MESSAGE message{consumer_id=1 message_id{ledgerId=2 ack_set=[7 8] entryId=3} redelivery_count=1}`,
		`missing_required:message.message_id.entryId repeated_singular:message missing_required:message.consumer_id`,
	}, {
		"unknown fields of merged messages", BaseCommand, "0806 3204 0801 7805 3204 1002 7806",
		`{"type":"SEND","send":{"producer_id":1,"sequence_id":2,"unknown_fields":[{"number":15,"wire_type":0,"value":5},{"number":15,"wire_type":0,"value":6}]}}`,
		`type=SEND send{producer_id=1 15=5 sequence_id=2 15=6}`,
		`unknown_field:send.15 missing_required:send.sequence_id repeated_singular:send unknown_field:send.15 missing_required:send.producer_id`,
	}, {
		"not UTF-8", SingleMessageMetadata, "1801 1203 61ff62",
		`{"payload_size":1,"partition_key":"hex:61ff62"}`, `payload_size=1 partition_key="a\xffb"`, `bad_utf8:partition_key`,
	}, {
		"control characters", SingleMessageMetadata, "1801 120d 610a1b5b326a7f 22 5c c29b 20 7a",
		`{"payload_size":1,"partition_key":"a\n\u001b[2j\u007f\"\\\u009b z"}`,
		`payload_size=1 partition_key="a\n\x1b[2j\x7f\"\\\u009b z"`, ``,
	}, {
		"secrets", BaseCommand, "0802 120c 0a0161 1a03 616263 4200 2015",
		`{"type":"CONNECT","connect":{"client_version":"a","auth_data":"<redacted 3 bytes, sha256 ba7816bf>","original_auth_data":"<redacted 0 bytes, sha256 e3b0c442>","protocol_version":21}}`,
		`type=CONNECT connect{client_version=a auth_data=<redacted 3 bytes, sha256 ba7816bf> original_auth_data=<redacted 0 bytes, sha256 e3b0c442> protocol_version=21}`, ``,
	}, {
		"doubles", BaseCommand, "081a d2011d 0801 21 000000000000f83f 29 000000000000f0ff 31 010000000000f87f",
		`{"type":"CONSUMER_STATS_RESPONSE","consumerStatsResponse":{"request_id":1,"msgRateOut":1.5,"msgThroughputOut":"-Infinity","msgRateRedeliver":"NaN"}}`,
		`type=CONSUMER_STATS_RESPONSE consumerStatsResponse{request_id=1 msgRateOut=1.5 msgThroughputOut=-Inf msgRateRedeliver=NaN}`, ``,
	}, {
		"tags and lengths in more bytes than needed", SingleMessageMetadata, "988000 01 1281 00 61",
		`{"payload_size":1,"partition_key":"a"}`, `payload_size=1 partition_key=a`, ``,
	}, {
		"all that is missing", BaseCommand, "2200",
		`{"subscribe":{}}`, `subscribe{}`,
		`missing_required:subscribe.topic missing_required:subscribe.subscription missing_required:subscribe.subType missing_required:subscribe.consumer_id missing_required:subscribe.request_id missing_required:type`,
	},
}

func TestVectors(t *testing.T) {
	var w Walk // one for all: what one leaves behind must not show in the next
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			if err := w.Parse(v.table, unhex(t, v.bytes)); err != nil {
				t.Fatal(err)
			}
			checkShape(t, &w)
			if got := string(w.AppendJSON(nil, Top, nil)); got != v.json {
				t.Errorf("JSON\n got %s\nwant %s", got, v.json)
			}
			if got := string(w.AppendText(nil, Top, nil)); got != v.text {
				t.Errorf("text\n got %s\nwant %s", got, v.text)
			}
			if got := issueTexts(&w); got != v.issues {
				t.Errorf("issues\n got %s\nwant %s", got, v.issues)
			}
		})
	}
}

func TestSecretsAreShownOnDemand(t *testing.T) {
	var w Walk
	if err := w.Parse(BaseCommand, unhex(t, "0802 120a 0a0161 1a03 616263 4200")); err != nil {
		t.Fatal(err)
	}
	show := &Options{ShowSecrets: true}
	if got, want := string(w.AppendJSON(nil, Top, show)), `{"type":"CONNECT","connect":{"client_version":"a","auth_data":"YWJj","original_auth_data":""}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := string(w.AppendText(nil, Top, show)), `type=CONNECT connect{client_version=a auth_data=0x616263 original_auth_data=""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJSONOfAPart(t *testing.T) {
	var w Walk
	if err := w.Parse(BaseCommand, unhex(t, "0809 4a08 0801 1204 0801 1002")); err != nil {
		t.Fatal(err)
	}
	message, _ := w.Sub(Top, 9)
	id, _ := w.Sub(message, 2)
	if got, want := string(w.AppendJSON([]byte("x"), id, nil)), `x{"ledgerId":1,"entryId":2}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLongTextIsCut(t *testing.T) {
	for _, v := range []struct {
		s    string
		most int
		want string
	}{
		{"abcdef", 0, "abcdef"},
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcde…(+1)"},
		{"abä", 3, "ab…(+2)"},
		{"a b c", 3, `"a b"…(+2)`},
		{"\xff\xff\xff", 2, `"\xff\xff"…(+1)`},
		{"\x80\x80\x80\x80\x80\x80", 5, `"\x80"…(+5)`},
		{"", 3, `""`},
		{"a<b", 0, `"a<b"`},
		{"persistent://tenant/ns/topic-1", 0, "persistent://tenant/ns/topic-1"},
		{"\u202e\u200b", 0, `"\u202e\u200b"`},
		{"世界", 0, `"世界"`},
	} {
		if got := string(AppendVisible(nil, []byte(v.s), v.most)); got != v.want {
			t.Errorf("%q cut at %d: got %s, want %s", v.s, v.most, got, v.want)
		}
	}
}

func TestLongBytesAreCut(t *testing.T) {
	var w Walk
	if err := w.Parse(MessageMetadata, unhex(t, "820108 0000000000000001")); err != nil {
		t.Fatal(err)
	}
	if got, want := string(w.AppendText(nil, Top, &Options{MaxText: 3})), "schema_version=0x000000…(+5)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
