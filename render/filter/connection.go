package filter

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"pulsar-dissect/session"
)

// parseConn reads a conn_id, also as the views show it (c7), an address, an address with a port, or a part of
// a connection's name.
func parseConn(value string) (predicate, error) {
	if value == "" {
		return nil, errors.New("an empty text names no connection")
	}
	if id, err := strconv.ParseInt(strings.TrimPrefix(value, "c"), 10, 0); err == nil {
		return func(_ *Filter, e *session.Event) bool { return int64(e.Conn.ID) == id }, nil
	}
	if ip, err := netip.ParseAddr(strings.Trim(value, "[]")); err == nil {
		return eitherEnd(func(a netip.AddrPort) bool { return a.Addr() == ip.Unmap() }), nil
	}
	if end, err := netip.ParseAddrPort(value); err == nil {
		return eitherEnd(func(a netip.AddrPort) bool { return a.Addr() == end.Addr().Unmap() && a.Port() == end.Port() }), nil
	}
	return func(_ *Filter, e *session.Event) bool { return strings.Contains(e.Conn.Name, value) }, nil
}

func eitherEnd(is func(netip.AddrPort) bool) predicate {
	return func(_ *Filter, e *session.Event) bool {
		ends := &e.Conn.TCP.Ends
		return is(ends[0].AddrPort()) || is(ends[1].AddrPort())
	}
}
