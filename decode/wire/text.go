package wire

import (
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendText appends the fields of a message for people to read, with the
// members of AppendJSON: "type=SEND send{producer_id=1 sequence_id=7}". Words
// stand as they are, other strings in quotes with control characters escaped;
// bytes are 0x and hexadecimal, an unknown field has its number as its name.
// Strings and bytes longer than o.MaxText are cut: "abc…(+1200)".
func (w *Walk) AppendText(dst []byte, parent int, o *Options) []byte {
	return w.appendFields(dst, int32(parent), o.orDefault())
}

func (w *Walk) appendFields(dst []byte, parent int32, o *Options) []byte {
	start := len(dst)
	for p := parent; ; {
		end := w.end(p)
		for c := p + 1; c < end; c = w.Nodes[c].Next {
			if w.Nodes[c].again {
				continue
			}
			if len(dst) > start {
				dst = append(dst, ' ')
			}
			dst = w.appendField(dst, c, o)
		}
		if p = w.another(p); p < 0 {
			return dst
		}
	}
}

// appendField appends the field whose first node is c.
func (w *Walk) appendField(dst []byte, c int32, o *Options) []byte {
	n := &w.Nodes[c]
	if n.Field == nil {
		return w.appendUnknownText(dst, n, o)
	}
	dst = append(dst, n.Field.Name...)
	if n.Field.Repeated {
		return append(w.appendElements(append(dst, "=["...), c, o), ']')
	}
	if n.Field.Kind == Message {
		return append(w.appendFields(append(dst, '{'), c, o), '}')
	}
	return w.appendScalar(append(dst, '='), w.final(c), o)
}

// AppendNodeText appends the value of a node that is no message, as AppendText
// shows it.
func (w *Walk) AppendNodeText(dst []byte, n *Node, o *Options) []byte {
	if n.Field == nil {
		return w.appendUnknownValue(dst, n, o.orDefault())
	}
	return w.appendScalar(dst, n, o.orDefault())
}

func (w *Walk) appendElements(dst []byte, c int32, o *Options) []byte {
	for {
		n := &w.Nodes[c]
		if n.Field.Kind == Message {
			dst = append(w.appendFields(append(dst, '{'), c, o), '}')
		} else {
			dst = w.appendScalar(dst, n, o)
		}
		if c = n.Same; c == 0 {
			return dst
		}
		dst = append(dst, ' ')
	}
}

func (w *Walk) appendScalar(dst []byte, n *Node, o *Options) []byte {
	switch n.Field.Kind {
	case Uint64, Uint32:
		return strconv.AppendUint(dst, n.Uint(), 10)
	case Int64, Int32:
		return strconv.AppendInt(dst, n.Int64(), 10)
	case Bool:
		return strconv.AppendBool(dst, n.Value != 0)
	case Double:
		return strconv.AppendFloat(dst, math.Float64frombits(n.Value), 'g', -1, 64)
	case Enumeration:
		if name := n.Field.Enum.Value(int32(n.Value)); name != "" {
			return append(dst, name...)
		}
		return strconv.AppendInt(dst, n.Int64(), 10)
	}
	return w.appendTextString(dst, n, o)
}

func (w *Walk) appendTextString(dst []byte, n *Node, o *Options) []byte {
	value := w.Bytes(n)
	switch {
	case n.Field.Secret && !o.ShowSecrets:
		return AppendRedacted(dst, value)
	case n.Field.Kind == Bytes:
		return appendHex(dst, value, o.MaxText)
	}
	return AppendVisible(dst, value, o.MaxText)
}

func (w *Walk) appendUnknownText(dst []byte, n *Node, o *Options) []byte {
	return w.appendUnknownValue(append(strconv.AppendInt(dst, int64(n.Number), 10), '='), n, o)
}

func (w *Walk) appendUnknownValue(dst []byte, n *Node, o *Options) []byte {
	if n.WireType == Len {
		return appendHex(dst, w.Bytes(n), o.MaxText)
	}
	return strconv.AppendUint(dst, n.Value, 10)
}

func appendHex(dst, value []byte, most int) []byte {
	shown := value
	if most > 0 && len(value) > most {
		shown = value[:most]
	}
	dst = hex.AppendEncode(append(dst, "0x"...), shown)
	return appendRest(dst, len(value)-len(shown))
}

// appendRest tells how many bytes of a value are not shown.
func appendRest(dst []byte, bytes int) []byte {
	if bytes == 0 {
		return dst
	}
	dst = append(dst, "…(+"...)
	return append(strconv.AppendInt(dst, int64(bytes), 10), ')')
}

// AppendVisible appends text from the wire for people: as it is if it is a
// plain word, else in quotes, with everything escaped that a terminal could
// obey or that is not UTF-8. More than most bytes (0: no limit) are cut,
// between two characters.
func AppendVisible(dst, s []byte, most int) []byte {
	shown := s
	if most > 0 && len(s) > most {
		shown = s[:most]
		for i := 0; i < utf8.UTFMax && len(shown) > 0 && !utf8.RuneStart(s[len(shown)]); i++ {
			shown = shown[:len(shown)-1]
		}
	}
	if isWord(shown) {
		dst = append(dst, shown...)
	} else {
		dst = append(appendPrintable(append(dst, '"'), shown), '"')
	}
	return appendRest(dst, len(s)-len(shown))
}

// isWord tells whether s can stand in text without quotes.
func isWord(s []byte) bool {
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || notInWords[c] {
			return false
		}
	}
	return len(s) > 0
}

var notInWords = [256]bool{'"': true, '\\': true, '{': true, '}': true, '[': true, ']': true, '<': true}

func appendPrintable(dst, s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = hex.AppendEncode(append(dst, `\x`...), s[:1])
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case strconv.IsPrint(r):
			dst = append(dst, s[:size]...)
		default:
			quoted := strconv.AppendQuoteRune(dst, r) // 'x', with the escape in it
			dst = append(quoted[:len(dst)], quoted[len(dst)+1:len(quoted)-1]...)
		}
		s = s[size:]
	}
	return dst
}
