package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/session"
)

// JSONOptions says what the records show.
type JSONOptions struct {
	Files       []string // names, by Position.File; shown when there are several
	MaxPayload  int      // bytes of a payload shown at most, 0: none
	ShowSecrets bool
	Again       bool // the captures can be read again: findings say how to cut out their evidence
}

// JSON appends events as records of the JSON contract, one object a line. It
// is not safe for concurrent use.
type JSON struct {
	options JSONOptions
	wire    wire.Options
	clock   clock
	texts   texts
}

// NewJSON makes a writer of records.
func NewJSON(o JSONOptions) *JSON {
	return &JSON{options: o, wire: wire.Options{ShowSecrets: o.ShowSecrets}}
}

// faces are the record kinds: one row each.
var faces = [...]struct {
	kind   string
	append func(*JSON, []byte, *session.Event) []byte
}{
	session.FrameSeen:      {"frame", (*JSON).frame},
	session.MessageSeen:    {"message", (*JSON).message},
	session.ExchangeSeen:   {"exchange", (*JSON).exchange},
	session.PermitsChanged: {"permits", (*JSON).permits},
	session.ChunkedMessage: {"chunked_message", (*JSON).chunked},
	session.GapSeen:        {"gap", (*JSON).gap},
	session.BytesSkipped:   {"skipped", (*JSON).skipped},
	session.ConflictSeen:   {"conflict", (*JSON).conflict},
	session.ProxySeen:      {"proxy", (*JSON).proxy},
	session.BookieSeen:     {"bookie", (*JSON).bookie},
	session.TxnSeen:        {"transaction", (*JSON).transaction},
	session.ConnectionEnd:  {"connection", (*JSON).connection},
}

// placeless are the kinds that are about no place in a stream.
var placeless = [...]bool{session.TxnSeen: true, session.ConnectionEnd: true}

// KindName is the kind of an event's record.
func KindName(k session.Kind) string { return faces[k].kind }

// Append appends the record of an event, with its line end.
func (j *JSON) Append(dst []byte, e *session.Event) []byte {
	face := &faces[e.Kind]
	dst = append(dst, `{"kind":"`...)
	dst = append(dst, face.kind...)
	dst = append(dst, `","time":`...)
	dst = j.clock.append(dst, e.At.Time)
	dst = number(dst, `,"packet":`, int64(e.At.Packet))
	if len(j.options.Files) > 1 {
		dst = append(dst, `,"file":`...)
		dst = jsontext.AppendText(dst, j.options.Files[e.At.File])
	}
	dst = append(dst, `,"conn":"`...)
	dst = append(dst, e.Conn.Name...)
	dst = number(dst, `","conn_id":`, int64(e.Conn.ID))
	if !placeless[e.Kind] {
		dst = append(dst, `,"dir":"`...)
		dst = append(dst, e.Direction.String()...)
		dst = number(dst, `","offset":`, e.Offset)
	}
	if e.At.TimeUnknown {
		dst = append(dst, `,"time_unknown":true`...)
	}
	dst = face.append(j, dst, e)
	return append(dst, '}', '\n')
}

func (j *JSON) frame(dst []byte, e *session.Event) []byte {
	f := e.Frame
	dst = number(dst, `,"size":`, f.Size)
	if f.Type >= 0 {
		dst = append(dst, `,"type":"`...)
		dst = append(append(dst, f.TypeName()...), '"')
	}
	dst = append(dst, `,"command":`...)
	dst = j.command(dst, f)
	dst = number(dst, `,"first_packet":`, int64(f.First.Packet))
	dst = append(dst, `,"first_time":`...)
	dst = j.clock.append(dst, f.First.Time)
	dst = checksum(dst, f)
	if f.HasBrokerEntry {
		dst = append(dst, `,"broker_entry_metadata":`...)
		dst = f.BrokerEntry.AppendJSON(dst, wire.Top, &j.wire)
	}
	if f.HasMetadata {
		dst = append(dst, `,"metadata":`...)
		dst = f.Metadata.AppendJSON(dst, wire.Top, &j.wire)
		if !f.Incomplete {
			dst = number(dst, `,"payload_size":`, int64(len(f.Payload)))
		}
	}
	if f.Resync {
		dst = append(dst, `,"resync":true`...)
	}
	if f.Incomplete {
		dst = number(dst, `,"incomplete":true,"have":`, f.Have)
	}
	return issues(dst, f)
}

// command appends the fields of the sub-command; of an unknown type, all that
// the BaseCommand holds.
func (j *JSON) command(dst []byte, f *decode.Frame) []byte {
	switch {
	case f.Sub >= 0:
		return f.Base.AppendJSON(dst, f.Sub, &j.wire)
	case f.Command == nil && f.Type >= 0:
		return f.Base.AppendJSON(dst, wire.Top, &j.wire)
	}
	return append(dst, '{', '}')
}

func checksum(dst []byte, f *decode.Frame) []byte {
	if f.Checksum == decode.NoChecksum {
		return dst
	}
	dst = append(dst, `,"checksum":"`...)
	dst = append(append(dst, f.Checksum.String()...), '"')
	if f.Checksum == decode.ChecksumBad {
		dst = append(dst, `,"checksum_stored":"`...)
		dst = hex32(dst, f.StoredChecksum)
		dst = append(dst, `","checksum_computed":"`...)
		dst = append(hex32(dst, f.ComputedChecksum), '"')
	}
	return dst
}

// issues appends what is wrong with a frame.
func issues(dst []byte, f *decode.Frame) []byte {
	start := len(dst)
	open := `,"issues":[`
	f.EachIssue(func(text string) {
		dst = append(dst, open...)
		open = ","
		dst = jsontext.AppendText(dst, text)
	})
	if len(dst) > start {
		dst = append(dst, ']')
	}
	return dst
}

func (j *JSON) permits(dst []byte, e *session.Event) []byte {
	p := e.Permits
	dst = unsigned(dst, `,"consumer_id":`, p.ConsumerID)
	if p.Flow {
		dst = append(dst, `,"event":"flow"`...)
	} else {
		dst = append(dst, `,"event":"message"`...)
	}
	dst = number(dst, `,"n":`, p.N)
	dst = number(dst, `,"outstanding":`, p.Outstanding)
	return truth(dst, `,"baseline_known":`, p.BaselineKnown)
}

func (j *JSON) gap(dst []byte, e *session.Event) []byte {
	dst = number(dst, `,"bytes":`, e.Bytes)
	dst = truth(dst, `,"acked":`, e.Acked)
	dst = append(dst, `,"cause":"`...)
	return append(append(dst, e.Cause.String()...), '"')
}

func (j *JSON) skipped(dst []byte, e *session.Event) []byte {
	dst = number(dst, `,"bytes":`, e.Bytes)
	return text(dst, `,"reason":`, e.Reason)
}

func (j *JSON) conflict(dst []byte, e *session.Event) []byte {
	return number(dst, `,"bytes":`, e.Bytes)
}
