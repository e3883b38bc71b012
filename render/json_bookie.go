package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/session"
)

// bookie appends a frame between a broker and a bookie.
func (j *JSON) bookie(dst []byte, e *session.Event) []byte {
	f := e.Bookie
	dst = number(dst, `,"size":`, f.Size)
	dst = number(dst, `,"version":`, int64(f.Version))
	dst = text(dst, `,"role":`, bookieRoles[f.Role])
	dst = text(dst, `,"op":`, f.Op.String())
	dst = bookieFlags(dst, f.Packet)
	dst = j.bookieIDs(dst, f.Packet)
	if f.HasStatus {
		dst = text(dst, `,"rc":`, f.Status.String())
	}
	dst = j.bookieFields(dst, f.Packet)
	dst = number(dst, `,"first_packet":`, int64(f.First.Packet))
	dst = append(dst, `,"first_time":`...)
	dst = j.clock.append(dst, f.First.Time)
	dst = j.bookieEntries(dst, e)
	if f.Resync {
		dst = append(dst, `,"resync":true`...)
	}
	if f.Incomplete {
		dst = number(dst, `,"incomplete":true,"have":`, f.Have)
	}
	return bookieIssues(dst, f)
}

var bookieRoles = [...]string{bookie.Either: "unknown", bookie.Request: "request", bookie.Response: "response"}

// bookieFlags appends the flags of a request of version 2, unless none is set.
func bookieFlags(dst []byte, p *bookie.Packet) []byte {
	open := `,"flags":[`
	p.FlagNames(func(name string) {
		dst = text(dst, open, name)
		open = ","
	})
	if open == "," {
		dst = append(dst, ']')
	}
	return dst
}

// bookieIDs appends what ties a response to its request, and what both are
// about.
func (j *JSON) bookieIDs(dst []byte, p *bookie.Packet) []byte {
	if p.HasTxn && p.Version == 2 {
		dst = unsigned(dst, `,"requestId":`, p.TxnID)
	} else if p.HasTxn {
		dst = unsigned(dst, `,"txnId":`, p.TxnID)
	}
	if p.HasLedger {
		dst = number(dst, `,"ledgerId":`, p.Ledger)
	}
	if p.HasEntry {
		dst = number(dst, `,"entryId":`, p.Entry)
	}
	return dst
}

// bookieFields appends the other fields of the operation. Bytes are shown by
// what lies in them, those that are secret by their size.
func (j *JSON) bookieFields(dst []byte, p *bookie.Packet) []byte {
	if p.Op == bookie.BatchReadEntry && p.Role == bookie.Request && p.Version == 2 {
		dst = number(dst, `,"maxCount":`, int64(p.MaxCount))
		dst = number(dst, `,"maxSize":`, p.MaxSize)
	}
	if p.MasterKey != nil {
		dst = j.masterKey(dst, p.MasterKey)
	}
	if p.HasLAC {
		dst = number(dst, `,"lac":`, p.LAC)
	}
	if w := p.Header; w != nil {
		if head, ok := w.Sub(wire.Top, bookie.HeaderField); ok {
			dst = w.AppendField(dst, head, bookie.PriorityField, &j.wire)
		}
	}
	if p.Fields == nil {
		return dst
	}
	for _, f := range p.FieldTable().Fields {
		if shown := f.Kind != wire.Bytes || f.Secret; shown && !bookieOwn[f.Name] {
			dst = p.Fields.AppendField(dst, p.Parent, f.Number, &j.wire)
		}
	}
	return dst
}

// bookieOwn are the fields that have another place in the record.
var bookieOwn = map[string]bool{"ledgerId": true, "entryId": true, "status": true}

func (j *JSON) masterKey(dst, key []byte) []byte {
	dst = append(dst, `,"masterKey":`...)
	if j.options.ShowSecrets {
		return jsontext.AppendBase64(dst, key)
	}
	return append(wire.AppendRedacted(append(dst, '"'), key), '"')
}

