//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// link is a pair of interfaces: what is sent from one comes in at the other.
type link struct {
	near, far string
	fd        int
}

func newLink() (*link, error) {
	l := &link{near: fmt.Sprintf("soak%da", os.Getpid()%100000), far: fmt.Sprintf("soak%db", os.Getpid()%100000)}
	for _, command := range [][]string{
		{"link", "add", l.near, "mtu", "65535", "type", "veth", "peer", "name", l.far, "mtu", "65535"},
		{"link", "set", l.near, "up"},
		{"link", "set", l.far, "up"},
	} {
		if out, err := exec.Command("ip", command...).CombinedOutput(); err != nil {
			return nil, errors.Join(fmt.Errorf("ip %v: %w: %s", command, err, out), l.remove())
		}
	}
	if err := l.open(); err != nil {
		return nil, errors.Join(err, l.remove())
	}
	return l, nil
}

// open makes the socket that packets are sent by: past the queues of the kernel,
// as programs that make load do.
func (l *link) open() (err error) {
	i, err := net.InterfaceByName(l.near)
	if err != nil {
		return err
	}
	if l.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(l.fd, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 1); err != nil {
		return err
	}
	return unix.Bind(l.fd, &unix.SockaddrLinklayer{Ifindex: i.Index})
}

func (l *link) remove() error {
	return exec.Command("ip", "link", "del", l.near).Run()
}

func (l *link) head([]byte) error { return nil }

// record sends a packet; where the kernel has no room just now, again.
func (l *link) record(_, packet []byte) error {
	for {
		_, err := unix.Write(l.fd, packet)
		if !errors.Is(err, unix.ENOBUFS) && !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
