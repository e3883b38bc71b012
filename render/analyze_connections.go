package render

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// connectionRow is a Pulsar connection that has ended.
type connectionRow struct {
	id             int
	client, server string
	software       [2]string // of the client, of the broker
	version        int32     // of the protocol, -1 if not known
	frames         [2]uint64
	bytes          [2]int64
	closed         string
	tls            string // version, if the connection is encrypted
	troubles       []string
	mute           bool
}

func newConnectionRow(c *session.Conn, sum *exchangeSum) connectionRow {
	r := connectionRow{
		id: c.ID, client: end(c, decode.ClientToServer).String(), server: end(c, decode.ServerToClient).String(),
		software: [2]string{software(c.ClientVersion), software(c.ServerVersion)},
		version:  lower(c), frames: c.Frames, closed: closed(c),
	}
	if r.version < 0 {
		r.version = max(c.ClientProtocol, c.ServerProtocol)
	}
	for d := range r.bytes {
		r.bytes[d] = sent(c, decode.Direction(d)).Bytes
	}
	r.mute = mute(c)
	if f := decrypt.FactsOf(c.TCP); f != nil {
		r.tls = tlsVersion(f)
	}
	r.troubles = connectionTroubles(c, sum)
	return r
}

// mute says whether the server sent bytes, but nothing that is Pulsar.
func mute(c *session.Conn) bool {
	return c.Frames[decode.ServerToClient] == 0 && c.Frames[decode.ClientToServer] > 0 && sent(c, decode.ServerToClient).Bytes > 0 &&
		sent(c, decode.ServerToClient).GapBytes == 0
}

// software is the version that a side states, without what all of them have.
func software(version string) string {
	version = strings.TrimPrefix(version, "Pulsar Server")
	return string(appendName(nil, strings.TrimPrefix(version, "Pulsar-")))
}

// end is the address of the side that sends in a direction.
func end(c *session.Conn, d decode.Direction) netip.AddrPort {
	return c.TCP.Ends[sender(c, d)].AddrPort()
}

func sender(c *session.Conn, d decode.Direction) reassembly.Side {
	if d == decode.ClientToServer {
		return c.Client
	}
	return c.Client.Other()
}

func sent(c *session.Conn, d decode.Direction) *reassembly.Stats { return &c.TCP.Sides[sender(c, d)] }

// connectionTroubles says what is wrong with a connection, worst first.
func connectionTroubles(c *session.Conn, sum *exchangeSum) (words []string) {
	add := func(n uint64, noun string) {
		if n > 0 {
			words = append(words, plural(n, noun))
		}
	}
	a, b := &c.TCP.Sides[0], &c.TCP.Sides[1]
	if lost := a.GapBytes + b.GapBytes; lost > 0 {
		words = append(words, sizeText(lost)+" not captured")
	}
	if skipped := c.SkippedBytes[0] + c.SkippedBytes[1]; skipped > 0 {
		words = append(words, sizeText(skipped)+" not read")
	}
	if sum != nil {
		add(sum.errors, "error")
		if sum.unanswered > 0 {
			words = append(words, countText(sum.unanswered)+" unanswered")
		}
	}
	add(a.Conflicts+b.Conflicts, "conflict")
	if n := a.Retransmitted + b.Retransmitted; n*manyRetransmitted > a.Packets+b.Packets {
		add(n, "retransmission")
	}
	add(a.ZeroWindows+b.ZeroWindows, "zero window")
	if c.TCP.Evicted {
		words = append(words, "given up early")
	}
	return words
}

// addressWidth has room for any IPv4 address and port.
const addressWidth = 21

// connectionSheet shows the connections: where there are many, those with the
// most to tell.
func (a *Analyze) connectionSheet() *sheet {
	s := &sheet{kind: "conn", title: "CONNECTIONS", columns: []sheetColumn{
		{title: "CONN"}, {title: "CLIENT", name: "client", least: addressWidth, names: true}, {title: "SERVER", name: "server", least: addressWidth, names: true},
		{title: "CLIENT IS", name: "client_version", least: 9, spare: 3}, {title: "SERVER IS", name: "server_version", least: 9, spare: 2},
		{title: "V", name: "v", right: true, spare: 4}, {title: "FRAMES →", name: "frames_c2s", right: true}, {title: "←", name: "frames_s2c", right: true},
		{title: "BYTES →", name: "bytes_c2s", right: true, spare: 1}, {title: "←", name: "bytes_s2c", right: true, spare: 1},
		{title: "TLS", name: "tls", spare: 3}, {title: "END", name: "end"}, {title: "PROBLEMS", name: "problems", least: 24},
	}}
	rows := a.connections
	slices.SortFunc(rows, func(x, y connectionRow) int { return x.id - y.id })
	if !a.terse() && len(rows) > shownConnections {
		rows = worstConnections(rows)
	}
	for i := range rows {
		s.rows = append(s.rows, rows[i].cells())
	}
	s.dropEmpty("TLS")
	if hidden := uint64(len(a.connections)-len(rows)) + a.more; hidden > 0 {
		s.note = "and " + plural(hidden, "more connection") + " (-o compact)"
	}
	return s
}

