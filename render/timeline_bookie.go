package render

import (
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/session"
)

// bookie holds the line of a frame between a broker and a bookie, as frame does.
func (t *Timeline) bookie(e *session.Event) error {
	if err := t.introduce(e); err != nil {
		return err
	}
	f, h := e.Bookie, &t.held
	h.there, h.answered, h.failed, h.result = true, false, false, h.result[:0]
	t.begins(&h.at, e)
	h.offset = f.Offset
	h.command = f.Op.String()
	h.warning = appendBookieWarnings(h.warning[:0], f)
	h.details = describeBookie(h.details[:0], f)
	return nil
}

// appendBookieWarnings appends what is wrong with a frame.
func appendBookieWarnings(dst []byte, f *decode.BookieFrame) []byte {
	start := len(dst)
	for i := range f.Stored {
		if f.Stored[i].Verdict == bookie.DigestBad {
			dst = append(separate(dst, start), "DIGEST BAD"...)
		}
	}
	dst = appendCut(dst, start, f.Incomplete, f.Have, f.Size)
	if f.Resync && f.Offset > 0 {
		dst = append(separate(dst, start), "(found again after lost bytes)"...)
	}
	f.EachIssue(func(text string) {
		dst = appendVisible(append(separate(dst, start), '!'), text)
	})
	return dst
}

// describeBookie says what a frame is about.
func describeBookie(dst []byte, f *decode.BookieFrame) []byte {
	start := len(dst)
	if f.HasLedger {
		dst = appendStoredID(dst, f.Ledger, f.Entry, f.HasEntry)
	}
	for i := range f.Stored {
		s := &f.Stored[i]
		if s.Entry != f.Entry || !f.HasEntry {
			dst = appendStoredID(append(separate(dst, start), "entry "...), s.Ledger, s.Entry, true)
		}
		dst = append(separate(dst, start), sizeText(int64(len(s.Body)))...)
	}
	f.FlagNames(func(name string) { dst = append(separate(dst, start), name...) })
	if f.HasStatus {
		dst = append(separate(dst, start), f.Status.String()...)
	}
	return dst
}

// appendStoredID appends ledger:entry.
func appendStoredID(dst []byte, ledger, entry int64, hasEntry bool) []byte {
	dst = strconv.AppendInt(dst, ledger, 10)
	switch {
	case !hasEntry:
	case entry < 0:
		dst = append(dst, ":last"...)
	default:
		dst = strconv.AppendInt(append(dst, ':'), entry, 10)
	}
	return dst
}

// askWords append what an exchange with a bookie is about, and where the entry
// was seen on the way from client to disk.
func askWords(dst []byte, x *session.Exchange) []byte {
	start, a := len(dst), x.Ask
	if a.HasLedger {
		dst = appendStoredID(dst, a.Ledger, a.Entry, a.HasEntry)
	}
	if a.HasTxn {
		dst = strconv.AppendUint(append(separate(dst, start), "txn "...), a.TxnID, 10)
	}
	if x.Sent != nil {
		dst = strconv.AppendInt(append(separate(dst, start), "sent on c"...), int64(x.Sent.Conn), 10)
	}
	return dst
}
