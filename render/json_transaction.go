package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/session"
)

func (j *JSON) transaction(dst []byte, e *session.Event) []byte {
	t := e.Txn
	dst = text(dst, `,"txn_id":`, t.ID.String())
	dst = unsigned(dst, `,"coordinator":`, t.ID.Most)
	dst = text(dst, `,"state":`, t.State.String())
	dst = j.clock.append(append(dst, `,"since":`...), t.Since)
	dst = j.clock.append(append(dst, `,"start":`...), t.First.Time)
	if t.Ended {
		dst = j.clock.append(append(dst, `,"end":`...), t.Last.Time)
		dst = present(dst, `,"ended_by":`, t.EndedBy.String())
	} else {
		dst = text(dst, `,"unfinished":true,"why":`, t.Why)
	}
	dst = truth(dst, `,"opened":`, t.Opened)
	if t.TTL > 0 {
		dst = number(dst, `,"ttl_ns":`, t.TTL)
	}
	if ns, ok := t.OpenFor(); ok {
		dst = number(dst, `,"open_ns":`, ns)
	}
	if ns, ok := t.EndingFor(); ok {
		dst = number(dst, `,"ending_ns":`, ns)
	}
	dst = number(dst, `,"messages":`, t.Messages)
	dst = number(dst, `,"acks":`, t.Acks)
	dst = list(dst, `,"topics":[`, t.Parts, appendTxnTopic)
	dst = list(dst, `,"subscriptions":[`, t.Parts, appendTxnSubscription)
	dst = list(dst, `,"markers":[`, t.Markers, j.txnMarker)
	dst = unsigned(dst, `,"refused":`, t.Refused)
	dst = list(dst, `,"refusals":[`, t.Refusals, j.txnRefusal)
	return list(dst, `,"connections":[`, t.Conns, func(dst []byte, id int) []byte { return jsontext.AppendInt(dst, int64(id)) })
}

// list appends a list of those values that item appends something for.
func list[T any](dst []byte, name string, values []T, item func(dst []byte, v T) []byte) []byte {
	dst = append(dst, name...)
	start := len(dst)
	for _, v := range values {
		undo := len(dst)
		if undo > start {
			dst = append(dst, ',')
		}
		before := len(dst)
		if dst = item(dst, v); len(dst) == before {
			dst = dst[:undo]
		}
	}
	return append(dst, ']')
}

func appendTxnTopic(dst []byte, p *session.TxnPart) []byte {
	if p.IsSubscription {
		return dst
	}
	dst = text(dst, `{"topic":`, p.Topic)
	return appendTxnPart(number(dst, `,"messages":`, p.Messages), p)
}

func appendTxnSubscription(dst []byte, p *session.TxnPart) []byte {
	if !p.IsSubscription {
		return dst
	}
	dst = text(dst, `{"topic":`, p.Topic)
	dst = text(dst, `,"subscription":`, p.Subscription)
	return appendTxnPart(number(dst, `,"acks":`, p.Acks), p)
}

func appendTxnPart(dst []byte, p *session.TxnPart) []byte {
	dst = truth(dst, `,"added":`, p.Added)
	if p.End != "" {
		dst = text(dst, `,"action":`, p.End)
		dst = truth(dst, `,"done":`, p.Ended)
	}
	if p.Ended {
		dst = number(dst, `,"latency_ns":`, p.EndAt-p.EndingAt)
	}
	return append(dst, '}')
}

func (j *JSON) txnMarker(dst []byte, m session.TxnMarker) []byte {
	dst = j.txnPlace(text(dst, `{"type":`, m.Name), &m.At)
	dst = present(number(dst, `,"conn_id":`, int64(m.Conn)), `,"topic":`, m.Topic)
	if m.HasID {
		dst = entryID(append(dst, `,"id":`...), &m.ID)
	}
	return append(dst, '}')
}

func (j *JSON) txnRefusal(dst []byte, r session.TxnRefusal) []byte {
	dst = j.txnPlace(text(dst, `{"type":`, decode.TypeName(r.Request)), &r.At)
	dst = present(text(dst, `,"code":`, r.Error), `,"text":`, r.Text)
	return append(dst, '}')
}

func (j *JSON) txnPlace(dst []byte, at *decode.Position) []byte {
	return unsigned(j.clock.append(append(dst, `,"time":`...), at.Time), `,"packet":`, at.Packet)
}