// worstConnections picks those with problems, then those with most bytes.
func worstConnections(all []connectionRow) []connectionRow {
	rows := slices.Clone(all)
	slices.SortStableFunc(rows, func(x, y connectionRow) int {
		return cmp.Or(cmp.Compare(min(1, len(y.troubles)), min(1, len(x.troubles))),
			cmp.Compare(y.bytes[0]+y.bytes[1], x.bytes[0]+x.bytes[1]))
	})
	rows = rows[:shownConnections]
	slices.SortFunc(rows, func(x, y connectionRow) int { return x.id - y.id })
	return rows
}

// closeStyle marks an end that came by a reset.
func closeStyle(closed string) style {
	if strings.HasSuffix(closed, closeWords["rst"]) {
		return doubtful
	}
	return plain
}

func (r *connectionRow) cells() []styled {
	version := ""
	if r.version >= 0 {
		version = strconv.Itoa(int(r.version))
	}
	return []styled{
		{subject, string(appendLabel(nil, r.id))}, {plain, r.client}, {plain, r.server},
		{plain, r.software[0]}, {plain, r.software[1]}, {plain, version},
		{toServer, countText(r.frames[0])}, {toClient, countText(r.frames[1])},
		{toServer, sizeText(r.bytes[0])}, {toClient, sizeText(r.bytes[1])},
		{plain, r.tls}, {closeStyle(r.closed), r.closed}, {wrong, strings.Join(r.troubles, ", ")},
	}
}

// foreignKey groups connections that are not Pulsar.
type foreignKey struct {
	protocol decode.Protocol
	server   netip.AddrPort
}

// foreignRow counts them.
type foreignRow struct {
	connections uint64
	bytes       [2]int64
	refused     uint64 // reset by the server before any byte
	example     int    // number of the first
	note        string // what encrypts it, or else what the client or the server sent first
}

// keptForeign is how many servers of other protocols are told apart.
const keptForeign = 1_000

func (a *Analyze) foreigner(c *session.Conn) {
	k := foreignKey{c.Protocol, end(c, decode.ServerToClient)}
	r := a.foreign[k]
	if r == nil {
		if len(a.foreign) >= keptForeign {
			k.server = netip.AddrPort{}
		}
		if r = a.foreign[k]; r == nil {
			r = &foreignRow{example: c.ID, note: foreignNote(c)}
			a.foreign[k] = r
		}
	}
	r.connections++
	for d := range r.bytes {
		r.bytes[d] += sent(c, decode.Direction(d)).Bytes
	}
	if c.Protocol == decode.Empty && c.TCP.RSTFrom == int8(c.Client.Other()) {
		r.refused++
	}
}

// foreignNote says what there is to know of a connection that is not Pulsar.
func foreignNote(c *session.Conn) string {
	if words := encrypted(c); words != "" {
		return words
	}
	return firstBytes(c)
}

// firstBytes shows how a stream begins.
func firstBytes(c *session.Conn) string {
	b := c.FirstBytes[c.Client]
	if len(b) == 0 {
		b = c.FirstBytes[c.Client.Other()]
	}
	if len(b) == 0 {
		return ""
	}
	if shown, isText := (texts{}).cut(b, len(b)); isText {
		return string(append(appendVisible([]byte{'"'}, shown), '"'))
	}
	return string(hexBytes([]byte("0x"), b))
}

// foreignSheet shows what is not Pulsar, by server.
func (a *Analyze) foreignSheet() *sheet {
	s := &sheet{kind: "other", title: "NOT PULSAR", columns: []sheetColumn{
		{title: "PROTOCOL", name: "protocol"}, {title: "SERVER", name: "server", least: addressWidth, names: true}, {title: "CONNECTIONS", name: "connections", right: true},
		{title: "BYTES →", name: "bytes_c2s", right: true}, {title: "←", name: "bytes_s2c", right: true},
		{title: "NOTE", name: "note", least: 12},
	}}
	for _, k := range a.foreignKeys() {
		r := a.foreign[k]
		server, note := k.server.String(), r.note
		if !k.server.IsValid() {
			server, note = "other servers", ""
		}
		if r.refused > 0 {
			note = countText(r.refused) + " refused"
		}
		s.rows = append(s.rows, []styled{
			{plain, k.protocol.String()}, {plain, server}, {plain, countText(r.connections)},
			{toServer, sizeText(r.bytes[0])}, {toClient, sizeText(r.bytes[1])}, {faint, note},
		})
	}
	if !a.terse() && len(s.rows) > shownConnections {
		s.note = "and " + plural(len(s.rows)-shownConnections, "more server") + " (-o compact)"
		s.rows = s.rows[:shownConnections]
	}
	return s
}

// foreignKeys gives the groups, those with most connections first.
func (a *Analyze) foreignKeys() []foreignKey {
	var keys []foreignKey
	for k := range a.foreign {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y foreignKey) int {
		return cmp.Or(cmp.Compare(a.foreign[y].connections, a.foreign[x].connections), x.server.Compare(y.server), cmp.Compare(x.protocol, y.protocol))
	})
	return keys
}
