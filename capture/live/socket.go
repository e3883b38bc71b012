//go:build linux

package live

import (
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// openSocket makes a packet socket that gets no packets yet. It is the only step
// that needs a right (CAP_NET_RAW).
func openSocket() (int, error) {
	return unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
}

// prepare sets what has to be set ahead of the ring.
func prepare(fd int) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return err
	}
	return unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_RESERVE, tagSize)
}

// attach puts a program in the place of the one before.
func attach(fd int, program []bpf.RawInstruction) error {
	code := make([]unix.SockFilter, len(program))
	for i, r := range program {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
		&unix.SockFprog{Len: uint16(len(code)), Filter: (*unix.SockFilter)(unsafe.Pointer(&code[0]))})
}

// bind lets packets of an interface in; 0: of all.
func bind(fd int, index uint32) error {
	return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: bigEndian(unix.ETH_P_ALL), Ifindex: int(index)})
}

// promiscuous has an interface hand up what is meant for others.
func promiscuous(fd int, index uint32) error {
	return unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP,
		&unix.PacketMreq{Ifindex: int32(index), Type: unix.PACKET_MR_PROMISC})
}

// bigEndian has the bytes of v in the order of the network.
func bigEndian(v uint16) uint16 {
	b := [2]byte{byte(v >> 8), byte(v)}
	return *(*uint16)(unsafe.Pointer(&b))
}
