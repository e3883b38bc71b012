package segment

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"strings"
	"testing"
)

func TestSum(t *testing.T) {
	random := make([]byte, 700)
	rand.New(rand.NewSource(1)).Read(random)
	for _, data := range [][]byte{random, bytes.Repeat([]byte{0xff}, 700), make([]byte, 700)} {
		for size := range 600 {
			b := data[size%8 : size%8+size]
			want := plainSum(b)
			if got, _ := sum(b); got != want {
				t.Fatalf("%d bytes of %x...: %04x, want %04x", size, data[0], got, want)
			}
		}
	}
}

func put(tcp []byte, checksum uint16) []byte {
	binary.BigEndian.PutUint16(tcp[checksumAt:], checksum)
	return tcp
}

func TestChecksum(t *testing.T) {
	size := len(tcpBytes(hello))
	sumOf4 := func(length int) uint16 { return plainSum(pseudo(address4[0], address4[1], length)) }
	sumOf6 := func(length int) uint16 { return plainSum(pseudo(address6[0], address6[1], length)) }
	for _, c := range []struct {
		name string
		ip   []byte
		want Checksum
	}{
		{"IPv4, right", ip4Bytes(6, 1, 0, signed4(hello)), Right},
		{"IPv4, right, odd length", ip4Bytes(6, 1, 0, signed4("odd")), Right},
		{"IPv4, 0", ip4Bytes(6, 1, 0, put(tcpBytes(hello), 0)), Partial},
		{"IPv4, pseudo header", ip4Bytes(6, 1, 0, put(tcpBytes(hello), sumOf4(size))), Partial},
		{"IPv4, pseudo header without length", ip4Bytes(6, 1, 0, put(tcpBytes(hello), sumOf4(0))), Partial},
		{"IPv4, wrong", ip4Bytes(6, 1, 0, put(tcpBytes(hello), 0xbeef)), Wrong},
		{"IPv4, sum of other addresses", ip4Bytes(6, 1, 0, signed6(hello)), Wrong},
		{"IPv6, right", ip6Bytes(6, signed6(hello)), Right},
		{"IPv6, 0", ip6Bytes(6, put(tcpBytes(hello), 0)), Partial},
		{"IPv6, pseudo header", ip6Bytes(6, put(tcpBytes(hello), sumOf6(size))), Partial},
		{"IPv6, pseudo header without length", ip6Bytes(6, put(tcpBytes(hello), sumOf6(0))), Partial},
		{"IPv6, wrong", ip6Bytes(6, put(tcpBytes(hello), 0xbeef)), Wrong},
		{"IPv4, right but for one byte", flipped(ip4Bytes(6, 1, 0, signed4(hello))), Wrong},
	} {
		if got, why := parse(rawIP, c.ip); why != OK || got.Checksum != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got.Checksum, why, c.want)
		}
	}
}

func flipped(b []byte) []byte {
	b[len(b)-1] ^= 0x10
	return b
}

// A segment above 64 KiB (BIG TCP) does not fit the 16 bits of IPv4's pseudo header.
func TestChecksumAbove64K(t *testing.T) {
	tcp := tcpBytes(strings.Repeat("x", 80000))
	folded := binary.BigEndian.AppendUint32(nil, uint32(len(tcp)))
	for _, c := range []struct {
		name     string
		checksum uint16
		want     Checksum
	}{
		{"low half of the length", plainSum(pseudo(address4[0], address4[1], len(tcp))), Partial},
		{"all of the length", plainSum(append(pseudo(address4[0], address4[1], 0), folded...)), Partial},
		{"wrong", 0xbeef, Wrong},
	} {
		got, why := parse(rawIP, ip4Bytes(6, 1, 0, put(tcp, c.checksum)))
		if why != OK || got.Length != 80000 || got.Checksum != c.want {
			t.Errorf("%s: %d bytes, %v, %v; want %v", c.name, got.Length, got.Checksum, why, c.want)
		}
	}
}

// Where one byte, or one word of 8, is another, and where two blocks of 128 bytes
// or two words behind the last block change places, the fingerprint is another.
func TestPrintTellsApart(t *testing.T) {
	random := make([]byte, 700)
	rand.New(rand.NewSource(1)).Read(random)
	for size := range 600 {
		b := bytes.Clone(random[:size])
		want := PrintOf(b)
		for i := range b {
			b[i] ^= 0x40
			checkPrint(t, b, want)
			b[i] ^= 0x40
		}
		for i := 0; i+8 <= size; i += 8 {
			word := *(*[8]byte)(b[i:])
			clear(b[i : i+8])
			zeros := PrintOf(b)
			copy(b[i:], bytes.Repeat([]byte{0xff}, 8))
			checkPrint(t, b, zeros)
			copy(b[i:], word[:])
		}
	}
	swapped := append(append(bytes.Clone(random[128:256]), random[:128]...), random[256:]...)
	checkPrint(t, swapped, PrintOf(random))
	copy(swapped, random[:256])
	copy(swapped[640:], random[648:656])
	copy(swapped[648:], random[640:648])
	checkPrint(t, swapped, PrintOf(random))
}

func checkPrint(t *testing.T, b []byte, other Print) {
	t.Helper()
	if PrintOf(b) == other {
		t.Fatalf("%d bytes: the same fingerprint as of others", len(b))
	}
}
