package main

import (
	"os"
	"path/filepath"
	"testing"
)

const sent = `{"kind":"message","type":"SEND","state":"ok","topic":"t","conn_id":1,"offset":10,"index":2,"sha256":"aa","key":"k","properties":{"n":"1"}}
{"kind":"exchange","exchange":"send","topic":"t","conn_id":1,"request":{"offset":10},"key":{"producer_id":0},"result":"ok","message_id":{"ledgerId":5,"entryId":6,"batch_index":-1}}
`

const received = `{"kind":"message","type":"MESSAGE","state":"ok","topic":"t","subscription":"s","message_id":{"ledgerId":5,"entryId":6,"batch_index":2},"index":2,"sha256":"aa","key":"k","properties":{"n":"1"},"redelivery_count":1}
{"kind":"exchange","exchange":"ack","topic":"t","key":{"consumer_id":0,"id":"5:6"},"result":"ok"}
{"kind":"exchange","exchange":"request","key":{"request_id":1},"result":"error","error":{"code":"ConsumerBusy"}}
`

// What clients saw is found in the records, and missed where it is not there.
func TestCompare(t *testing.T) {
	one := saw{topic: "t", id: "5:6:2", sha256: "aa", key: "k", properties: "n=1"}
	again := one
	again.subscription, again.redeliveries = "s", 1
	all := seen{sent: []saw{one}, received: []saw{again}, acked: map[saw]bool{{topic: "t", id: "5:6"}: true}, refused: []string{"ConsumerBusy"}}
	for records, complete := range map[string]bool{sent + received: true, sent: false, received: false} {
		path := filepath.Join(t.TempDir(), "records")
		if err := os.WriteFile(path, []byte(records), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := compare(&all, path); (err == nil) != complete {
			t.Errorf("%v with\n%s", err, records)
		}
	}
	twice := seen{sent: []saw{one, one}}
	path := filepath.Join(t.TempDir(), "records")
	if err := os.WriteFile(path, []byte(sent), 0o600); err != nil {
		t.Fatal(err)
	}
	if compare(&twice, path) == nil {
		t.Error("one message stands for two")
	}
}
