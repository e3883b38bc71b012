package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/session/dispatch"
)

// AppendConsumer appends the record of kind consumer, with its line end: the
// verdict on a consumer that has ended, or at the end of the capture.
func (j *JSON) AppendConsumer(dst []byte, v *dispatch.Verdict, at decode.Position) []byte {
	c := v.Consumer
	dst = j.clock.append(append(dst, `{"kind":"consumer","time":`...), v.At)
	dst = unsigned(dst, `,"packet":`, at.Packet)
	if len(j.options.Files) > 1 {
		dst = jsontext.AppendText(append(dst, `,"file":`...), j.options.Files[at.File])
	}
	dst = connOf(dst, c.Conn.Name, c.Conn.ID, ",")
	dst = unsigned(dst, `,"consumer_id":`, c.ID)
	dst = present(dst, `,"consumer_name":`, c.Name)
	dst = present(dst, `,"topic":`, c.Topic)
	dst = present(dst, `,"subscription":`, c.Subscription)
	dst = present(dst, `,"type":`, c.Type)
	dst = j.state(dst, v)
	dst = number(dst, `,"permits":`, v.Permits)
	dst = number(dst, `,"unacked":`, v.Unacked)
	if v.HasAge {
		dst = text(dst, `,"oldest_unacked":{"id":`, v.Oldest.String())
		dst = append(number(dst, `,"age_ns":`, v.Age), '}')
	}
	dst = number(dst, `,"waiting":`, int64(v.Waiting))
	dst = number(dst, `,"delivered":`, c.Delivered)
	dst = number(dst, `,"acked":`, c.Acked)
	return append(number(dst, `,"redelivered":`, c.Redelivered), '}', '\n')
}

// state appends how the consumer is doing, and what is known of why.
func (j *JSON) state(dst []byte, v *dispatch.Verdict) []byte {
	dst = text(dst, `,"state":`, v.State.String())
	if v.State == dispatch.Closed {
		dst = text(dst, `,"state_before":`, v.Before.String())
		dst = present(dst, `,"closed_by":`, v.Consumer.ClosedBy.String())
	}
	dst = j.clock.append(append(dst, `,"since":`...), v.Since)
	if v.Holder == nil {
		return dst
	}
	dst = text(dst, `,"key":`, v.Key)
	return text(dst, `,"held_by":`, consumerWord(v.Holder.Name, v.Holder.ID))
}
