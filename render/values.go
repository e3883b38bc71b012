package render

import (
	"encoding/binary"
	"strconv"
	"time"
	"unicode/utf8"
	"unsafe"

	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/session"
)

// clock formats times as RFC 3339 with nanoseconds, UTC. It remembers the last
// second, and the texts of a few packets: the records of one packet share theirs,
// and an exchange repeats those of its frames (12% of the time on small frames).
type clock struct {
	second int64
	prefix []byte // "2006-01-02T15:04:05. with the quote
	recent [recentPackets]moment

	firstOf struct {
		ns     int64
		packet uint64
	}
	firstText []byte // of firstOf
}

const recentPackets = 16 // a power of two

// moment is the text of a time and a packet: the time, ,"packet": and its number.
type moment struct {
	ns       int64
	packet   uint64
	timeSize uint8
	size     uint8 // 0: nothing is here
	text     [72]byte
}

// appendPacket appends a time and, as the next member, the packet of that time.
func (c *clock) appendPacket(dst []byte, ns int64, packet uint64) []byte {
	m := c.of(ns, packet)
	return append(dst, m.text[:m.size]...)
}

// appendTime appends the time of a packet.
func (c *clock) appendTime(dst []byte, ns int64, packet uint64) []byte {
	m := c.of(ns, packet)
	return append(dst, m.text[:m.timeSize]...)
}

// first gives the members that name the packet of a frame's first byte.
func (c *clock) first(ns int64, packet uint64) []byte {
	if c.firstOf.ns != ns || c.firstOf.packet != packet || len(c.firstText) == 0 {
		c.firstOf.ns, c.firstOf.packet = ns, packet
		c.firstText = unsigned(c.firstText[:0], `,"first_packet":`, packet)
		c.firstText = c.appendTime(append(c.firstText, `,"first_time":`...), ns, packet)
	}
	return c.firstText
}

// append appends a time.
func (c *clock) append(dst []byte, ns int64) []byte { return c.appendTime(dst, ns, 0) }

func (c *clock) of(ns int64, packet uint64) *moment {
	m := &c.recent[packet%recentPackets]
	if m.ns != ns || m.packet != packet || m.size == 0 {
		m.ns, m.packet = ns, packet
		text := c.format(m.text[:0], ns)
		m.timeSize = uint8(len(text))
		m.size = uint8(len(unsigned(text, `,"packet":`, packet)))
	}
	return m
}

func (c *clock) format(dst []byte, ns int64) []byte {
	second, rest := ns/1e9, ns%1e9
	if rest < 0 {
		second, rest = second-1, rest+1e9
	}
	if second != c.second || len(c.prefix) == 0 {
		c.second = second
		c.prefix = time.Unix(second, 0).UTC().AppendFormat(c.prefix[:0], `"2006-01-02T15:04:05.`)
	}
	dst = jsontext.AppendEight(append(dst, c.prefix...), uint32(rest/10))
	return append(dst, byte('0'+rest%10), 'Z', '"')
}

// topics are the texts of a few topics and subscriptions: those of a connection
// come again and again. One is found by where its string lies.
type topics [16]struct {
	topic, subscription string
	inferred            bool
	text                []byte
}

// append appends the topic of an event, if it is known, and a subscription.
func (t *topics) append(dst []byte, e *session.Event, subscription string) []byte {
	topic, inferred := e.Topic(), e.TopicInferred()
	at := uintptr(unsafe.Pointer(unsafe.StringData(topic)))
	x := &t[(at>>4^at>>10)%uintptr(len(t))]
	if x.topic != topic || x.subscription != subscription || x.inferred != inferred {
		x.topic, x.subscription, x.inferred = topic, subscription, inferred
		x.text = present(x.text[:0], `,"topic":`, topic)
		if inferred {
			x.text = append(x.text, `,"topic_inferred":true`...)
		}
		x.text = present(x.text, `,"subscription":`, subscription)
	}
	return append(dst, x.text...)
}

func number(dst []byte, name string, v int64) []byte {
	return jsontext.AppendInt(append(dst, name...), v)
}

func unsigned(dst []byte, name string, v uint64) []byte {
	return jsontext.AppendUint(append(dst, name...), v)
}

func truth(dst []byte, name string, v bool) []byte {
	return strconv.AppendBool(append(dst, name...), v)
}

func text(dst []byte, name, v string) []byte {
	return jsontext.AppendText(append(dst, name...), v)
}

// present appends a text unless it is empty.
func present(dst []byte, name, v string) []byte {
	if v == "" {
		return dst
	}
	return text(dst, name, v)
}

const hexDigits = "0123456789abcdef"

func hex32(dst []byte, v uint32) []byte {
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[v>>shift&15])
	}
	return dst
}

// hexPairs are the two digits of each byte, the first one lower.
var hexPairs = func() (p [256]uint16) {
	for c := range p {
		p[c] = uint16(hexDigits[c>>4]) | uint16(hexDigits[c&15])<<8
	}
	return p
}()

func hexBytes(dst, b []byte) []byte {
	for _, c := range b {
		dst = binary.LittleEndian.AppendUint16(dst, hexPairs[c])
	}
	return dst
}

// texts tells payloads that are text from others.
type texts struct{}

// cut gives the bytes of b to show, at most n, and whether they are text: valid
// UTF-8 without control characters other than white space.
func (texts) cut(b []byte, n int) (shown []byte, isText bool) {
	shown = b[:min(len(b), n)]
	if jsontext.Plain(shown) && (len(shown) == len(b) || utf8.RuneStart(b[n])) {
		return shown, true // as nearly all text is, and found eight bytes at a time
	}
	if len(shown) < len(b) {
		for end := len(shown); end > 0 && end > len(shown)-utf8.UTFMax; end-- {
			if utf8.RuneStart(b[end]) {
				if plainText(b[:end]) {
					return b[:end], true
				}
				break
			}
		}
		return shown, false
	}
	return shown, plainText(shown)
}

func plainText(b []byte) bool {
	ascii := true
	for _, c := range b {
		if notText[c] {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.Valid(b)
}

// notText marks the control characters other than white space.
var notText = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f
	}
	return t
}()
