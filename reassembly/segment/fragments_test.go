package segment

import (
	"bytes"
	"math/rand"
	"testing"
	"time"
)

// part is a fragment as a test writes it.
type part struct {
	offset int
	more   bool
	data   string
}

func (p part) ip4(id uint16) []byte {
	field := uint16(p.offset / 8)
	if p.more {
		field |= ip4MoreFlag
	}
	return ip4Bytes(6, id, field, []byte(p.data))
}

func (p part) ip6(id uint32) []byte {
	return ip6Bytes(44, fragment6Bytes(6, id, p.offset, p.more, []byte(p.data)))
}

// cut makes fragments of 80 bytes.
func cut(payload []byte) (parts []part) {
	for at := 0; at < len(payload); at += 80 {
		end := min(at+80, len(payload))
		parts = append(parts, part{at, end < len(payload), string(payload[at:end])})
	}
	return parts
}

func TestFragments(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}, {0, 0, 1, 1, 2, 2, 3, 3, 4}} {
		for _, version := range []int{4, 6} {
			p := NewParser(Limits{})
			var out Segment
			for i, at := range order {
				var ip []byte
				if version == 4 {
					ip = cut(signed4(hello))[at].ip4(9)
				} else {
					ip = cut(signed6(hello))[at].ip6(9)
				}
				want := FragmentPending
				if i == len(order)-1 {
					want = OK
				}
				if why := p.Parse(packet(rawIP, ip), &out); why != want {
					t.Fatalf("IPv%d, order %v, number %d: %v, want %v", version, order, i, why, want)
				}
				clear(ip) // what is kept is a copy
			}
			if string(out.Data) != hello || out.Length != len(hello) || out.Checksum != Right {
				t.Errorf("IPv%d, order %v: %q, checksum %v", version, order, out.Data, out.Checksum)
			}
			if s := p.Stats().Fragments; s.Assembled != 1 || s.Pending != 0 || s.PendingBytes != 0 || s.Received != uint64(len(order)) {
				t.Errorf("IPv%d, order %v: counted %+v", version, order, s)
			}
		}
	}
}

// Fragments belong together by addresses, protocol, id and network.
func TestFragmentsOfOthers(t *testing.T) {
	parts := cut(signed4(hello)[:160])
	last := parts[1].ip4(9)
	for name, ip := range map[string][]byte{
		"id":          parts[1].ip4(10),
		"source":      edit(parts[1].ip4(9), 15, 77),
		"destination": edit(parts[1].ip4(9), 19, 77),
		"protocol":    edit(parts[1].ip4(9), 9, 47),
	} {
		p := NewParser(Limits{})
		var out Segment
		p.Parse(packet(rawIP, parts[0].ip4(9)), &out)
		if why := p.Parse(packet(rawIP, ip), &out); why != FragmentPending {
			t.Errorf("another %s: %v", name, why)
		}
		if why := p.Parse(packet(1, ethernetBytes(last, 7)), &out); why != FragmentPending {
			t.Errorf("another VLAN: %v", why)
		}
		if why := p.Parse(packet(rawIP, last), &out); why != OK {
			t.Errorf("its own: %v", why)
		}
	}
}

// A tunnel's outer packets in fragments, and fragments inside it.
func TestFragmentsOfATunnel(t *testing.T) {
	p := NewParser(Limits{})
	var out Segment
	why := OK
	for i, inner := range cut(signed4(hello)) {
		outer := vxlanBytes(inner.ip4(9))
		for _, o := range []part{{0, true, string(outer[:48])}, {48, false, string(outer[48:])}} {
			ip := edit(o.ip4(uint16(100+i)), 9, 17)
			why = p.Parse(packet(rawIP, ip), &out)
		}
	}
	if why != OK || string(out.Data) != hello || out.Checksum != Right || out.Tag == 0 {
		t.Errorf("%v, %q, checksum %v, tag %x", why, out.Data, out.Checksum, out.Tag)
	}
	if s := p.Stats(); s.Fragments.Assembled != 6 || s.Packets[FragmentPending] != 9 {
		t.Errorf("counted %+v", s)
	}
}

