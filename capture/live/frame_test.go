package live

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// slot is a packet as it lies in a block: its header, and the packet behind room
// for a tag.
func slot(hardware uint16, status uint32, packet []byte, original int) []byte {
	const mac, tag = 86, 0x2007
	b := make([]byte, mac, mac+len(packet))
	order := binary.NativeEndian
	order.PutUint32(b[atSeconds:], 1_700_000_000)
	order.PutUint32(b[atNanos:], 123)
	order.PutUint32(b[atCaptured:], uint32(len(packet)))
	order.PutUint32(b[atOriginal:], uint32(original))
	order.PutUint32(b[atStatus:], status)
	order.PutUint16(b[atMAC:], mac)
	order.PutUint16(b[atNet:], mac+14)
	order.PutUint32(b[atTag:], tag)
	order.PutUint16(b[atTagType:], 0x88a8)
	order.PutUint32(b[atIndex:], 7)
	order.PutUint16(b[atHardware:], hardware)
	return append(b, packet...)
}

func TestFrame(t *testing.T) {
	packet := []byte("destinsource\x08\x00network and more")
	tagged := func(kind string) []byte {
		return []byte("destinsource" + kind + "\x20\x07\x08\x00network and more")
	}
	for _, c := range []struct {
		name     string
		slot     []byte
		link     int
		data     []byte
		original int
	}{
		{"Ethernet", slot(1, 0, packet, 100), 1, packet, 100},
		{"loopback", slot(772, 0, packet, 100), 1, packet, 100},
		{"tag taken out", slot(1, statusTag|statusType, packet, 100), 1, tagged("\x88\xa8"), 104},
		{"tag taken out by an old kernel", slot(1, statusTag, packet, 100), 1, tagged("\x81\x00"), 104},
		{"no Ethernet header", slot(65534, 0, packet, 100), 101, packet[14:], 86},
		{"no Ethernet header, tag", slot(65534, statusTag, packet, 100), 101, packet[14:], 86},
		{"shorter than its header", slot(65534, 0, packet[:5], 5), 101, nil, 0},
		{"Ethernet, too short for a tag", slot(1, statusTag, packet[:11], 11), 1, packet[:11], 11},
	} {
		var f frame
		if !f.parse(c.slot) {
			t.Errorf("%s: refused", c.name)
			continue
		}
		if int(f.link) != c.link || !bytes.Equal(f.data, c.data) || c.data != nil && f.original != c.original {
			t.Errorf("%s: link %d, %q, %d bytes", c.name, f.link, f.data, f.original)
		}
		if f.index != 7 || f.seconds != 1_700_000_000 || f.nanos != 123 {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// FuzzFrame: whatever lies in a block, a frame lies within it.
func FuzzFrame(f *testing.F) {
	f.Add(slot(1, statusTag, []byte("destinsource\x08\x00network"), 60))
	f.Add(slot(65534, 0, []byte("x"), 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		var x frame
		size := len(b)
		if x.parse(b) && (len(x.data) > size || x.next > size) {
			t.Errorf("%d bytes, next %d, of %d", len(x.data), x.next, size)
		}
	})
}
