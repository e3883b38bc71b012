package decode

import (
	"bytes"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Proxy is a PROXY protocol preface (HAProxy's specification, versions 1 and
// 2), as a proxy sends it ahead of the client's first bytes.
type Proxy struct {
	Version     int
	Command     string // PROXY or LOCAL
	Source      netip.AddrPort
	Destination netip.AddrPort
	TLVs        []TLV
	Length      int64 // bytes
	Line        string
}

// TLV is one extra value of a version 2 preface.
type TLV struct {
	Type  byte
	Value []byte
}

// Sizes of PROXY prefaces, in bytes.
const (
	proxyLineLongest = 108 // with CR LF and room for a mistake of one byte
	proxyHeaderSize  = 16
)

var (
	proxyV1Signature = []byte("PROXY")
	proxyV2Signature = []byte("\r\n\r\n\x00\r\nQUIT\n")
	httpMethods      = []string{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"}
	httpStarts       = []string{"HTTP/1.", "HTTP/2.", "PRI * HTTP/2.0"}
)

// opening is what the first bytes of a stream turn out to be.
type opening uint8

const (
	openingUndecided opening = iota // more bytes are needed
	openingPulsar                   // nothing else: frames are tried
	openingTLS
	openingHTTP
	openingProxy
	openingBookie
)

// openingOf tells what begins with b. final: no more bytes will come. For a
// PROXY preface it is given as well.
func openingOf(b []byte, final bool) (opening, *Proxy) {
	switch {
	case len(b) == 0:
		return openingUndecided, nil
	case couldBe(b, proxyV1Signature) || couldBe(b, proxyV2Signature):
		if p := parseProxy(b); p != nil {
			return openingProxy, p
		}
		if !final && len(b) < proxyLineLongest && !bytes.Contains(b, []byte("\n")) || !final && proxyV2Short(b) {
			return openingUndecided, nil
		}
	case tlsByte(b[0]):
		if len(b) < 3 && !final {
			return openingUndecided, nil
		}
	}
	switch {
	case isTLS(b):
		return openingTLS, nil
	case isHTTP(b):
		return openingHTTP, nil
	case len(b) < 16 && !final && strings.IndexByte("GPDHO", b[0]) >= 0:
		return openingUndecided, nil
	}
	return openingPulsar, nil
}

// couldBe says whether b begins with the signature, as far as both go.
func couldBe(b, signature []byte) bool {
	n := min(len(b), len(signature))
	return bytes.Equal(b[:n], signature[:n])
}

// proxyV2Short says whether a version 2 preface may still become whole.
func proxyV2Short(b []byte) bool {
	if !couldBe(b, proxyV2Signature) {
		return false
	}
	return len(b) < proxyHeaderSize || len(b) < proxyHeaderSize+int(b[14])<<8+int(b[15])
}

func tlsByte(b byte) bool { return b >= 0x14 && b <= 0x17 }

// isTLS recognises the header of a TLS record (RFC 8446, section 5.1).
func isTLS(b []byte) bool { return len(b) >= 3 && tlsByte(b[0]) && b[1] == 3 && b[2] <= 4 }

func isHTTP(b []byte) bool {
	start := string(b[:min(len(b), 16)])
	word, _, ends := strings.Cut(start, " ")
	if ends && slices.Contains(httpMethods, word) {
		return true
	}
	return slices.ContainsFunc(httpStarts, func(s string) bool { return strings.HasPrefix(start, s) })
}

// midstream tells whether bytes from the middle of a stream are of another
// protocol: a chain of TLS records, or HTTP.
func midstream(b []byte) opening {
	p, records := 0, 0
	for p+5 <= len(b) && isTLS(b[p:]) {
		p += 5 + int(b[p+3])<<8 + int(b[p+4])
		if records++; records >= 3 {
			break
		}
	}
	switch {
	case records >= 2 || records == 1 && p >= len(b):
		return openingTLS
	case isHTTP(b):
		return openingHTTP
	}
	return openingPulsar
}

// parseProxy reads a whole preface at the start of b, or gives nil.
func parseProxy(b []byte) *Proxy {
	if bytes.HasPrefix(b, proxyV1Signature) {
		end := bytes.Index(b[:min(len(b), proxyLineLongest)], []byte("\r\n"))
		if end < 0 {
			return nil
		}
		return parseProxyLine(string(b[:end]))
	}
	if len(b) < proxyHeaderSize || !bytes.HasPrefix(b, proxyV2Signature) || b[12]>>4 != 2 {
		return nil
	}
	n := proxyHeaderSize + int(b[14])<<8 + int(b[15])
	if len(b) < n {
		return nil
	}
	p := &Proxy{Version: 2, Length: int64(n), Command: "LOCAL"}
	if b[12]&15 == 1 {
		p.Command = "PROXY"
	}
	p.addresses(b[13], b[proxyHeaderSize:n])
	return p
}

// parseProxyLine reads a version 1 preface: PROXY TCP4 from to port port.
func parseProxyLine(line string) *Proxy {
	p := &Proxy{Version: 1, Command: "PROXY", Line: line, Length: int64(len(line)) + 2}
	w := strings.Split(line, " ")
	if len(w) == 6 {
		p.Source = addrPort(w[2], w[4])
		p.Destination = addrPort(w[3], w[5])
	}
	return p
}

func addrPort(addr, port string) netip.AddrPort {
	a, err := netip.ParseAddr(addr)
	n, err2 := strconv.ParseUint(port, 10, 16)
	if err != nil || err2 != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(a, uint16(n))
}

// addresses reads the address block of a version 2 preface and the TLVs behind
// it. family: 1x is IPv4, 2x is IPv6.
func (p *Proxy) addresses(family byte, b []byte) {
	size := map[byte]int{1: 4, 2: 16}[family>>4]
	if size == 0 || len(b) < 2*size+4 {
		return
	}
	from, _ := netip.AddrFromSlice(b[:size])
	to, _ := netip.AddrFromSlice(b[size : 2*size])
	ports := b[2*size:]
	p.Source = netip.AddrPortFrom(from, uint16(ports[0])<<8|uint16(ports[1]))
	p.Destination = netip.AddrPortFrom(to, uint16(ports[2])<<8|uint16(ports[3]))
	for b = ports[4:]; len(b) >= 3; {
		n := int(b[1])<<8 | int(b[2])
		if n > len(b)-3 {
			return
		}
		p.TLVs = append(p.TLVs, TLV{b[0], bytes.Clone(b[3 : 3+n])})
		b = b[3+n:]
	}
}
