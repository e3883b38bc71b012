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
	origin  origin
	topics  topics
}

// NewJSON makes a writer of records.
func NewJSON(o JSONOptions) *JSON {
	return &JSON{options: o, wire: wire.Options{ShowSecrets: o.ShowSecrets}}
}

// faces are the record kinds: one row each.
var faces = [...]face{
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

type face struct {
	kind   string
	append func(*JSON, []byte, *session.Event) []byte
}

// KindName is the kind of an event's record.
func KindName(k session.Kind) string { return faces[k].kind }

// beginnings are what records of a kind begin with.
var beginnings = func() (b [len(faces)]string) {
	for k := range faces {
		b[k] = `{"kind":"` + faces[k].kind + `","time":`
	}
	return b
}()

// Append appends the record of an event, with its line end.
func (j *JSON) Append(dst []byte, e *session.Event) []byte {
	dst = append(dst, beginnings[e.Kind]...)
	if placeless[e.Kind] {
		dst = j.conn(dst, e)
	} else {
		dst = jsontext.AppendInt(append(dst, j.originOf(e)...), e.Offset)
	}
	if e.At.TimeUnknown {
		dst = append(dst, `,"time_unknown":true`...)
	}
	dst = faces[e.Kind].append(j, dst, e)
	return append(dst, '}', '\n')
}

// conn appends the packet of an event and its connection.
func (j *JSON) conn(dst []byte, e *session.Event) []byte {
	dst = j.clock.appendPacket(dst, e.At.Time, e.At.Packet)
	if len(j.options.Files) > 1 {
		dst = append(dst, `,"file":`...)
		dst = jsontext.AppendText(dst, j.options.Files[e.At.File])
	}
	dst = append(dst, `,"conn":"`...)
	dst = append(dst, e.Conn.Name...)
	return number(dst, `","conn_id":`, int64(e.Conn.ID))
}

// origin is the text of a packet, its connection and direction, up to the offset,
// which the records of the frames that it completes have in common: two or three a
// frame, and dozens where frames are small. Making it anew for each record took a
// tenth of the time that records take.
type origin struct {
	conn      *session.Conn
	packet    uint64
	time      int64
	file      int
	direction decode.Direction
	text      []byte
}

func (j *JSON) originOf(e *session.Event) []byte {
	p := &j.origin
	if p.packet != e.At.Packet || p.conn != e.Conn || p.time != e.At.Time || p.direction != e.Direction || p.file != e.At.File {
		p.conn, p.packet, p.time, p.file, p.direction = e.Conn, e.At.Packet, e.At.Time, e.At.File, e.Direction
		p.text = append(j.conn(p.text[:0], e), `,"dir":"`...)
		p.text = append(append(p.text, e.Direction.String()...), `","offset":`...)
	}
	return p.text
}

func (j *JSON) frame(dst []byte, e *session.Event) []byte {
	f := e.Frame
	dst = number(dst, `,"size":`, f.Size)
	if f.Type >= 0 {
		dst = commandType(dst, f.Type)
	}
	dst = append(dst, `,"command":`...)
	dst = j.command(dst, f)
	dst = append(dst, j.clock.first(f.First.Time, f.First.Packet)...)
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
	dst = append(dst, checksums[f.Checksum]...)
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
