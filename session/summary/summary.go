package summary

import (
	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

// Totals are the counters of the stages before this one, at the end of a run.
type Totals struct {
	Capture    capture.Stats
	Segments   segment.Stats
	Reassembly reassembly.Counters
	Decrypt    decrypt.Counters
	Decode     decode.Counters
	Session    session.Counters
}

// Summary counts what a run has shown. It is not safe for concurrent use.
type Summary struct {
	Totals Totals // set at the end of the run

	Connections [decode.Unknown + 1]uint64        // that ended, by Protocol
	TCP         TCP                               // of all connections that ended
	Proxies     uint64                            // PROXY protocol prefaces
	Frames      uint64                            // of all types
	Checksums   [decode.ChecksumAbsent + 1]uint64 // frames by Checksum
	States      [decode.StateIncomplete + 1]Noted // message records by State
	Exchanges   [session.Watch + 1]Exchanges      // by Kind
	Chunked     Chunked
	Txns        [session.TxnFailed + 1]uint64    // by TxnState, as they were last seen
	Gaps        [reassembly.MemoryLimit + 1]Gaps // by Cause
	BrokerDelay Latencies                        // of deliveries whose broker says when it stored them: session.BrokerDelay

	BadChecksums Noted
	Incomplete   Noted // frames that the capture does not have whole
	Resyncs      Noted // frames that were found by search
	Skipped      Lost  // bytes in which no frame was found
	Sealed       Lost  // bytes of TLS connections that could not be opened
	Conflicts    Lost  // bytes that came again with other content

	commands   [2]commandCounts
	unknown    table[int32, [2]uint64] // command types that the schema does not have, by Direction
	codecs     [2]table[codec.Codec, Entries]
	produced   table[string, Produced]
	consumed   table[subscription, Consumed]
	requests   table[int32, Exchanges]
	errors     table[asked, Noted]
	unanswered table[asked, Noted]
	orphans    table[int32, Noted]
	skipped    table[string, uint64]
	sealed     table[string, uint64]
	issues     table[string, Noted]
	details    table[string, uint64]

	issue []byte // text of the issue at hand
}

// New makes an empty summary.
func New(l Limits) *Summary {
	l = l.withDefaults()
	s := &Summary{
		unknown:    newTable[int32, [2]uint64](l.Groups, 0),
		produced:   newTable[string, Produced](l.Topics, l.NameBytes),
		consumed:   newTable[subscription, Consumed](l.Subscriptions, l.NameBytes),
		requests:   newTable[int32, Exchanges](l.Groups, 0),
		errors:     newTable[asked, Noted](l.Groups, l.NameBytes),
		unanswered: newTable[asked, Noted](l.Groups, l.NameBytes),
		orphans:    newTable[int32, Noted](l.Groups, 0),
		skipped:    newTable[string, uint64](l.Groups, l.NameBytes),
		sealed:     newTable[string, uint64](l.Groups, l.NameBytes),
		issues:     newTable[string, Noted](l.Groups, l.NameBytes),
		details:    newTable[string, uint64](l.Groups, l.NameBytes),
	}
	for d := range s.codecs {
		s.codecs[d] = newTable[codec.Codec, Entries](l.Groups, 0)
	}
	return s
}

// counters are what each kind of event counts. Permits are not counted, nor are
// kinds without a row.
var counters = [256]func(*Summary, *session.Event){
	session.FrameSeen:      (*Summary).frame,
	session.MessageSeen:    (*Summary).message,
	session.ExchangeSeen:   (*Summary).exchange,
	session.ChunkedMessage: (*Summary).chunked,
	session.GapSeen:        (*Summary).gap,
	session.BytesSkipped:   (*Summary).skip,
	session.ConflictSeen:   (*Summary).conflict,
	session.ProxySeen:      (*Summary).proxy,
	session.TxnSeen:        (*Summary).transaction,
	session.ConnectionEnd:  (*Summary).connection,
}

// Add counts an event.
func (s *Summary) Add(e *session.Event) {
	if count := counters[e.Kind]; count != nil {
		count(s, e)
	}
}

// Finish takes what is known only at the end of the run.
func (s *Summary) Finish(t Totals) { s.Totals = t }
