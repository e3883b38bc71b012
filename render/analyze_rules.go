package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/capture/link"
	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// noPulsar says what to try where no connection speaks Pulsar.
func (a *Analyze) noPulsar() []problem {
	c := &a.summary.Connections
	switch {
	case c[decode.Pulsar] > 0:
		return nil
	case a.summary.Packets() == 0:
		return []problem{{severity: wrong, what: "the capture holds no packets",
			advice: "Was it running while there was traffic, on the right interface, with a filter that lets it through?"}}
	case c == (&[decode.Unknown + 1]uint64{}):
		return []problem{{severity: wrong, what: "no TCP in this capture, so no Pulsar",
			advice: "Capture the traffic of the broker's port (6650), on the interface that it takes: tcpdump -i any -s 0 -w FILE tcp port 6650"}}
	}
	p := problem{severity: wrong, what: "no Pulsar in this capture: none of its connections opens with a Pulsar frame"}
	if c[decode.TLS] > 0 {
		p.advice = "TLS connections may hide Pulsar (port 6651 as a rule)."
	}
	if k, ok := a.candidate(); ok {
		p.advice = strings.TrimSpace(p.advice + " If " + k.server.String() + " is a broker all the same, have its port read as Pulsar.")
		p.look = "analyze --port " + strconv.Itoa(int(k.server.Port()))
	}
	return []problem{p}
}

// candidate is the server whose connections may be Pulsar: those of an unknown
// protocol.
func (a *Analyze) candidate() (foreignKey, bool) {
	for _, k := range a.foreignKeys() {
		if k.protocol == decode.Unknown && k.server.IsValid() {
			return k, true
		}
	}
	return foreignKey{}, false
}

func (a *Analyze) unreadablePackets() (found []problem) {
	for _, l := range a.summary.Totals.Segments.Links {
		if !l.Supported {
			found = append(found, problem{severity: wrong,
				what:   plural(l.Packets, "packet") + " of link type " + link.Name(l.Type) + " (" + strconv.Itoa(int(l.Type)) + ") cannot be read",
				advice: "Capture on another interface (tcpdump -i any works everywhere), or convert the file to Ethernet or raw IP."})
		}
	}
	return found
}

// refusedConnections tells of servers where nothing listens.
func (a *Analyze) refusedConnections() (found []problem) {
	for _, k := range a.foreignKeys() {
		if r := a.foreign[k]; r.refused > 0 {
			found = append(found, problem{severity: wrong,
				what:   plural(r.refused, "connection") + " to " + k.server.String() + " refused: nothing listens there",
				advice: "Is the broker up, and is this its port? A broker may also advertise an address that clients cannot reach."})
		}
	}
	return found
}

// unanswering tells of servers that never answered clients of another protocol.
func (a *Analyze) unanswering() (found []problem) {
	for _, k := range a.foreignKeys() {
		r := a.foreign[k]
		if k.protocol != decode.TLS && k.protocol != decode.HTTP || r.bytes[0] == 0 || r.bytes[1] > 0 || !k.server.IsValid() {
			continue
		}
		name := protocolNames[k.protocol]
		found = append(found, problem{severity: wrong,
			what:   plural(r.connections, name+" connection") + " to " + k.server.String() + ", and not one answer: that port does not speak " + name,
			advice: "A broker speaks Pulsar on 6650, Pulsar over TLS on 6651 and HTTP on 8080, unless it is set up otherwise."})
	}
	return found
}

