package capture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

var bothOrders = []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}

func wantPackets(t *testing.T, got []Packet, want ...Packet) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestPcapngBlocks has every block that gives packets, and those that are
// skipped, in two sections.
func TestPcapngBlocks(t *testing.T) {
	for _, order := range bothOrders {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			f := &fileBuilder{order: order}
			f.section().iface(1, 0).iface(276, 0, option{9, []byte{9}}, option{14, order.AppendUint64(nil, 10)})
			f.epb(0, 1_000_001, []byte("abcde"), 60)
			f.block(0xbad, func() { f.u32(0, 0) }).block(4, func() {}).block(0x1234567, func() { f.u32(1) })
			f.block(2, func() { f.u16(1, 7).u32(0, 5, 4, 4).bytes([]byte("wxyz")...) })
			timeless := len(f.section().iface(101, 3).b)
			f.spb([]byte("xyz"), 100).epb(0, 2_000_000, nil, 0)
			got := readBytes(t, f.b)
			got.warned(t, 4, int64(timeless))
			wantPackets(t, got.packets,
				Packet{Number: 1, Time: 1_000_001_000, Link: 1, Data: []byte("abcde"), OrigLen: 60},
				Packet{Number: 2, Time: 10_000_000_005, Link: 276, Interface: 1, Data: []byte("wxyz"), OrigLen: 4},
				Packet{Number: 3, Time: 10_000_000_005, TimeUnknown: true, Link: 101, Data: []byte("xyz"), OrigLen: 100},
				Packet{Number: 4, Time: 2_000_000_000, Link: 101, Data: []byte{}, OrigLen: 0})
		})
	}
}

// TestPcapngTimeless begins with packets without a time.
func TestPcapngTimeless(t *testing.T) {
	f := (&fileBuilder{order: binary.BigEndian}).section()
	f.iface(1, 0).spb([]byte("ab"), 2).epb(0, 7, []byte("c"), 1).spb([]byte("d"), 1)
	got := readBytes(t, f.b)
	got.warned(t, 3, 48)
	wantPackets(t, got.packets,
		Packet{Number: 1, TimeUnknown: true, Link: 1, Data: []byte("ab"), OrigLen: 2},
		Packet{Number: 2, Time: 7000, Link: 1, Data: []byte("c"), OrigLen: 1},
		Packet{Number: 3, Time: 7000, TimeUnknown: true, Link: 1, Data: []byte("d"), OrigLen: 1})
}

// TestPcapngUnusable counts packets that cannot be given out.
func TestPcapngUnusable(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).section()
	f.spb([]byte("no interface yet"), 16)
	f.block(1, func() { f.u32(1) }) // too short to tell a snap length
	f.iface(1, 0)
	f.epb(0, 1, []byte("a"), 1).epb(2, 1, []byte("b"), 1)
	f.block(6, func() { f.u32(1, 0, 0) })
	f.block(3, func() {})
	f.epb(1, 1, []byte("c"), 1)
	f.block(6, func() { f.u32(1, 0, 1, 99, 99).bytes('d', 0, 0, 0) })
	got := readBytes(t, f.b)
	wantPackets(t, got.packets,
		Packet{Number: 6, Time: 1000, Link: 1, Interface: 1, Data: []byte("c"), OrigLen: 1},
		Packet{Number: 7, Time: 1000, Link: 1, Interface: 1, Data: []byte("d\x00\x00\x00"), OrigLen: 99})
	var told []string
	for _, w := range got.warnings {
		told = append(told, fmt.Sprint(w.Packet, " ", w.Text))
	}
	want := []string{
		"1 no interface is described: the packet is left out",
		"1 an interface description of 4 bytes is too short",
		"2 interface 0 is not described: the packet is left out",
		"3 interface 2 is not described: the packet is left out",
		"4 a packet block of 12 bytes is too short",
		"5 no interface is described: the packet is left out",
		"7 the packet has 99 bytes, its block only 4",
	}
	if !slices.Equal(told, want) || len(got.errs) > 0 {
		t.Errorf("got\n%s\nwant\n%s\nerrors %v", strings.Join(told, "\n"), strings.Join(want, "\n"), got.errs)
	}
}

