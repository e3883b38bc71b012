package scrub

import (
	"encoding/binary"
	"net/netip"

	"pulsar-dissect/decode"
)

// preface gives the bytes of a PROXY preface with other addresses; nil where they
// cannot be made.
func (s *Streams) preface(p *decode.Proxy) []byte {
	if p.Version == 1 {
		b := []byte(s.names.freeText(p.Line) + "\r\n")
		if int64(len(b)) != p.Length {
			return nil
		}
		return b
	}
	return s.prefaceV2(p)
}

// Commands and families of version 2 (HAProxy's specification, section 2.2).
const (
	signatureV2 = "\r\n\r\n\x00\r\nQUIT\n"
	localV2     = 0x20
	proxyV2     = 0x21
	tcp4        = 0x11
	tcp6        = 0x21
)

func (s *Streams) prefaceV2(p *decode.Proxy) []byte {
	b := []byte(signatureV2)
	if p.Command == "LOCAL" {
		b = append(b, localV2)
	} else {
		b = append(b, proxyV2)
	}
	family := byte(0)
	switch {
	case !p.Source.IsValid():
	case p.Source.Addr().Unmap().Is4():
		family = tcp4
	default:
		family = tcp6
	}
	b = append(b, family)
	b = binary.BigEndian.AppendUint16(b, uint16(p.Length-int64(len(signatureV2))-4))
	if family != 0 {
		b = s.appendAddresses(b, p.Source, p.Destination)
	}
	for _, t := range p.TLVs {
		value := []byte(s.names.text(string(t.Value)))
		b = append(binary.BigEndian.AppendUint16(append(b, t.Type), uint16(len(value))), value...)
	}
	if int64(len(b)) != p.Length {
		return nil
	}
	return b
}

func (s *Streams) appendAddresses(b []byte, source, destination netip.AddrPort) []byte {
	b = append(b, s.names.address(source.Addr()).AsSlice()...)
	b = append(b, s.names.address(destination.Addr()).AsSlice()...)
	b = binary.BigEndian.AppendUint16(b, source.Port())
	return binary.BigEndian.AppendUint16(b, destination.Port())
}
