package capture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

func TestPcapVariants(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, tc := range []struct {
			name  string
			magic uint32
			extra []byte // of a record header
			time  int64  // of fraction 123456
		}{
			{"microseconds", 0xa1b2c3d4, nil, 1_700_000_001_123456000},
			{"nanoseconds", 0xa1b23c4d, nil, 1_700_000_001_000123456},
			{"modified", 0xa1b2cd34, make([]byte, 8), 1_700_000_001_123456000},
		} {
			t.Run(fmt.Sprintf("%s %v", tc.name, order), func(t *testing.T) {
				f := (&fileBuilder{order: order}).pcapHeader(tc.magic, 65535, 0xffff0114)
				for _, data := range []string{"abc", "defg"} {
					f.u32(1_700_000_001, 123456, uint32(len(data)), 60).bytes(tc.extra...).bytes([]byte(data)...)
				}
				got := readBytes(t, f.b)
				got.sound(t, 2)
				want := []Packet{
					{Number: 1, Time: tc.time, Link: 276, Data: []byte("abc"), OrigLen: 60},
					{Number: 2, Time: tc.time, Link: 276, Data: []byte("defg"), OrigLen: 60},
				}
				if fmt.Sprint(got.packets) != fmt.Sprint(want) {
					t.Errorf("got %v, want %v", got.packets, want)
				}
			})
		}
	}
}

// TestPcapTimes holds the ends of the range of a 32-bit second.
func TestPcapTimes(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).pcapHeader(0xa1b23c4d, 0, 1)
	f.record(0, 0, []byte{1}, 1).record(0, 5, []byte{1}, 1).record(4294967295, 999_999_999, []byte{1}, 1)
	got := readBytes(t, f.b)
	got.sound(t, 3)
	for i, want := range []int64{0, 5, 4294967295_999999999} {
		if got.packets[i].Time != want {
			t.Errorf("packet %d at %d, want %d", i+1, got.packets[i].Time, want)
		}
	}
}

// TestPcapAgainstGopacket compares a real file, and one as gopacket writes it,
// with what gopacket reads.
func TestPcapAgainstGopacket(t *testing.T) {
	for name, data := range map[string][]byte{"real": basePcap(t), "written": gopacketPcap(t)} {
		t.Run(name, func(t *testing.T) {
			r, err := pcapgo.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			want := gopacketPackets(t, r, r.LinkType())
			got := readBytes(t, data)
			got.sound(t, len(want))
			if !samePackets(got.packets, want) {
				t.Error("the packets differ")
			}
		})
	}
}

func gopacketPcap(t testing.TB) []byte {
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	if err := w.WriteFileHeader(1000, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		ci := gopacket.CaptureInfo{Timestamp: time.Unix(1_700_000_000, int64(i)*1000), CaptureLength: i * 20, Length: i*20 + i%3}
		if err := w.WritePacket(ci, numbered(i, max(i*20, 4))[:i*20]); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// gopacketPackets reads all packets of one of gopacket's readers.
func gopacketPackets(t testing.TB, r gopacket.PacketDataSource, link layers.LinkType) (all []Packet) {
	for {
		data, ci, err := r.ReadPacketData()
		if err != nil {
			if len(all) == 0 {
				t.Fatal(err)
			}
			return all
		}
		all = append(all, Packet{Time: ci.Timestamp.UnixNano(), Link: LinkType(link), Data: data, OrigLen: ci.Length})
	}
}

// TestPcapCut cuts a file at every byte: packets before the cut are all there,
// and what is there of the one that it hits.
func TestPcapCut(t *testing.T) {
	whole := pcapBytes(5, 40)
	full := readBytes(t, whole).packets
	for n := range whole {
		s, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(whole[:n])})
		if n < pcapHeaderSize {
			if err == nil {
				t.Errorf("%d bytes are taken for a capture", n)
			}
			continue
		}
		if err != nil {
			t.Fatal(n, err)
		}
		s.Close()
		got := readBytes(t, whole[:n])
		checkPrefix(t, n, got, full, (n-24)/56, max((n-24)%56-16, -1))
	}
}

// checkPrefix holds a cut file against the whole one: whole packets of it, and
// part bytes of the next, or none if part is below 0.
func checkPrefix(t *testing.T, n int, got reading, full []Packet, whole, part int) {
	t.Helper()
	want := slices.Clone(full[:whole])
	if part >= 0 {
		last := full[whole]
		last.FileEnds = part < len(last.Data)
		last.Data = last.Data[:min(part, len(last.Data))]
		want = append(want, last)
	}
	if len(got.errs) > 0 || !samePackets(got.packets, want) {
		t.Errorf("cut at %d: %d packets, want %d; errors %v", n, len(got.packets), len(want), got.errs)
	}
}

