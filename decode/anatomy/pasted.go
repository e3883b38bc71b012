package anatomy

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Notation is how bytes are written down as text.
type Notation string

// The notations.
const (
	Dump    Notation = "dump"    // lines of offsets and bytes: xxd, hexdump -C, tcpdump -X, tshark -x, Netty's
	Hex     Notation = "hex"     // digits, with what people put between them
	Escapes Notation = "escapes" // a literal with \x00
	Numbers Notation = "numbers" // [0, 25, -1], as Java and Go print arrays
	Base64  Notation = "base64"  // of either alphabet, padded or not
	Raw     Notation = "raw"     // the bytes themselves
)

// notations are tried in this order.
var notations = []struct {
	name Notation
	read func(text string) ([]byte, bool)
}{
	{Dump, readDump},
	{Numbers, readNumbers},
	{Escapes, readEscapes},
	{Hex, readHex},
	{Base64, readBase64},
	{Raw, func(text string) ([]byte, bool) { return []byte(text), true }},
}

// Notations lists the names of all notations.
func Notations() (names []Notation) {
	for i := range notations {
		names = append(names, notations[i].name)
	}
	return names
}

// ReadAs reads bytes that are written down in a notation.
func ReadAs(n Notation, text []byte) ([]byte, error) {
	for i := range notations {
		if notations[i].name != n {
			continue
		}
		if data, ok := notations[i].read(string(text)); ok {
			return data, nil
		}
	}
	return nil, fmt.Errorf("the text cannot be read as %s", n)
}

// ReadAny reads bytes in whatever notation they are written down: the first one
// that gives bytes of a known form, else the first that gives any. What is no
// text is taken as it is.
func ReadAny(text []byte) (data []byte, n Notation) {
	if !isText(text) {
		return text, Raw
	}
	for i := range notations {
		got, ok := notations[i].read(string(text))
		if !ok || len(got) == 0 {
			continue
		}
		if _, _, known := Guess(got); known {
			return got, notations[i].name
		}
		if n == "" {
			data, n = got, notations[i].name
		}
	}
	return data, n
}

// between are what people and programs put between hexadecimal bytes.
var between = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", ":", "", "-", "", ",", "", "0x", "", "0X", "", "_", "")

func readHex(text string) ([]byte, bool) {
	data, err := hex.DecodeString(between.Replace(text))
	return data, err == nil && len(data) > 0
}

// alphabets are turned into one; padding is left out.
var alphabets = strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "", "\r", "", "\n", "")

func readBase64(text string) ([]byte, bool) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(alphabets.Replace(text), "="))
	return data, err == nil && len(data) > 0
}

// readNumbers reads numbers from -128 to 255 in brackets.
func readNumbers(text string) (data []byte, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return nil, false
	}
	for _, word := range strings.FieldsFunc(text[1:len(text)-1], func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }) {
		n, err := strconv.ParseInt(word, 0, 16)
		if err != nil || n < -128 || n > 255 {
			return nil, false
		}
		data = append(data, byte(n))
	}
	return data, true
}

// escapes are those of one letter.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '0': 0, 'a': 7, 'b': 8, 'f': 12, 'v': 11, '\\': '\\', '\'': '\'', '"': '"'}

// readEscapes reads the inside of a literal of Python, C or Go.
func readEscapes(text string) (data []byte, ok bool) {
	if !strings.Contains(text, `\x`) {
		return nil, false
	}
	text = strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "b"), `'"`)
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			data = append(data, text[i])
			continue
		}
		if i++; i == len(text) {
			return nil, false
		}
		if text[i] == 'x' {
			n, err := strconv.ParseUint(text[i+1:min(i+3, len(text))], 16, 8)
			if err != nil || i+3 > len(text) {
				return nil, false
			}
			data, i = append(data, byte(n)), i+2
			continue
		}
		c, known := escapes[text[i]]
		if !known {
			return nil, false
		}
		data = append(data, c)
	}
	return data, true
}

// dumpLine is a line of a dump: an offset and what follows it.
var dumpLine = regexp.MustCompile(`^[\s|]*(?:0x)?([0-9a-fA-F]{4,16})[:|]?[ \t](.*)$`)

// dumpWord are bytes in a line, up to two spaces behind those before; text
// stands further right.
var dumpWord = regexp.MustCompile(`^[ \t]{0,2}((?:[0-9a-fA-F]{2})+)(?:[ \t|]|$)`)

// mostInLine is how many bytes a line of a dump has at most.
const mostInLine = 16

// row is a line of a dump.
type row struct {
	at    uint64
	bytes []byte
}

// readDump reads the lines that begin with an offset. Text that looks like bytes
// is told by the offset of the line behind it.
func readDump(text string) (data []byte, ok bool) {
	var rows []row
	for _, line := range strings.Split(text, "\n") {
		m := dumpLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			continue
		}
		at, err := strconv.ParseUint(m[1], 16, 64)
		if b := dumpBytes(m[2]); err == nil && len(b) > 0 {
			rows = append(rows, row{at, b})
		}
	}
	for i := range rows {
		b := rows[i].bytes
		if i+1 < len(rows) {
			n := rows[i+1].at - rows[i].at
			if n == 0 || n > uint64(len(b)) {
				return nil, false
			}
			b = b[:n]
		}
		data = append(data, b...)
	}
	return data, len(rows) > 0 && rows[0].at == 0
}

func dumpBytes(text string) (data []byte) {
	text = strings.TrimLeft(text, " \t")
	for len(data) < mostInLine {
		m := dumpWord.FindStringSubmatch(text)
		if m == nil {
			break
		}
		b, err := hex.DecodeString(m[1])
		if err != nil {
			break
		}
		data = append(data, b...)
		text = text[strings.Index(text, m[1])+len(m[1]):]
	}
	return data[:min(len(data), mostInLine)]
}