func TestPcapngManyWarnings(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).section()
	for range maxWarnings + 5 {
		f.epb(3, 0, nil, 0)
	}
	got := readBytes(t, f.b)
	if len(got.warnings) != maxWarnings+1 {
		t.Fatal(len(got.warnings))
	}
	if text := got.warnings[maxWarnings].Text; !strings.HasPrefix(text, "5 more warnings") {
		t.Error(text)
	}
}

// TestPcapngSections skips a section of a version that is not known, and says so.
func TestPcapngSections(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).section()
	f.iface(1, 0).epb(0, 1, []byte("a"), 1)
	second := len(f.b)
	f.sectionOf(2).iface(1, 0).epb(0, 2, []byte("b"), 1)
	f.section().iface(1, 0).epb(0, 3, []byte("c"), 1)
	got := readBytes(t, f.b)
	got.warned(t, 2, int64(second))
	if want := "a section of pcapng version 2.0 is skipped: only 1.x is known"; got.warnings[0].Text != want {
		t.Error(got.warnings[0].Text)
	}
	if string(got.packets[1].Data) != "c" {
		t.Error(got.packets)
	}

	f = (&fileBuilder{order: binary.LittleEndian}).sectionOf(3)
	if got := readBytes(t, f.iface(1, 0).b); len(got.errs) != 1 || len(got.warnings) != 1 {
		t.Errorf("nothing else in it: errors %v, warnings %v", got.errs, got.warnings)
	}
}

// TestPcapngInterfacesEndWithTheirSection names an interface of the section before.
func TestPcapngInterfacesEndWithTheirSection(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).section().iface(1, 0)
	at := len(f.section().b)
	f.epb(0, 1, []byte("a"), 1)
	readBytes(t, f.b).warned(t, 0, int64(at))
}

func TestPcapngLengthAtTheEnd(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).section().iface(1, 0)
	at := len(f.b)
	f.epb(0, 1, []byte("a"), 1)
	f.b[len(f.b)-4]++
	f.epb(0, 1, []byte("b"), 1)
	readBytes(t, f.b).warned(t, 2, int64(at))
}

func TestPcapngSecrets(t *testing.T) {
	f := (&fileBuilder{order: binary.BigEndian}).section()
	keys := "CLIENT_RANDOM 00 11\n"
	f.block(10, func() { f.u32(0x544c534b, uint32(len(keys))).bytes([]byte(keys)...).pad(len(keys)) })
	f.block(10, func() { f.u32(0x57474b4c, 4).bytes([]byte("wgkl")...) }) // of WireGuard
	f.block(10, func() { f.u32(0x544c534b, 1_000_000).bytes([]byte("more")...) })
	f.block(10, func() { f.u32(1) })
	got := readBytes(t, f.b)
	got.sound(t, 0)
	if texts := fmt.Sprintf("%q", got.source.Secrets()); texts != `["CLIENT_RANDOM 00 11\n" "more"]` {
		t.Error(texts)
	}
}

func TestPcapngStatistics(t *testing.T) {
	for _, order := range bothOrders {
		f := (&fileBuilder{order: order}).section().iface(1, 0, option{2, []byte("eth0")}).iface(1, 0)
		count := func(n uint64) []byte { return order.AppendUint64(nil, n) }
		isb := func(id uint32, o ...option) { f.block(5, func() { f.u32(id, 0, 0).options(o...) }) }
		isb(0, option{4, count(10)}, option{5, count(1)})
		isb(1, option{7, count(7)})
		isb(0, option{4, count(20)}, option{5, count(1 << 40)}, option{99, count(5)}, option{7, []byte{1}})
		isb(9, option{4, count(1)})
		f.block(5, func() { f.u32(0) })
		f.section().iface(1, 0, option{2, []byte("lo")})
		isb(0, option{4, count(3)})
		got := readBytes(t, f.b)
		got.sound(t, 0)
		want := []InterfaceStats{
			{Section: 0, Interface: 0, Name: "eth0", Received: 20, Dropped: 1 << 40},
			{Section: 0, Interface: 1, OSDropped: 7},
			{Section: 1, Interface: 0, Name: "lo", Received: 3},
		}
		if st := got.source.Stats().Files[0].Interfaces; !slices.Equal(st, want) {
			t.Errorf("%v: got %+v, want %+v", order, st, want)
		}
	}
}

