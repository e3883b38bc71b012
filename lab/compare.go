package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// fileName is where the summary names what was read, which differs.
var fileName = regexp.MustCompile(`"name":"[^"]*","packets":`)

// equal says whether two runs gave the same records.
func equal(live, again string) error {
	a, failed := os.ReadFile(live)
	b, err := os.ReadFile(again)
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	a, b = fileName.ReplaceAll(a, nil), fileName.ReplaceAll(b, nil)
	if !bytes.Equal(a, b) {
		return fmt.Errorf("the live run and its file differ: %s and %s", live, again)
	}
	fmt.Printf("%d records of the live run are those of its file\n", bytes.Count(a, []byte("\n")))
	return nil
}

// record has the fields of any record that are compared.
type record struct {
	Kind, Type, Exchange, Topic, Subscription, Dir, SHA256, Key, State, Result string
	Conn                                                                       int             `json:"conn_id"`
	Offset                                                                     int64           `json:"offset"`
	Index                                                                      int             `json:"index"`
	Redeliveries                                                               uint32          `json:"redelivery_count"`
	Complete                                                                   bool            `json:"complete"`
	ID                                                                         *id             `json:"message_id"`
	Keys                                                                       json.RawMessage `json:"-"`
	Request                                                                    struct{ Offset int64 }
	Properties                                                                 map[string]string
	Error                                                                      struct{ Code string }
}

type id struct {
	Ledger int64 `json:"ledgerId"`
	Entry  int64 `json:"entryId"`
	Batch  int   `json:"batch_index"`
}

// UnmarshalJSON reads a record; the key of a message is text, that of an exchange
// is ids.
func (r *record) UnmarshalJSON(b []byte) error {
	type plain record
	var x struct {
		*plain
		Key json.RawMessage
	}
	x.plain = (*plain)(r)
	if err := json.Unmarshal(b, &x); err != nil {
		return err
	}
	r.Keys = x.Key
	_ = json.Unmarshal(x.Key, &r.Key) // unless it is ids
	return nil
}

// frame names a frame of a connection's client.
type frame struct {
	conn   int
	offset int64
}

// told is what the records say.
type told struct {
	sent, received map[saw]int
	acked          map[saw]bool
	refused        map[string]int
}

// read takes what is compared out of the records of a file.
func read(path string) (*told, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &told{sent: map[saw]int{}, received: map[saw]int{}, acked: map[saw]bool{}, refused: map[string]int{}}
	waiting := map[frame][]record{} // until the broker tells the id
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%w: %s", err, lines.Bytes())
		}
		t.take(&r, waiting)
	}
	return t, lines.Err()
}

func (t *told) take(r *record, waiting map[frame][]record) {
	switch {
	case r.Kind == "message" && r.State == "ok" && r.Type == "SEND":
		at := frame{r.Conn, r.Offset}
		waiting[at] = append(waiting[at], *r)
	case r.Kind == "message" && r.State == "ok":
		t.received[r.saw(r.ID, r.Subscription)]++
	case r.Kind == "chunked_message" && r.Complete && r.Dir == "c2s":
		t.sent[r.saw(nil, "")]++
	case r.Kind == "chunked_message" && r.Complete:
		t.received[r.saw(nil, r.Subscription)]++
	case r.Exchange == "send" && r.ID != nil:
		at := frame{r.Conn, r.Request.Offset}
		for _, m := range waiting[at] {
			t.sent[m.saw(&id{r.ID.Ledger, r.ID.Entry, m.Index}, "")]++
		}
		delete(waiting, at)
	case r.Exchange == "ack":
		var key struct{ ID string }
		_ = json.Unmarshal(r.Keys, &key) // an ack without an id is none of an entry
		t.acked[saw{topic: r.Topic, id: key.ID}] = true
	case r.Kind == "exchange" && r.Result == "error":
		t.refused[r.Error.Code]++
	}
}

func (r *record) saw(at *id, subscription string) saw {
	s := saw{topic: r.Topic, subscription: subscription, sha256: r.SHA256, key: r.Key, properties: properties(r.Properties), redeliveries: r.Redeliveries}
	if at != nil {
		s.id = fmt.Sprintf("%d:%d:%d", at.Ledger, at.Entry, max(at.Batch, 0))
	}
	return s
}

// compare says where clients and records differ. Brokers deliver what applications
// never take, so there may be more in the records.
func compare(s *seen, path string) error {
	t, err := read(path)
	if err != nil {
		return err
	}
	missing := 0
	lacks := func(what string, of any) {
		if missing++; missing <= 10 {
			fmt.Printf("  not in the records: %s %+v\n", what, of)
		}
	}
	for _, x := range s.sent {
		if t.sent[x]--; t.sent[x] < 0 {
			lacks("sent", x)
		}
	}
	for _, x := range s.received {
		if x.subscription == "" {
			x.subscription = t.readers(x)
		}
		if t.received[x]--; t.received[x] < 0 {
			lacks("received", x)
		}
	}
	for x := range s.acked {
		if !t.acked[x] {
			lacks("acknowledged", x)
		}
	}
	for _, x := range s.refused {
		if t.refused[x]--; t.refused[x] < 0 {
			lacks("refused", x)
		}
	}
	fmt.Printf("clients: %d messages sent, %d received, %d entries acknowledged, %d refusals; %d not in the records\n",
		len(s.sent), len(s.received), len(s.acked), len(s.refused), missing)
	if missing > 0 {
		return fmt.Errorf("clients saw what the records do not say: %s", path)
	}
	return nil
}

// readers is the subscription that a reader made up for itself.
func (t *told) readers(x saw) string {
	for y := range t.received {
		x.subscription = y.subscription
		if x == y {
			return y.subscription
		}
	}
	return ""
}