func TestFragmentsRefused(t *testing.T) {
	p := NewParser(Limits{FragmentBytes: 200})
	var out Segment
	short := part{0, true, hello[:80]}.ip4(1)
	for _, c := range []struct {
		name string
		ip   []byte
		want Reason
	}{
		{"not captured whole", short[:len(short)-1], FragmentCut},
		{"beyond 65,535 bytes", part{0x1fff * 8, false, "12345678"}.ip4(1), BadIP},
		{"larger than the limit for all", part{0, true, hello[:200]}.ip4(1), FragmentDropped},
		{"no fragment header", ip6Bytes(44, []byte("1234")), BadIP},
	} {
		if why := p.Parse(packet(rawIP, c.ip), &out); why != c.want {
			t.Errorf("%s: %v, want %v", c.name, why, c.want)
		}
	}
	if s := p.Stats().Fragments; s.Cut != 1 || s.Dropped != 1 || s.Pending != 0 {
		t.Errorf("counted %+v", s)
	}
}

func TestFragmentLimits(t *testing.T) {
	first := func(id uint16) []byte { return part{0, true, hello[:80]}.ip4(id) }
	for _, c := range []struct {
		name             string
		limits           Limits
		gap              time.Duration
		evicted, expired uint64
		pending, bytes   int
	}{
		{"within", Limits{}, time.Second, 0, 0, 10, 10 * (80 + pieceCost)},
		{"number", Limits{FragmentDatagrams: 4}, time.Second, 6, 0, 4, 4 * (80 + pieceCost)},
		{"bytes", Limits{FragmentBytes: 3 * (80 + pieceCost)}, time.Second, 7, 0, 3, 3 * (80 + pieceCost)},
		{"age", Limits{}, 10 * time.Second, 0, 6, 4, 4 * (80 + pieceCost)},
		{"age of one's own", Limits{FragmentAge: time.Second}, 2 * time.Second, 0, 9, 1, 80 + pieceCost},
	} {
		p := NewParser(c.limits)
		var out Segment
		for i := range 10 {
			pkt := packet(rawIP, first(uint16(i)))
			pkt.Time = int64(i) * int64(c.gap)
			if why := p.Parse(pkt, &out); why != FragmentPending {
				t.Fatalf("%s: %v", c.name, why)
			}
		}
		s := p.Stats().Fragments
		if s.Evicted != c.evicted || s.Expired != c.expired || s.Pending != c.pending || s.PendingBytes != c.bytes {
			t.Errorf("%s: %+v; want %+v", c.name, s, c)
		}
	}
}

// At the limit of number, a fragment of a packet already begun drives out none.
func TestFragmentLimitOfNumber(t *testing.T) {
	p := NewParser(Limits{FragmentDatagrams: 1})
	var out Segment
	for i, f := range cut(signed4(hello)) {
		if why := p.Parse(packet(rawIP, f.ip4(1)), &out); i == 4 && why != OK {
			t.Error(why)
		}
	}
}

// model is the dumbest datagram: a byte stays as the first fragment had it.
type model struct {
	data [2048]byte
	have [2048]bool
	end  int
}

func (m *model) insert(p part) {
	for i := range len(p.data) {
		if at := p.offset + i; !m.have[at] {
			m.data[at], m.have[at] = p.data[i], true
		}
	}
	if !p.more && m.end < 0 {
		m.end = p.offset + len(p.data)
	}
}

func (m *model) whole() []byte {
	for i := range m.end {
		if !m.have[i] {
			return nil
		}
	}
	return m.data[:max(m.end, 0)]
}

// Fragments at random, overlapping and contradicting each other.
func TestFragmentsAgainstModel(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	assembled := 0
	for round := range 3000 {
		d, m := datagram{end: unknownEnd}, model{end: -1}
		for range 40 {
			p := part{random.Intn(20) * 8, random.Intn(6) > 0, ""}
			b := make([]byte, random.Intn(90))
			random.Read(b)
			p.data = string(b)
			m.insert(p)
			d.insert(p.offset, p.more, &payload{data: b, length: len(b)})
			want := m.whole()
			if d.complete() != (m.end >= 0 && want != nil) {
				t.Fatalf("round %d: complete %v, model of %d bytes %v", round, d.complete(), m.end, want != nil)
			}
			if d.complete() {
				assembled++
				if got := d.assemble(nil); !bytes.Equal(got, want) {
					t.Fatalf("round %d: %x, want %x", round, got, want)
				}
				break
			}
		}
	}
	if assembled < 1000 {
		t.Errorf("only %d packets came together", assembled)
	}
}
