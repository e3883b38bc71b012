package jsontext

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStrings(t *testing.T) {
	for _, v := range []struct{ in, want string }{
		{"", `""`},
		{"persistent://public/default/topic", `"persistent://public/default/topic"`},
		{`a"b\c`, `"a\"b\\c"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x1f\x7f", `"\u0000\u001f\u007f"`},
		{"\u0080\u009f\u00a0", `"\u0080\u009f` + "\u00a0" + `"`},
		{"ä世🙂\u2027", "\"ä世🙂\u2027\""},
		{"\u202etxt.exe\u2066\u200f\u061c\u2028", `"\u202etxt.exe\u2066\u200f\u061c\u2028"`},
		{"\u200d\u2070\u0627", "\"\u200d\u2070\u0627\""},
		{"<&>'/", `"<&>'/"`},
		{"long and plain, then \x01", `"long and plain, then \u0001"`},
		{"a\xffb", `"hex:61ff62"`},
		{"cut: \xe4\xb8", `"hex:6375743a20e4b8"`},
		{"surrogate \xed\xa0\x80", `"hex:737572726f6761746520eda080"`},
		{"overlong \xc0\x80", `"hex:6f7665726c6f6e6720c080"`},
		{"\ufffd", "\"\ufffd\""},
	} {
		if got := string(AppendString(nil, []byte(v.in))); got != v.want {
			t.Errorf("%q: got %s, want %s", v.in, got, v.want)
		}
		if got := string(AppendText([]byte("x"), v.in)); got != "x"+v.want {
			t.Errorf("%q as a string: got %s, want %s", v.in, got, v.want)
		}
	}
}

// Each byte at each place of the 8 that are looked at together.
func TestEveryByteAtEveryPlace(t *testing.T) {
	for c := range 256 {
		for place := range 19 {
			s := []byte(strings.Repeat("a", 19))
			s[place] = byte(c)
			checkString(t, s)
		}
	}
}

func checkString(t *testing.T, s []byte) {
	t.Helper()
	got := AppendString(nil, s)
	var back string
	if err := json.Unmarshal(got, &back); err != nil || !utf8.Valid(got) {
		t.Fatalf("%q: %v in %q", s, err, got)
	}
	for _, r := range string(got) {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			t.Fatalf("%q: control character in %q", s, got)
		}
	}
	if utf8.Valid(s) && back != string(s) || !utf8.Valid(s) && !strings.HasPrefix(back, "hex:") {
		t.Fatalf("%q: reads back as %q", s, back)
	}
}

func TestFloats(t *testing.T) {
	for _, v := range []struct {
		in   float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "-0"}, {1, "1"}, {-1.5, "-1.5"}, {1e20, "100000000000000000000"}, {1e21, "1e+21"},
		{1e-6, "0.000001"}, {1e-7, "1e-07"}, {math.MaxFloat64, "1.7976931348623157e+308"},
		{math.NaN(), `"NaN"`}, {math.Inf(1), `"Infinity"`}, {math.Inf(-1), `"-Infinity"`},
	} {
		got := string(AppendFloat(nil, v.in))
		if got != v.want || !json.Valid([]byte(got)) {
			t.Errorf("%g: got %s, want %s", v.in, got, v.want)
		}
	}
}

func TestBase64(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		want, _ := json.Marshal(b)
		if got := AppendBase64([]byte("x"), b); string(got) != "x"+string(want) {
			t.Errorf("%x: got %s, want x%s", b, got, want)
		}
	}
}

func FuzzString(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte("esc\x1b[2J \xc2\x9b \xf0\x9f\x99"))
	f.Fuzz(func(t *testing.T, s []byte) { checkString(t, s) })
}

func BenchmarkString(b *testing.B) {
	for name, s := range map[string]string{
		"plain17": "standalone-12-345", "plain60": strings.Repeat("abcdefghij", 6), "accents": strings.Repeat("größer ", 6), "quotes": strings.Repeat(`{"a":1}`, 6),
	} {
		b.Run(name, func(b *testing.B) {
			var out []byte
			in := []byte(s)
			for b.Loop() {
				out = AppendString(out[:0], in)
			}
		})
	}
}
