package scrub

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"strings"
)

// names replaces texts by others of the same length.
type names struct {
	seed      []byte
	texts     map[string]string
	used      map[string]bool // replacements that have been given
	addresses map[netip.Addr]netip.Addr
	given     map[netip.Addr]bool
	known     []string // texts that may stand within others, as words
}

// rememberedTexts is how many texts are kept, so that two never become the same;
// beyond it they may.
const rememberedTexts = 1 << 20

func newNames(seed []byte) *names {
	return &names{seed: seed, texts: map[string]string{}, used: map[string]bool{}, addresses: map[netip.Addr]netip.Addr{},
		given: map[netip.Addr]bool{}}
}

// source gives random numbers that depend on a text and on what it is for.
func (n *names) source(what string, text []byte, round byte) *rand.Rand {
	mac := hmac.New(sha256.New, n.seed)
	mac.Write([]byte{byte(len(what)), round})
	mac.Write([]byte(what))
	mac.Write(text)
	return rand.New(rand.NewChaCha8([32]byte(mac.Sum(nil))))
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// rounds is how often another replacement is tried where one is taken.
const rounds = 64

// text replaces a text by letters. Trailing signs of Base64 stay.
func (n *names) text(original string) string {
	body := strings.TrimRight(original, "=")
	if body == "" {
		return original
	}
	if r, ok := n.texts[original]; ok {
		return r
	}
	var replaced string
	for round := range byte(rounds) {
		r := n.source("text", []byte(original), round)
		b := make([]byte, len(body))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		replaced = string(b) + original[len(body):]
		if !n.used[replaced] && replaced != original {
			break
		}
	}
	if len(n.texts) < rememberedTexts {
		n.texts[original], n.used[replaced] = replaced, true
	}
	return replaced
}

// fill overwrites bytes with letters that depend on what they were.
func (n *names) fill(b []byte) {
	r := n.source("payload", b, 0)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
}

// random overwrites bytes with bytes that depend on what they were.
func (n *names) random(b []byte) {
	r := n.source("bytes", b, 0)
	for i := 0; i < len(b); i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], r.Uint64())
		copy(b[i:], word[:])
	}
}

// address replaces an address by one whose text is as long, so that it fits
// wherever that stands.
func (n *names) address(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if r, ok := n.addresses[a]; ok {
		return r
	}
	replaced := a
	for round := range byte(rounds) {
		replaced = n.another(a, round)
		if replaced != a && !n.given[replaced] {
			break
		}
	}
	if len(n.addresses) < rememberedTexts {
		n.addresses[a], n.given[replaced] = replaced, true
	}
	return replaced
}

// another gives an address with as many digits in each of its parts.
func (n *names) another(a netip.Addr, round byte) netip.Addr {
	r := n.source("address", a.AsSlice(), round)
	text := a.String()
	for range rounds {
		b := []byte(text)
		if a.Is4() {
			digits(r, b)
		} else {
			hexDigits(r, b)
		}
		if got, err := netip.ParseAddr(string(b)); err == nil && got.String() == string(b) && got != a && got.Is4() == a.Is4() {
			return got
		}
	}
	return a
}

// digits replaces each number by one with as many digits.
func digits(r *rand.Rand, b []byte) {
	for i := range b {
		switch first := i == 0 || b[i-1] == '.'; {
		case b[i] == '.':
		case first && i+2 < len(b) && b[i+1] != '.' && b[i+2] != '.':
			b[i] = byte('1' + r.IntN(2))
		case first:
			b[i] = byte('1' + r.IntN(9))
		default:
			b[i] = byte('0' + r.IntN(10))
		}
	}
}

func hexDigits(r *rand.Rand, b []byte) {
	const hex = "123456789abcdef"
	for i := range b {
		if b[i] != ':' && b[i] != '.' {
			b[i] = hex[r.IntN(len(hex))]
		}
	}
}

// inText are what may be addresses in a text.
var inText = regexp.MustCompile(`\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|[0-9a-fA-F]*(?::[0-9a-fA-F]*){2,7}`)

// freeText replaces addresses within a text, and known texts.
func (n *names) freeText(text string) string {
	text = inText.ReplaceAllStringFunc(text, func(word string) string {
		a, err := netip.ParseAddr(word)
		if err != nil {
			return word
		}
		if r := n.address(a).String(); len(r) == len(word) {
			return r
		}
		return strings.Repeat("f", len(word))
	})
	for _, k := range n.known {
		text = replaceWord(text, k, n.texts[k])
	}
	return text
}

// replaceWord replaces a text by one as long wherever it stands between other
// signs than letters and digits.
func replaceWord(text, word, by string) string {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return text
		}
		i += at
		if at = i + len(word); !isLetter(text, i-1) && !isLetter(text, at) {
			text = text[:i] + by + text[at:]
		}
	}
}

func isLetter(text string, i int) bool {
	return i >= 0 && i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z')
}

// knownTexts is how many texts are looked for within others.
const knownTexts = 1000

// shortestKnown is how long such a text is at least: shorter ones are in many
// words.
const shortestKnown = 4

// remember has a text replaced where it stands within others, too.
func (n *names) remember(original string) {
	if _, ok := n.texts[original]; !ok && len(original) >= shortestKnown && len(n.known) < knownTexts {
		n.known = append(n.known, original)
	}
}