// TestPcapngCut cuts a file at every byte.
func TestPcapngCut(t *testing.T) {
	const head, block = 48, 72 // section and interface; a packet of 40 bytes
	whole := pcapngBytes(5, 40)
	full := readBytes(t, whole).packets
	if len(whole) != head+5*block || len(full) != 5 {
		t.Fatal(len(whole), len(full))
	}
	for n := range whole {
		if n < pcapngFrame {
			if _, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(whole[:n])}); err == nil {
				t.Errorf("%d bytes are taken for a capture", n)
			}
			continue
		}
		past := max(n-head, 0)
		checkPrefix(t, n, readBytes(t, whole[:n]), full, past/block, max(past%block-8-packetHead, -1))
	}
}

// TestPcapngTail puts what is no block behind the last one.
func TestPcapngTail(t *testing.T) {
	whole := pcapngBytes(4, 33)
	for name, tail := range map[string][]byte{
		"zeros":      make([]byte, 4000),
		"ones":       bytes.Repeat([]byte{0xff}, 12),
		"cut":        {6, 0, 0},
		"odd length": {6, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0},
		"bad magic":  []byte("\x0a\x0d\x0d\x0a\x1c\x00\x00\x00abcd"),
		"text":       []byte(strings.Repeat("no block at all. ", 100)),
	} {
		t.Run(name, func(t *testing.T) {
			readBytes(t, append(slices.Clone(whole), tail...)).warned(t, 4, int64(len(whole)))
		})
	}
}

// TestPcapngDamage damages the middle of a file.
func TestPcapngDamage(t *testing.T) {
	const head, block, before = 48, 72, 10
	at := head + before*block
	whole := pcapngBytes(20, 40)
	set := func(offset int, b ...byte) func([]byte) []byte {
		return func(f []byte) []byte { copy(f[at+offset:], b); return f }
	}
	insert := func(b ...byte) func([]byte) []byte {
		return func(f []byte) []byte { return slices.Insert(f, at, b...) }
	}
	for name, damage := range map[string]func([]byte) []byte{
		"header of ones":        set(0, bytes.Repeat([]byte{0xff}, 8)...),
		"header of zeros":       set(0, make([]byte, 8)...),
		"absurd length":         set(4, 0xfc, 0xff, 0xff, 0x7f),
		"length beyond the end": set(4, 0x00, 0x00, 0x01, 0x00),
		"odd bytes between":     insert(bytes.Repeat([]byte{0xee}, 13)...),
		"zeros between":         insert(make([]byte, 512)...),
		"bad section":           insert([]byte("\x0a\x0d\x0d\x0a\x1c\x00\x00\x00abcd")...),
	} {
		t.Run(name, func(t *testing.T) {
			got := readBytes(t, damage(slices.Clone(whole)))
			got.broken(t, before, int64(at))
			if !strings.Contains(got.errs[0].Error(), "blocks begin again at byte ") {
				t.Error(got.errs[0])
			}
		})
	}
}

// TestPcapngAgainstGopacket compares what gopacket writes with what it reads.
func TestPcapngAgainstGopacket(t *testing.T) {
	data := gopacketPcapng(t)
	r, err := pcapgo.NewNgReader(bytes.NewReader(data), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	want := gopacketPackets(t, r, r.LinkType())
	got := readBytes(t, data)
	got.sound(t, len(want))
	if !samePackets(got.packets, want) {
		t.Error("the packets differ")
	}
}

func gopacketPcapng(t testing.TB) []byte {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		ci := gopacket.CaptureInfo{Timestamp: time.Unix(1_700_000_000, int64(i)*1001), CaptureLength: i * 7, Length: i*7 + i%3}
		if err := w.WritePacket(ci, numbered(i, max(i*7, 4))[:i*7]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPcapngLargeBlocks has blocks longer than the read buffer.
func TestPcapngLargeBlocks(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).section().iface(1, 0)
	f.block(0xbad, func() { f.bytes(make([]byte, 3<<20)...) })
	f.epb(0, 1, numbered(9, 5<<20), 5<<20).epb(0, 2, []byte("a"), 1)
	got := readFrom(t, io.MultiReader(bytes.NewReader(f.b)))
	got.sound(t, 2)
	if !bytes.Equal(got.packets[0].Data, numbered(9, 5<<20)) {
		t.Error("the bytes of the large packet differ")
	}
}
