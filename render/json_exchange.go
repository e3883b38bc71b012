package render

import (
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/session"
)

func (j *JSON) exchange(dst []byte, e *session.Event) []byte {
	x := e.Exchange
	dst = append(dst, exchangeKinds[x.Kind]...)
	dst = j.topics.append(dst, e, "")
	if x.HasRequest {
		dst = j.ref(append(dst, `,"request":`...), &x.Request)
	}
	if x.HasResponse {
		dst = j.ref(append(dst, `,"response":`...), &x.Response)
	}
	dst = exchangeKey(dst, x)
	if ns, ok := x.Latency(); ok && !x.Cumulative {
		dst = number(dst, `,"latency_ns":`, ns)
	}
	dst = append(dst, results[x.Result]...)
	if x.Error != "" {
		dst = text(dst, `,"error":{"code":`, x.Error)
		dst = append(present(dst, `,"text":`, x.Text), '}')
	}
	if x.Kind == session.Send && x.HasID {
		dst = appendID(append(dst, `,"message_id":`...), &x.ID)
	}
	if x.Kind == session.Ack {
		dst = ackDetails(dst, x)
	}
	return present(links(dst, x), `,"why":`, x.Why)
}

func (j *JSON) ref(dst []byte, r *session.Ref) []byte {
	start := len(dst)
	dst = append(commandType(dst, r.Type), `,"time":`...)
	dst[start] = '{' // in place of the comma
	dst = j.clock.appendPacket(dst, r.Time, r.Packet)
	dst = number(dst, `,"offset":`, r.Offset)
	dst = append(dst, directions[r.Direction]...)
	if r.TimeUnknown {
		dst = append(dst, `,"time_unknown":true`...)
	}
	return append(dst, '}')
}

// exchangeKeys append the ids that tie an exchange together: one row a kind.
var exchangeKeys = [...]func([]byte, *session.Exchange) []byte{
	session.Request: func(dst []byte, x *session.Exchange) []byte { return unsigned(dst, `"request_id":`, x.RequestID) },
	session.Send: func(dst []byte, x *session.Exchange) []byte {
		return unsigned(unsigned(dst, `"producer_id":`, x.ProducerID), `,"sequence_id":`, x.SequenceID)
	},
	session.Ack: func(dst []byte, x *session.Exchange) []byte {
		return entryID(append(unsigned(dst, `"consumer_id":`, x.ConsumerID), `,"id":`...), &x.ID)
	},
	session.Bookie: ask,
	session.Watch:  func(dst []byte, x *session.Exchange) []byte { return unsigned(dst, `"id":`, x.WatchID) },
}

func exchangeKey(dst []byte, x *session.Exchange) []byte {
	dst = append(dst, `,"key":{`...)
	if k := exchangeKeys[x.Kind]; k != nil {
		dst = k(dst, x)
	}
	return append(dst, '}')
}

// entryID appends "ledger:entry".
func entryID(dst []byte, id *session.MessageID) []byte {
	dst = jsontext.AppendUint(append(dst, '"'), id.Ledger)
	dst = jsontext.AppendUint(append(dst, ':'), id.Entry)
	return append(dst, '"')
}

func ackDetails(dst []byte, x *session.Exchange) []byte {
	if x.HasResponse {
		dst = number(dst, `,"messages":`, int64(x.Messages))
	}
	if x.Left > 0 {
		dst = number(dst, `,"left":`, int64(x.Left))
	}
	if !x.Cumulative {
		return dst
	}
	dst = append(dst, `,"covers":[`...)
	for i := range x.Covers {
		if i > 0 {
			dst = append(dst, ',')
		}
		c := &x.Covers[i]
		dst = entryID(append(dst, `{"id":`...), &c.ID)
		dst = number(dst, `,"messages":`, int64(c.Messages))
		dst = append(number(dst, `,"latency_ns":`, c.Latency), '}')
	}
	return append(dst, ']')
}