// TestPcapTail puts what is no packet behind the last one.
func TestPcapTail(t *testing.T) {
	whole := pcapBytes(7, 60)
	for name, tail := range map[string][]byte{
		"ones":           bytes.Repeat([]byte{0xff}, 16),
		"zeros":          make([]byte, 4096),
		"few zeros":      make([]byte, 16),
		"cut header":     {1, 2, 3},
		"text":           []byte(strings.Repeat("no packet at all. ", 100)),
		"long garbage":   bytes.Repeat([]byte{0xa5, 0x5a, 0x77}, 300_000),
		"in many doubts": {9, 9, 9, 9, 255, 255, 255, 0, 100, 0, 0, 0, 50, 0, 0, 0, 1, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			got := readBytes(t, append(slices.Clone(whole), tail...))
			got.warned(t, 7, int64(len(whole)))
		})
	}
}

// TestPcapDamage damages the middle of a file: everything before it is given
// out, then an error that tells the place.
func TestPcapDamage(t *testing.T) {
	const packets, size, record, before = 20, 60, 76, 10
	at := pcapHeaderSize + before*record
	whole := pcapBytes(packets, size)
	set := func(offset int, b ...byte) func([]byte) []byte {
		return func(f []byte) []byte { copy(f[at+offset:], b); return f }
	}
	insert := func(b ...byte) func([]byte) []byte {
		return func(f []byte) []byte { return slices.Insert(f, at, b...) }
	}
	for name, damage := range map[string]func([]byte) []byte{
		"header of ones":        set(0, bytes.Repeat([]byte{0xff}, 16)...),
		"header of zeros":       set(0, make([]byte, 16)...),
		"absurd length":         set(8, 0xff, 0xff, 0xff, 0x7f),
		"length beyond the end": set(8, 0x00, 0x10, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00),
		"odd bytes between":     insert(bytes.Repeat([]byte{0xee}, 13)...),
		"zeros between":         insert(make([]byte, 512)...),
		"megabytes between":     insert(bytes.Repeat([]byte{0xee}, 3<<20)...),
	} {
		t.Run(name, func(t *testing.T) {
			got := readBytes(t, damage(slices.Clone(whole)))
			got.broken(t, before, int64(at))
			if text := got.errs[0].Error(); !strings.Contains(text, "standard input: byte 784, packet 10: the file is damaged: ") ||
				!strings.Contains(text, "begin again at byte ") {
				t.Error(text)
			}
		})
	}
}

// TestPcapDamageNearTheEnd leaves only one packet behind the damage.
func TestPcapDamageNearTheEnd(t *testing.T) {
	whole := pcapBytes(3, 60)
	copy(whole[24+76:], bytes.Repeat([]byte{0xff}, 16))
	got := readBytes(t, whole)
	got.broken(t, 1, 24+76)
	if want := "packets begin again at byte 176"; !strings.Contains(got.errs[0].Error(), want) {
		t.Errorf("%v, want %s", got.errs[0], want)
	}
}

// TestPcapFarDamage has more garbage than is searched.
func TestPcapFarDamage(t *testing.T) {
	whole := pcapBytes(3, 60)
	got := readBytes(t, append(whole, bytes.Repeat([]byte{0xee}, resyncDistance+1)...))
	got.broken(t, 3, 24+3*76)
}

// TestPcapHabits reads what is unusual and yet meant: the records after it agree.
func TestPcapHabits(t *testing.T) {
	data := numbered(1, 50)
	for name, odd := range map[string]func(f *fileBuilder){
		"more captured than there was": func(f *fileBuilder) { f.record(100, 0, data, 20) },
		"fraction beyond a second":     func(f *fileBuilder) { f.record(100, 5_000_000, data, 50) },
		"nothing on the wire":          func(f *fileBuilder) { f.record(100, 0, nil, 0) },
		"years between":                func(f *fileBuilder) { f.record(1_500_000_000, 0, data, 50).record(7, 0, data, 50) },
		"longer than snap lengths":     func(f *fileBuilder) { f.record(100, 0, make([]byte, 5<<20), 5<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			f := (&fileBuilder{order: binary.LittleEndian}).pcapHeader(0xa1b2c3d4, 65535, 1)
			f.record(100, 0, data, 50)
			for range 3 {
				odd(f)
			}
			f.record(100, 0, data, 50)
			got := readBytes(t, f.b)
			if len(got.packets) < 5 || len(got.errs) > 0 || len(got.warnings) > 0 {
				t.Errorf("%d packets, errors %v, warnings %v", len(got.packets), got.errs, got.warnings)
			}
		})
	}
}

// TestPcapPutTogether reads files put one after another.
func TestPcapPutTogether(t *testing.T) {
	second := (&fileBuilder{order: binary.BigEndian}).pcapHeader(0xa1b23c4d, 0, 101).record(1, 2, []byte("raw"), 3)
	first := pcapBytes(2, 40)
	got := readBytes(t, append(first, second.b...))
	got.warned(t, 3, int64(len(first)))
	if p := got.packets[2]; p.Link != 101 || p.Time != 1_000_000_002 || p.Number != 3 {
		t.Errorf("%+v", p)
	}
}

func TestPcapOfAnotherVersion(t *testing.T) {
	f := pcapBytes(2, 40)
	f[4] = 7
	readBytes(t, f).warned(t, 2, 4)
}
