//go:build linux

package live

import (
	"encoding/binary"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// networkInterface is what the kernel tells of an interface (rtnetlink(7), RTM_NEWLINK).
type networkInterface struct {
	index uint32
	name  string
	up    bool
	lost  uint64 // packets it had no room for
}

// Offsets in struct rtnl_link_stats64 (linux/if_link.h) of what libpcap counts as
// dropped by the interface, too.
const (
	statsFIFOErrors = 14 * 8
	statsMissed     = 15 * 8
	statsSize       = 16 * 8
)

// interfaces asks the kernel for all interfaces.
func interfaces() ([]networkInterface, error) {
	answer, err := syscall.NetlinkRIB(syscall.RTM_GETLINK, syscall.AF_UNSPEC)
	if err != nil {
		return nil, fmt.Errorf("the interfaces of this machine cannot be listed: %w", err)
	}
	var all []networkInterface
	return all, eachLink(answer, func(i networkInterface, _ bool) { all = append(all, i) })
}

// eachLink reads messages of the kernel about interfaces.
func eachLink(messages []byte, tell func(i networkInterface, gone bool)) error {
	parsed, err := syscall.ParseNetlinkMessage(messages)
	if err != nil {
		return err
	}
	for i := range parsed {
		m := &parsed[i]
		if m.Header.Type != syscall.RTM_NEWLINK && m.Header.Type != syscall.RTM_DELLINK || len(m.Data) < syscall.SizeofIfInfomsg {
			continue
		}
		attributes, err := syscall.ParseNetlinkRouteAttr(m)
		if err != nil {
			return err
		}
		tell(linkOf(m.Data, attributes), m.Header.Type == syscall.RTM_DELLINK)
	}
	return nil
}

// linkOf reads struct ifinfomsg and its attributes.
func linkOf(head []byte, attributes []syscall.NetlinkRouteAttr) networkInterface {
	order := binary.NativeEndian
	i := networkInterface{index: order.Uint32(head[4:]), up: order.Uint32(head[8:])&unix.IFF_UP != 0}
	for _, a := range attributes {
		switch {
		case a.Attr.Type == unix.IFLA_IFNAME:
			i.name, _, _ = strings.Cut(string(a.Value), "\x00")
		case a.Attr.Type == unix.IFLA_STATS64 && len(a.Value) >= statsSize:
			i.lost = order.Uint64(a.Value[statsFIFOErrors:]) + order.Uint64(a.Value[statsMissed:])
		}
	}
	return i
}

// news is a socket on which the kernel tells of changes.
func news() (int, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return -1, err
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: unix.RTMGRP_LINK}); err != nil {
		_ = unix.Close(fd) // err says more
		return -1, err
	}
	return fd, nil
}