// wrongServer tells of clients that speak Pulsar to something else.
func (a *Analyze) wrongServer() []problem {
	var n uint64
	var example *connectionRow
	for i := range a.connections {
		if r := &a.connections[i]; r.mute {
			if n++; example == nil {
				example = r
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []problem{{severity: wrong,
		what:   plural(n, "client connection") + " spoke Pulsar to a server that answered something else, " + example.server + " for one",
		advice: "Is that an HTTP port (8080) or a TLS port (6651, 8443)? The service URL of the client should name the binary port (6650).",
		look:   "timeline --conn " + strconv.Itoa(example.id)}}
}

// brokerErrors tells of what was answered with an error, the most frequent
// first.
func (a *Analyze) brokerErrors() (found []problem) {
	rows, others := a.summary.Errors()
	byCount(rows)
	for i := range rows {
		t := &rows[i]
		request, look := t.Request, "pairs --bad --type "+t.Request
		if request == "" {
			request, look = "something not captured", "timeline --bad"
		}
		code := t.What
		if code == "" {
			code = "without a code"
		}
		found = append(found, problem{severity: wrong, what: request + " refused: " + string(appendName(nil, code)) + times(t.Count),
			examples: distinct(t.Examples()), look: look})
	}
	return append(found, one(others > 0, problem{severity: wrong, what: "other errors" + times(others), look: "pairs --bad"})...)
}

func byCount(rows []summary.Trouble) {
	slices.SortStableFunc(rows, func(x, y summary.Trouble) int { return cmp.Compare(y.Count, x.Count) })
}

// distinct leaves out examples that say the same.
func distinct(all []summary.Example) (some []summary.Example) {
	for _, x := range all {
		if !slices.ContainsFunc(some, func(y summary.Example) bool { return x.Text == y.Text && x.Topic == y.Topic }) {
			some = append(some, x)
		}
	}
	return some
}

// unanswered tells of requests without an answer. At the end of the capture
// some are always open.
func (a *Analyze) unanswered() (found []problem) {
	rows, others := a.summary.Unanswered()
	byCount(rows)
	for i := range rows {
		t := &rows[i]
		severity := wrong
		if t.What == "capture_end" {
			severity = doubtful
		}
		found = append(found, problem{severity: severity, advice: unansweredAdvice[t.Request],
			what:     t.Request + " never answered" + times(t.Count) + ": " + string(appendVisible(nil, reason(t.What))),
			examples: t.Examples(), look: "pairs --bad --type " + t.Request})
	}
	return append(found, one(others > 0, problem{severity: doubtful, what: "other requests never answered" + times(others), look: "pairs --bad"})...)
}

// unansweredAdvice says what may be behind a request that was not answered.
var unansweredAdvice = map[string]string{
	"CONNECT": "Does the server speak Pulsar without TLS on that port (6650, not 6651)? A broker that is not up yet hangs up as well.",
	"PING":    "The other side was stuck, or the path to it was cut without either side being told.",
}

func (a *Analyze) badChecksums() []problem {
	s := a.summary
	found := one(s.BadChecksums.Count > 0, problem{severity: wrong,
		what:     plural(s.BadChecksums.Count, "payload") + " with a wrong CRC32-C: broken by the sender, or on the way",
		examples: s.BadChecksums.Examples(), look: "timeline --bad --type SEND --type MESSAGE"})
	absent := s.Checksums[decode.ChecksumAbsent]
	return append(found, one(absent > 0, problem{severity: faint,
		what: plural(absent, "payload") + " sent without a checksum (old clients do so)", look: `timeline --filter 'checksum == "absent"'`})...)
}

// lostBytes tells what the capture lost, apart from what the network may have.
func (a *Analyze) lostBytes() []problem {
	g, all := &a.summary.Gaps[reassembly.NotCaptured], a.summary.AllGaps()
	whole := uint64(a.summary.TCP.Bytes + all.Bytes)
	found := one(g.Acked > 0, problem{severity: wrong,
		what: "the capture lost " + sizeText(g.AckedBytes) + " (" + percent(uint64(g.AckedBytes), whole) + ") in " + plural(g.Acked, "place") +
			": the peers acknowledged them",
		examples: g.Examples(), advice: captureMore, look: "timeline --bad"})
	rest := g.Count - g.Acked
	found = append(found, one(rest > 0, problem{severity: doubtful,
		what:     sizeText(g.Bytes-g.AckedBytes) + " in " + plural(rest, "place") + " were not captured and not acknowledged",
		examples: onlyWhen(g.Acked == 0, g.Examples()), look: "timeline --bad"})...)
	return append(found, a.droppedByInterface()...)
}

// captureMore is what helps a capture that loses packets.
const captureMore = "A larger buffer (tcpdump -B 65536), a shorter snap length, or a filter loses less."

func onlyWhen(is bool, list []summary.Example) []summary.Example {
	if is {
		return list
	}
	return nil
}

// droppedByInterface tells what the file says of packets that did not get into
// it.
func (a *Analyze) droppedByInterface() []problem {
	var dropped uint64
	for _, f := range a.summary.Totals.Capture.Files {
		for _, i := range f.Interfaces {
			dropped += i.Dropped + i.OSDropped
		}
	}
	return one(dropped > 0, problem{severity: wrong, what: plural(dropped, "packet") + " dropped while capturing, as the file itself says",
		advice: captureMore})
}

func (a *Analyze) cutPackets() []problem {
	var n uint64
	for _, f := range a.summary.Totals.Capture.Files {
		n += f.Truncated
	}
	return one(n > 0, problem{severity: doubtful,
		what:   plural(n, "packet") + " (" + percent(n, a.summary.Packets()) + ") cut by the snap length: what lies behind the cut is not known",
		advice: "Capture whole packets: tcpdump -s 0"})
}

func (a *Analyze) skippedBytes() []problem {
	s := &a.summary.Skipped
	return one(s.Count > 0, problem{severity: doubtful, what: sizeText(s.Bytes) + " in " + plural(s.Count, "place") + " not read: no frame begins there",
		examples: s.Examples(), look: "timeline --bad"})
}

// stateProblems says in words why messages could not be read.
var stateProblems = []struct {
	state    decode.State
	severity style
	what     string
}{
	{decode.StateDecompressError, wrong, "cannot be decompressed"},
	{decode.StateSizeMismatch, wrong, "decompressed to another size than stated"},
	{decode.StateBatchError, wrong, "batched, but the batch is broken"},
	{decode.StateEncrypted, faint, "encrypted end to end: payloads cannot be read without the key"},
	{decode.StateIncomplete, doubtful, "not captured whole"},
}

func (a *Analyze) unreadableMessages() (found []problem) {
	for _, p := range stateProblems {
		n := &a.summary.States[p.state]
		found = append(found, one(n.Count > 0, problem{severity: p.severity, what: plural(n.Count, "entry") + " " + p.what,
			examples: n.Examples(), look: "messages --filter 'state == \"" + p.state.String() + "\"'"})...)
	}
	return found
}

func (a *Analyze) incompleteChunks() []problem {
	n := &a.summary.Chunked.Incomplete
	return one(n.Count > 0, problem{severity: doubtful, what: plural(n.Count, "chunked message") + " of which chunks are missing",
		examples: n.Examples(), look: `events -o json --filter 'kind == "chunked_message"'`})
}

func (a *Analyze) conflicts() []problem {
	n := &a.summary.Conflicts
	return one(n.Count > 0, problem{severity: doubtful,
		what:     plural(n.Count, "segment") + " came again with other bytes for the same place (" + sizeText(n.Bytes) + "); the first were kept",
		examples: n.Examples(), look: "timeline --bad"})
}

// brokerCloses tells of producers and consumers that a broker closed.
func (a *Analyze) brokerCloses() (found []problem) {
	for _, t := range []pb.BaseCommand_Type{pb.BaseCommand_CLOSE_PRODUCER, pb.BaseCommand_CLOSE_CONSUMER, pb.BaseCommand_TOPIC_MIGRATED} {
		n := a.summary.CommandCount(t, decode.ServerToClient)
		name := decode.TypeName(int32(t))
		found = append(found, one(n > 0, problem{severity: doubtful,
			what: "brokers sent " + name + times(n) + ": topics were unloaded, moved or deleted, and clients had to look them up again",
			look: "timeline --dir s2c --type " + name})...)
	}
	return found
}

// orphans tells of responses whose request was not captured.
func (a *Analyze) orphans() []problem {
	var total uint64
	var names []string
	var examples []summary.Example
	for _, o := range a.summary.Orphans() {
		total += o.Count
		names = append(names, countText(o.Count)+" "+o.What)
		examples = append(examples, o.Examples()[:1]...)
	}
	return one(total > 0, problem{severity: faint,
		what:     plural(total, "response") + " to requests that were not captured: " + strings.Join(names, ", "),
		examples: examples[:min(len(examples), 3)], advice: "Requests from before the capture, or lost by it.",
		look: `pairs --filter 'result == "` + session.OrphanResponse.String() + `"'`})
}
