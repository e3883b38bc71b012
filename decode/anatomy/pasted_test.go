package anatomy

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// The frame of a PING with its empty sub-command, 13 bytes.
const ping = "00000009000000050812920100"

func TestReadAny(t *testing.T) {
	for _, x := range []struct {
		text     string
		notation Notation
		want     string // hexadecimal
	}{
		{ping, Hex, ping},
		{"00 00 00 09 00 00 00 05 08 12 92 01 00\n", Hex, ping},
		{"00:00:00:09:00:00:00:05:08:12:92:01:00", Hex, ping},
		{"0x00, 0x00, 0x00, 0x09, 0x00,0x00,0x00,0x05,0x08,0x12,0x92,0x01,0x00", Hex, ping},
		{"AAAACQAAAAUIEpIBAA==", Base64, ping},
		{"AAAACQAAAAUIEpIBAA", Base64, ping},
		{"CDMQAg", Base64, "08331002"},
		{`b'\x00\x00\x00\t\x00\x00\x00\x05\x08\x12\x92\x01\x00'`, Escapes, ping},
		{"[0, 0, 0, 9, 0, 0, 0, 5, 8, 18, -110, 1, 0]", Numbers, ping},
		{"[0 0 0 9 0 0 0 5 8 18 146 1 0]", Numbers, ping},
		{"00000000: 0000 0009 0000 0005 0812 9201 00         .............\n", Dump, ping},
		{"00000000  00 00 00 09 00 00 00 05  08 12 92 01 00           |.............|\n0000000d\n", Dump, ping},
		{"\t0x0000:  0000 0009 0000 0005 0812 9201 00\n", Dump, ping},
		{"0000  00 00 00 09 00 00 00 05  ab cd ef\n0008  08 12 92 01 00           .....", Dump, ping},
		{"         +-------------------------------------------------+\n         |  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |\n" +
			"+--------+-------------------------------------------------+----------------+\n" +
			"|00000000| 00 00 00 09 00 00 00 05 08 12 92 01 00          |.............   |\n", Dump, ping},
		{"\x00\x00\x00\x09\x00\x00\x00\x05\x08\x12\x92\x01\x00", Raw, ping},
	} {
		got, n := ReadAny([]byte(x.text))
		if n != x.notation || hex.EncodeToString(got) != x.want {
			t.Errorf("%q: %s, %x; want %s, %s", x.text, n, got, x.notation, x.want)
		}
		if got, err := ReadAs(x.notation, []byte(x.text)); err != nil || hex.EncodeToString(got) != x.want {
			t.Errorf("%q as %s: %x, %v", x.text, x.notation, got, err)
		}
	}
	for _, x := range []struct {
		as   Notation
		text string
	}{{Hex, "0g"}, {Hex, "123"}, {Base64, "a"}, {Numbers, "[256]"}, {Numbers, "1 2"}, {Escapes, `\x0`}, {Escapes, `\x00\q`}, {Dump, "hello"}, {"no", ""}} {
		if got, err := ReadAs(x.as, []byte(x.text)); err == nil {
			t.Errorf("%q as %s: %x", x.text, x.as, got)
		}
	}
}

// What is written as hexadecimal, with anything between, is read back.
func FuzzReadAny(f *testing.F) {
	f.Add([]byte("00000000: 0000 0009"), []byte{0, 1})
	f.Add([]byte(`b'\x00'`), []byte{255})
	f.Add([]byte("[1, 2]"), []byte{})
	f.Fuzz(func(t *testing.T, text, data []byte) {
		ReadAny(text)
		if len(data) == 0 {
			return
		}
		for _, written := range []string{hex.EncodeToString(data), strings.ToUpper(hex.EncodeToString(data))} {
			if got, err := ReadAs(Hex, []byte(written)); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%q: %x, %v", written, got, err)
			}
		}
	})
}
