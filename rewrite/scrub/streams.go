package scrub

import (
	"bytes"
	"encoding/binary"
	"regexp"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/rewrite/conns"
)

// Options say what is replaced.
type Options struct {
	Seed   []byte // what becomes of a text depends on it
	Topics bool   // names of topics, too
	Names  bool   // and those of subscriptions, producers and consumers
}

// Streams makes the streams of all connections anew.
type Streams struct {
	Unfit uint64 // compressed entries that could not be made anew in their size, and cannot be read now

	options  Options
	names    *names
	unpacker decode.Unpacker
	spool    *spool
	conns    conns.Index
	prefaces map[streamOf]int64 // sizes of PROXY prefaces
	tls      map[int]*tlsConn   // by number of the connection
	made     map[string][]byte  // certificates that take the place of others, nil where none fits
	bookies  map[int]*bookie.Reader
	failed   error // of the spool, within Records
	chunked  struct {
		uuid  string
		whole []byte
	}
}

// NewStreams makes one. Close has to be called.
func NewStreams(o Options) (*Streams, error) {
	sp, err := newSpool()
	if err != nil {
		return nil, err
	}
	return &Streams{options: o, names: newNames(o.Seed), unpacker: decode.Unpacker{NoSum: true}, spool: sp, prefaces: map[streamOf]int64{}, tls: map[int]*tlsConn{}, made: map[string][]byte{}, bookies: map[int]*bookie.Reader{}}, nil
}

// Close gives up the streams.
func (s *Streams) Close() error { return s.spool.close() }

// Event takes an event of decode. An error is one of the temporary file.
func (s *Streams) Event(e *decode.Event) error {
	switch e.Kind {
	case decode.FrameSeen:
		return s.add(e, s.frame(e.Frame))
	case decode.BookieSeen:
		return s.add(e, s.bookie(e.Bookie))
	case decode.ProxySeen:
		if b := s.preface(e.Proxy); b != nil {
			s.prefaces[streamOf{e.Conn.ID, e.Conn.SideOf(e.Direction)}] = e.Proxy.Length
			return s.add(e, b)
		}
	case decode.ConnectionEnd:
		s.endTLS(e.Conn.TCP)
		delete(s.bookies, e.Conn.ID)
		s.conns.Add(e.Conn.TCP)
	}
	return s.failed
}

func (s *Streams) add(e *decode.Event, b []byte) error {
	return s.spool.add(streamOf{e.Conn.ID, e.Conn.SideOf(e.Direction)}, e.Offset, b)
}

// keptForeign is how many bytes stay of a stream without frames, by which its
// protocol is told: a number that a broker would take for a size. Of HTTP it is
// what says that it is.
const keptForeign = 4

var httpStart = regexp.MustCompile(`^(HTTP/[12]\.\d|PRI \* HTTP/2\.0|(GET|POST|PUT|HEAD|PATCH|DELETE|OPTIONS) )`)

// firstForeign is how many bytes stay what they were: text, or none.
const firstForeign = 32

// missing overwrites bytes that are in no frame.
func (s *Streams) missing(of streamOf) missing {
	start := s.prefaces[of]
	foreign := len(s.spool.streams[of]) == 0 || start > 0 && len(s.spool.streams[of]) == 1
	return func(b []byte, offset int64, behind bool) {
		offset -= start
		kept := int64(keptForeign)
		if offset == 0 {
			kept = max(kept, int64(len(httpStart.Find(b))))
		}
		switch {
		case foreign:
		case behind && isOther(b):
			b, offset = b[min(len(b), keptOther):], offset+keptOther
		case behind && isAbsurd(b):
			b, offset = b[2*sizeField:], offset+2*sizeField
		case isHeader(b):
			end := 2*sizeField + int(min(binary.BigEndian.Uint32(b[sizeField:]), uint32(len(b)-2*sizeField)))
			s.prefix(b[2*sizeField:end], wire.BaseCommand)
			b, offset = b[end:], offset+int64(end)
		}
		for i := range b {
			at := offset + int64(i)
			switch {
			case foreign && at >= 0 && at < kept:
			case foreign && at >= 0 && at < firstForeign && (b[i] < ' ' || b[i] > '~'):
				b[i] = 1
			default:
				b[i] = masked
			}
		}
	}
}

// mostBelieved is the largest size that a frame may have, in bytes.
const mostBelieved = 256 << 20

// isHeader says whether bytes are the sizes of a frame of which the command was not
// captured whole, so that it is no event, and the beginning of that command. What
// follows depends on them.
func isHeader(b []byte) bool {
	const typeAt = 2 * sizeField // tag and value of BaseCommand.type
	if len(b) < typeAt {
		return false
	}
	total, command := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[sizeField:])
	sound := total >= sizeField && total < mostBelieved && command <= total-sizeField
	begins := []byte{field.BaseCommandType<<3 | wire.Varint}
	return sound && bytes.HasPrefix(b[typeAt:], begins[:min(1, len(b)-typeAt)]) && (len(b) < typeAt+2 || proto.ByNumber(int32(b[typeAt+1])) != nil)
}

// keptOther is how many bytes stay of what begins behind a frame and is none: the
// length and the kind of a bookie's frame, or the header of a TLS record.
const keptOther = 5

// isOther says whether bytes are the beginning of a bookie's frame that was not
// captured further, or the first record of TLS that both sides agreed to start.
func isOther(b []byte) bool {
	if size, ok := bookie.Size(b); size > 0 && ok {
		return true
	}
	if len(b) < decrypt.RecordHeader {
		return false
	}
	_, ok := decrypt.RecordSize(b)
	return ok
}

// isAbsurd says whether bytes are sizes that no frame can have: below 0, and no
// text.
func isAbsurd(b []byte) bool {
	return len(b) >= 2*sizeField && (b[0] >= 0x80 || b[sizeField] >= 0x80)
}

// near gives the offset of a sequence number that lies closest to a place in the
// stream.
func near(origin, sequence uint32, place int64) int64 {
	return place + int64(int32(sequence-origin-uint32(place)))
}
