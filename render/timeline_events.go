package render

import (
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// appendWarnings appends what is wrong with a frame.
func appendWarnings(dst []byte, f *decode.Frame) []byte {
	start := len(dst)
	if f.Checksum == decode.ChecksumBad {
		dst = hex32(append(dst, "CHECKSUM BAD (stored "...), f.StoredChecksum)
		dst = append(hex32(append(dst, ", computed "...), f.ComputedChecksum), ')')
	}
	dst = appendCut(dst, start, f.Incomplete, f.Have, f.Size)
	if f.Resync {
		dst = append(separate(dst, start), "(found again after lost bytes)"...)
	}
	issues := 0
	f.EachIssue(func(text string) {
		if issues++; issues <= shownIssues {
			dst = appendVisible(append(separate(dst, start), '!'), text)
		}
	})
	if issues > shownIssues {
		dst = append(strconv.AppendInt(append(dst, " +"...), int64(issues-shownIssues), 10), " more"...)
	}
	return dst
}

// shownIssues is how many issues of a frame a line shows.
const shownIssues = 2

// appendCut appends that the capture does not have all of a frame, if so.
func appendCut(dst []byte, start int, cut bool, have, size int64) []byte {
	if !cut {
		return dst
	}
	dst = append(separate(dst, start), "CUT: the capture has "...)
	dst = strconv.AppendInt(dst, have, 10)
	dst = strconv.AppendInt(append(dst, " of "...), size, 10)
	return append(dst, " bytes"...)
}

// exchange adds to the line of a frame what it answers. A request that was
// never answered has a line of its own.
func (t *Timeline) exchange(e *session.Event) error {
	x := e.Exchange
	switch {
	case x.Result == session.Unanswered:
		return t.unanswered(e)
	case !t.held.there || !x.HasResponse || e.Conn.ID != t.held.at.conn ||
		x.Response.Offset != t.held.offset || x.Response.Direction != t.held.at.dir:
		return nil
	}
	h := &t.held
	if ns, ok := x.Latency(); ok && (!h.answered || ns > h.latency) {
		h.latency, h.answered = ns, true
	}
	h.failed = h.failed || x.Result == session.Failed
	h.result = appendOutcome(h.result, x)
	return nil
}

// outcomes say what became of an exchange, where its frames do not show it.
var outcomes = map[session.Result]string{
	session.OrphanResponse: "(request not seen)",
	session.Intermediate:   "(not yet: another answer will follow)",
	session.Repeat:         "(acknowledged before)",
}

// appendOutcome appends what a response alone does not tell: which request it
// answers where it could be any. Of an ACK with several ids only one is told.
func appendOutcome(dst []byte, x *session.Exchange) []byte {
	if len(dst) > 0 {
		return dst
	}
	if words := outcomes[x.Result]; words != "" {
		if x.Kind == session.Ack && x.Result == session.OrphanResponse {
			words = "(delivery not seen)"
		}
		return append(dst, words...)
	}
	request := decode.TypeName(x.Request.Type)
	if x.Kind == session.Ack || strings.HasPrefix(decode.TypeName(x.Response.Type), request) {
		return dst
	}
	dst = append(append(dst, "answers "...), request...)
	return strconv.AppendUint(append(dst, " in packet "...), x.Request.Packet, 10)
}

// reasons say in words why there was no answer.
var reasons = map[string]string{
	"conn_closed":           "the connection closed first",
	"capture_end":           "the capture ends first",
	"producer_reopened":     "the producer was opened anew and sent it again",
	"another_connect":       "another CONNECT followed",
	"consumer_id_used_anew": "its consumer id was used for another subscription",
	"limit":                 "too many were open to wait for all",
}

func reason(why string) string {
	if words := reasons[why]; words != "" {
		return words
	}
	return why
}

// aside writes a line that is not a frame's.
func (t *Timeline) aside(e *session.Event, s style, words string) error {
	if err := t.introduce(e); err != nil {
		return err
	}
	c := &t.held.at
	t.begins(c, e)
	t.start(c)
	t.grid.cell(&t.line, timelineCommand, s, []byte("-- "+words))
	return t.write(c.ns)
}

// unanswered tells what was not answered, when that is known: at the end of the
// connection as a rule.
func (t *Timeline) unanswered(e *session.Event) error {
	if err := t.introduce(e); err != nil {
		return err
	}
	return t.atEnd(e.Conn, e.Exchange.Request.Direction, wrong, unansweredWords(e.Exchange))
}

func unansweredWords(x *session.Exchange) string {
	words := decode.TypeName(x.Request.Type) + " in packet " + strconv.FormatUint(x.Request.Packet, 10) + " never answered: " + reason(x.Why)
	if ids := exchangeIDs(nil, x); len(ids) > 0 {
		words += " (" + string(ids) + ")"
	}
	return words
}

// atEnd writes a line at the place of the latest packet of a connection; at the
// end of all lines where it was open to the end.
func (t *Timeline) atEnd(c *session.Conn, d decode.Direction, s style, words string) error {
	last, at := &c.TCP.Last, &t.held.at
	if _, by := closing(c); by == reassembly.Nobody {
		at.time, at.ns = at.time[:0], max(t.rows.newest, last.Time)
	} else {
		t.stamp(at, last.Time, last.TimeUnknown)
	}
	at.packet, at.conn, at.dir = last.Packet, c.ID, d
	t.start(at)
	t.grid.cell(&t.line, timelineCommand, s, []byte("-- "+words))
	return t.write(at.ns)
}

// asides says in words what a line that is not a frame's tells.
func asides(words func(*session.Event) (style, string)) func(*Timeline, *session.Event) error {
	return func(t *Timeline, e *session.Event) error {
		s, text := words(e)
		return t.aside(e, s, text)
	}
}

func chunkedWords(e *session.Event) (style, string) {
	c := e.Chunked
	size := c.TotalSize
	if e.Message.State == decode.StateOK {
		size = int64(len(e.Message.Payload))
	}
	words := "whole message of " + plural(uint64(max(c.Chunks, 0)), "chunk") + ", " + sizeText(size)
	s := good
	if !c.Complete {
		words, s = "message in chunks incomplete: "+missing(c)+" missing", wrong
	}
	return s, words + ", uuid " + string(appendName(nil, c.UUID))
}

// missing says which chunks are not there.
func missing(c *session.Chunked) string {
	n := len(c.Missing)
	if n == 0 {
		return "chunks of " + strconv.Itoa(c.Chunks)
	}
	words := "chunk " + strconv.Itoa(c.Missing[0]+1)
	if n > 1 {
		words += " and " + strconv.Itoa(n-1) + " more"
	}
	return words + " of " + strconv.Itoa(c.Chunks)
}

// gapCauses say why bytes are missing.
var gapCauses = map[reassembly.Cause]string{
	reassembly.NotCaptured: "no packet has them",
	reassembly.SnapLength:  "cut off by the snap length",
	reassembly.MemoryLimit: "given up, too many bytes waited behind them",
}

func gapWords(e *session.Event) (style, string) {
	words := plural(uint64(e.Bytes), "byte") + " missing: " + gapCauses[e.Cause]
	if e.Acked {
		words += ", but the peer had them"
	}
	return wrong, words
}

func skippedWords(e *session.Event) (style, string) {
	return wrong, plural(uint64(e.Bytes), "byte") + " skipped: " + e.Reason
}

func conflictWords(e *session.Event) (style, string) {
	return wrong, plural(uint64(e.Bytes), "byte") + " came again with other content: the first are kept"
}

func proxyWords(e *session.Event) (style, string) {
	p := e.Proxy
	words := "PROXY protocol v" + strconv.Itoa(p.Version) + " " + string(appendName(nil, p.Command))
	if p.Source.IsValid() {
		words += ": client " + p.Source.String() + ", sent to " + p.Destination.String()
	}
	if n := len(p.TLVs); n > 0 {
		words += ", " + plural(n, "TLV")
	}
	return good, words
}

// ended tells how a connection ended, and what it was if not Pulsar.
func (t *Timeline) ended(e *session.Event) error {
	c := e.Conn
	if err := t.introduce(e); err != nil {
		return err
	}
	delete(t.labelled, c.ID)
	words, s := endWords(c)+t.lastHeard(c), faint
	switch {
	case c.Protocol == decode.Empty:
		words = "no data; " + words
	case c.Protocol == decode.BookKeeper:
		words = "with a bookie; " + words
	case c.Protocol != decode.Pulsar:
		words = "not Pulsar but " + protocolNames[c.Protocol] + "; " + words
	case mute(c):
		words = plural(uint64(sent(c, decode.ServerToClient).Bytes), "byte") + " from the server that are no Pulsar " + firstBytes(c) + "; " + words
		s = wrong
	}
	if over := encrypted(c); over != "" {
		words += "; " + over
	}
	return t.atEnd(c, closer(c), s, words)
}

// lastHeard says when the last packet of a connection came, where its end does
// not tell.
func (t *Timeline) lastHeard(c *session.Conn) string {
	if _, by := closing(c); by != reassembly.Nobody {
		return ""
	}
	return ", last packet at " + string(t.stamps.append(nil, c.TCP.Last.Time, c.TCP.Last.TimeUnknown))
}

// endWords says how a connection ended.
func endWords(c *session.Conn) string {
	how, by := closing(c)
	if by == reassembly.Nobody {
		return "still open at the end of the capture"
	}
	if first := closedBefore(c); first != reassembly.Nobody {
		words := "closed by the " + sideName(c, first) + ", then reset"
		if first != by {
			words += " by the " + sideName(c, by)
		}
		return words
	}
	return closeWords[how] + " by the " + sideName(c, by)
}
