package segment

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
)

// shared is the folder of captures beside the module, "" where there is none.
func shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("PULSAR_SHARED")
	for dir, _ := os.Getwd(); root == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = filepath.Join(filepath.Dir(dir), "shared")
		}
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s here (PULSAR_SHARED names the folder of captures)", filepath.Join(parts...))
	}
	return path
}

// readCapture is the plainest reader of pcap and pcapng that the tests can do with.
func readCapture(t testing.TB, path string) []capture.Packet {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if binary.BigEndian.Uint32(b) == 0x0a0d0d0a {
		return readPcapng(b)
	}
	return readPcap(b)
}

func readPcap(b []byte) (all []capture.Packet) {
	var e binary.ByteOrder = binary.LittleEndian
	if b[0] == 0xa1 {
		e = binary.BigEndian
	}
	unit := int64(1000)
	if m := e.Uint32(b); m == 0xa1b23c4d {
		unit = 1
	}
	t := capture.LinkType(e.Uint32(b[20:]) & 0xffff)
	for b = b[24:]; len(b) >= 16; {
		n := int(e.Uint32(b[8:]))
		p := capture.Packet{
			Number: uint64(len(all) + 1), Link: t, OrigLen: int(e.Uint32(b[12:])),
			Time: int64(e.Uint32(b))*1e9 + int64(e.Uint32(b[4:]))*unit,
		}
		b = b[16:]
		if n > len(b) {
			return all
		}
		p.Data, b = b[:n], b[n:]
		all = append(all, p)
	}
	return all
}

func readPcapng(b []byte) (all []capture.Packet) {
	var e binary.ByteOrder = binary.LittleEndian
	var links []capture.LinkType
	for len(b) >= 12 {
		if binary.BigEndian.Uint32(b) == 0x0a0d0d0a {
			links = nil
			if e = binary.LittleEndian; b[8] == 0x1a {
				e = binary.BigEndian
			}
		}
		kind, n := e.Uint32(b), int(e.Uint32(b[4:]))
		if n < 12 || n > len(b) {
			return all
		}
		body := b[8 : n-4]
		switch kind {
		case 1:
			links = append(links, capture.LinkType(e.Uint16(body)))
		case 6:
			size := int(e.Uint32(body[12:]))
			all = append(all, capture.Packet{
				Number: uint64(len(all) + 1), Link: links[e.Uint32(body)], OrigLen: int(e.Uint32(body[16:])),
				Time: int64(uint64(e.Uint32(body[4:]))<<32|uint64(e.Uint32(body[8:]))) * 1000, Data: body[20 : 20+size],
			})
		}
		b = b[n:]
	}
	return all
}
