package jsontext

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"unicode/utf8"
	"unsafe"
)

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become
// "hex:" and their hexadecimal digits.
func AppendString(dst, s []byte) []byte {
	if i := plain(s); i < len(s) {
		return appendEscaped(dst, s, i)
	}
	return AppendPlain(dst, s)
}

// AppendText is AppendString of a string.
func AppendText(dst []byte, s string) []byte {
	return AppendString(dst, unsafe.Slice(unsafe.StringData(s), len(s)))
}

// AppendBase64 appends b as a JSON string in standard base64 (RFC 4648,
// section 4, with padding), as protobuf's JSON mapping has it.
func AppendBase64(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// AppendHex appends b as the JSON string "hex:" and its digits.
func AppendHex(dst, b []byte) []byte {
	dst = append(dst, `"hex:`...)
	dst = hex.AppendEncode(dst, b)
	return append(dst, '"')
}

// mustEscape marks the bytes that a JSON string cannot have as they are, or
// that need a closer look (0x80 and above).
var mustEscape = func() (t [256]bool) {
	for c := range t {
		t[c] = c < 0x20 || c >= 0x7f || c == '"' || c == '\\'
	}
	return t
}()

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Plain tells whether s can stand in a JSON string as it is: ASCII without
// control characters, quotes and backslashes.
func Plain(s []byte) bool { return plain(s) == len(s) }

// AppendPlain appends s, which is Plain, as a JSON string.
func AppendPlain(dst, s []byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// plain returns how many bytes of s can stand in a JSON string as they are,
// up to 7 fewer where the rest cannot. It looks at 8 bytes at a time: a byte
// of x-ones*n borrows into its high bit when it is below n.
func plain(s []byte) int {
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		x := binary.LittleEndian.Uint64(s[i:])
		quote, backslash, del := x^ones*'"', x^ones*'\\', x^ones*0x7f
		if (x|(x-ones*0x20)|(quote-ones)|(backslash-ones)|(del-ones))&highs != 0 {
			return i
		}
	}
	for ; i < len(s); i++ {
		if mustEscape[s[i]] {
			return i
		}
	}
	return i
}

// short holds the escapes of two characters.
var short = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendEscaped appends s, the first i bytes of which need no escape.
func appendEscaped(dst, s []byte, i int) []byte {
	if !utf8.Valid(s[i:]) {
		return AppendHex(dst, s)
	}
	dst = append(dst, '"')
	dst = append(dst, s[:i]...)
	for done := i; ; i++ {
		for i < len(s) && !mustEscape[s[i]] {
			i++
		}
		dst = append(dst, s[done:i]...)
		if i == len(s) {
			return append(dst, '"')
		}
		dst, i = appendSpecial(dst, s, i)
		done = i + 1
	}
}

// appendSpecial appends the character at s[i], escaped if need be, and
// returns the position of its last byte.
func appendSpecial(dst, s []byte, i int) ([]byte, int) {
	c := s[i]
	switch {
	case short[c] != 0:
		return append(dst, '\\', short[c]), i
	case c < 0x80:
		return appendCode(dst, c), i
	case c == 0xc2 && s[i+1] < 0xa0: // U+0080 to U+009F
		return appendCode(dst, s[i+1]), i + 1
	case c == 0xe2 && (s[i+1] == 0x80 || s[i+1] == 0x81), c == 0xd8 && s[i+1] == 0x9c:
		return appendTurning(dst, s, i)
	}
	return append(dst, c), i
}

// appendTurning appends a character of general punctuation, or U+061C: escaped
// if it Turns the text around it.
func appendTurning(dst, s []byte, i int) ([]byte, int) {
	r, size := utf8.DecodeRune(s[i:])
	if !Turns(r) {
		return append(dst, s[i:i+size]...), i + size - 1
	}
	const digits = "0123456789abcdef"
	dst = append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
	return dst, i + size - 1
}

// Turns says whether a character turns the text around it (Bidi_Control, Unicode
// Standard Annex 9) or is a line separator.
func Turns(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// appendCode appends the escape of character c.
func appendCode(dst []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}