// bookieEntries appends the entries that travel in the frame.
func (j *JSON) bookieEntries(dst []byte, e *session.Event) []byte {
	open := `,"entries":[{`
	e.EachStored(func(x *session.Stored) {
		dst = append(dst, open...)
		dst = append(j.stored(dst, e, x), '}')
		open = ",{"
	})
	if open == ",{" {
		dst = append(dst, ']')
	}
	return dst
}

// stored appends an entry as a bookie has it.
func (j *JSON) stored(dst []byte, e *session.Event, x *session.Stored) []byte {
	dst = number(dst, `"ledgerId":`, x.Ledger)
	dst = number(dst, `,"entryId":`, x.Entry)
	dst = number(dst, `,"lastAddConfirmed":`, x.LastAddConfirmed)
	dst = number(dst, `,"length":`, x.Length)
	dst = text(dst, `,"digest_type":`, x.Digest.String())
	dst = present(dst, `,"digest":`, x.Verdict.String())
	if x.Body == nil {
		return dst
	}
	dst = number(dst, `,"size":`, int64(len(x.Body)))
	f := x.Frame
	if f == nil {
		return j.bytesOf(dst, x.Body)
	}
	dst = checksum(dst, f)
	dst = j.brokerEntry(dst, f)
	if f.HasMetadata {
		dst = append(dst, `,"metadata":`...)
		dst = f.Metadata.AppendJSON(dst, wire.Top, &j.wire)
		if !f.Incomplete {
			dst = number(dst, `,"payload_size":`, int64(len(f.Payload)))
		}
	}
	return j.storedMessages(dst, e, x)
}

// storedMessages appends the messages of an entry.
func (j *JSON) storedMessages(dst []byte, e *session.Event, x *session.Stored) []byte {
	open := `,"messages":[`
	e.EachMessage(x, func(m *session.Message) {
		dst = append(dst, open...)
		start := len(dst)
		dst = append(j.body(dst, m), '}')
		dst[start] = '{' // in place of the comma that the first member has
		open = ","
	})
	if open == "," {
		dst = append(dst, ']')
	}
	return dst
}

// bookieIssues appends what is wrong with a frame.
func bookieIssues(dst []byte, f *decode.BookieFrame) []byte {
	open := `,"issues":[`
	f.EachIssue(func(issue string) {
		dst = text(dst, open, issue)
		open = ","
	})
	if open == "," {
		dst = append(dst, ']')
	}
	return dst
}

// ask appends what an exchange with a bookie is about.
func ask(dst []byte, x *session.Exchange) []byte {
	start, a := len(dst), x.Ask
	if a.HasTxn {
		dst = unsigned(dst, `,"txnId":`, a.TxnID)
	}
	if a.HasLedger {
		dst = number(dst, `,"ledgerId":`, a.Ledger)
	}
	if a.HasEntry {
		dst = number(dst, `,"entryId":`, a.Entry)
	}
	if len(dst) > start { // without the first comma
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// elsewhere appends where a frame of another connection is.
func elsewhere(dst []byte, at *session.Elsewhere) []byte {
	dst = number(dst, `{"conn_id":`, int64(at.Conn))
	dst = number(dst, `,"offset":`, at.Offset)
	if at.HasLatency {
		dst = number(dst, `,"latency_ns":`, at.Latency)
	}
	return append(dst, '}')
}

// links appends where else the exchange was seen: its entry on the way from
// client to disk, the same exchange behind a proxy.
func links(dst []byte, x *session.Exchange) []byte {
	open := `,"stored":[`
	for i := range x.Stored {
		dst = elsewhere(append(dst, open...), &x.Stored[i])
		open = ","
	}
	if open == "," {
		dst = append(dst, ']')
	}
	if x.Sent != nil {
		dst = elsewhere(append(dst, `,"send":`...), x.Sent)
	}
	if p := x.Proxy; p != nil {
		dst = elsewhere(append(dst, `,"twin":`...), &p.Twin)
		dst = number(dst, `,"proxy_ns":{"request":`, p.Request)
		dst = append(number(dst, `,"response":`, p.Response), '}')
	}
	return dst
}
