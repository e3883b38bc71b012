package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

func (j *JSON) proxy(dst []byte, e *session.Event) []byte {
	p := e.Proxy
	dst = number(dst, `,"version":`, int64(p.Version))
	dst = text(dst, `,"command":`, p.Command)
	if p.Source.IsValid() {
		dst = text(dst, `,"source":`, p.Source.String())
		dst = text(dst, `,"destination":`, p.Destination.String())
	}
	dst = append(dst, `,"tlvs":[`...)
	for i, t := range p.TLVs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = number(dst, `{"type":`, int64(t.Type))
		dst = append(base64Field(dst, `,"value":`, t.Value), '}')
	}
	return append(dst, ']')
}

func (j *JSON) connection(dst []byte, e *session.Event) []byte {
	c := e.Conn
	dst = text(dst, `,"protocol":`, c.Protocol.String())
	dst = text(dst, `,"role_from":`, c.RoleFrom)
	dst = encryption(dst, c)
	dst = present(dst, `,"client_version":`, c.ClientVersion)
	dst = present(dst, `,"server_version":`, c.ServerVersion)
	dst = versions(dst, c)
	dst = present(dst, `,"auth_method":`, c.AuthMethod)
	if c.Proxy != nil && c.Proxy.Source.IsValid() {
		dst = text(dst, `,"proxied_client":`, c.Proxy.Source.String())
	}
	dst = legs(dst, c)
	dst = j.clock.append(append(dst, `,"start":`...), c.TCP.First.Time)
	dst = j.clock.append(append(dst, `,"end":`...), c.TCP.Last.Time)
	dst = closeFields(dst, c)
	for _, d := range []decode.Direction{decode.ClientToServer, decode.ServerToClient} {
		dst = append(append(append(dst, `,"`...), d.String()...), `":`...)
		dst = half(dst, c, d)
	}
	if c.TCP.Evicted {
		dst = append(dst, `,"evicted":true`...)
	}
	return dst
}

// legs appends the other legs at proxies.
func legs(dst []byte, c *session.Conn) []byte {
	open := `,"proxy_legs":[`
	for _, l := range c.Legs {
		dst = text(append(dst, open...), `{"role":`, l.Role.String())
		dst = number(dst, `,"conn_id":`, int64(l.Other))
		dst = append(text(dst, `,"told_by":`, l.ToldBy), '}')
		open = ","
	}
	if open == "," {
		dst = append(dst, ']')
	}
	return dst
}

func versions(dst []byte, c *session.Conn) []byte {
	if c.ClientProtocol < 0 && c.ServerProtocol < 0 {
		return dst
	}
	dst = append(dst, `,"protocol_version":{`...)
	sep := ""
	for _, v := range []struct {
		name  string
		value int32
	}{{"client", c.ClientProtocol}, {"server", c.ServerProtocol}, {"lower", lower(c)}} {
		if v.value >= 0 {
			dst = number(append(dst, sep...), `"`+v.name+`":`, int64(v.value))
			sep = ","
		}
	}
	return append(dst, '}')
}

// lower is the version that both sides understand, -1 if one is not known.
func lower(c *session.Conn) int32 { return min(c.ClientProtocol, c.ServerProtocol) }

// closeFields appends how the connection ended, and by which side.
func closeFields(dst []byte, c *session.Conn) []byte {
	how, by := closing(c)
	dst = append(append(append(dst, `,"close":"`...), how...), '"')
	if by != reassembly.Nobody {
		dst = text(dst, `,"closed_by":`, sideName(c, by))
	}
	return dst
}

// half appends what one direction counted.
func half(dst []byte, c *session.Conn, d decode.Direction) []byte {
	side := c.Client
	if d == decode.ServerToClient {
		side = side.Other()
	}
	s := &c.TCP.Sides[side]
	dst = number(dst, `{"bytes":`, s.Bytes)
	dst = unsigned(dst, `,"packets":`, s.Packets)
	dst = unsigned(dst, `,"retransmitted":`, s.Retransmitted)
	dst = unsigned(dst, `,"out_of_order":`, s.OutOfOrder)
	dst = number(dst, `,"gap_bytes":`, s.GapBytes)
	dst = unsigned(dst, `,"frames":`, c.Frames[d])
	dst = number(dst, `,"unsynced_bytes":`, c.SkippedBytes[d])
	for _, extra := range []struct {
		name  string
		value uint64
	}{{"early_bytes", uint64(s.EarlyBytes)}, {"conflicts", s.Conflicts}, {"wrong_checksums", s.WrongChecksums}, {"zero_windows", s.ZeroWindows}} {
		if extra.value > 0 {
			dst = unsigned(dst, `,"`+extra.name+`":`, extra.value)
		}
	}
	if b := c.FirstBytes[side]; len(b) > 0 && c.Protocol != decode.Pulsar {
		dst = append(hexBytes(append(dst, `,"first_bytes":"`...), b), '"')
	}
	return append(dst, '}')
}
