package render

import (
	"strconv"

	"pulsar-dissect/session"
)

// value adds to the line of a frame what its message says, where a schema reads
// it; of a batch, its first message.
func (t *Timeline) value(e *session.Event) error {
	h := &t.held
	switch {
	case !h.there || e.Conn.ID != h.at.conn || e.Offset != h.offset || e.Direction != h.at.dir:
	case !e.Message.HasValue() || t.options.MaxPayload <= 0:
	case len(h.value) > 0:
		h.values++
	default:
		var misfit error
		t.scratch, misfit = e.Message.AppendValue(t.scratch[:0])
		if h.value = appendMisfit(h.value, misfit); misfit == nil {
			h.value = appendValueStart(h.value, t.scratch, t.options.MaxPayload)
		}
		h.misfit = misfit != nil
	}
	return nil
}

// putValue ends the line of a frame with what its message says.
func (t *Timeline) putValue() {
	h, look := &t.held, plain
	if len(h.value) == 0 {
		return
	}
	if h.misfit {
		look = wrong
	}
	t.line.words(look, string(h.value))
	if h.values > 0 {
		t.line.words(faint, "+"+strconv.Itoa(h.values))
	}
	h.value, h.misfit, h.values = h.value[:0], false, 0
}
