package capture

import (
	"bytes"
	"strings"
	"testing"
)

func TestOpenSaysWhatItLooksLike(t *testing.T) {
	tar := make([]byte, 512)
	copy(tar[257:], "ustar\x0000")
	for _, tc := range []struct{ content, want string }{
		{"", "no capture: it is empty"},
		{"\n <!DOCTYPE HTML>\n<title>404</title>", "looks like HTML; check where it came from"},
		{"<html>", "looks like HTML"},
		{"<?xml version='1.0'?>", "looks like XML"},
		{`{"a":1}`, "looks like JSON; text cannot be turned back"},
		{"\ufeff[{}]", "looks like JSON"},
		{"12:00:00.000000 IP 10.0.0.1.1 > 10.0.0.2.6650: Flags [S]\n", "looks like text; text cannot"},
		{strings.Repeat("a", sniffSize-1) + "\u00e9", "looks like text"},
		{"0000  00 11 22 33", "text2pcap FILE OUT.pcap"},
		{"\x7fELF\x02\x01\x01", "looks like a Linux program (ELF)"},
		{"snoop\x00\x00\x00\x00\x00\x00\x02", "looks like a snoop capture (Solaris); convert it: editcap -F pcap FILE OUT.pcap"},
		{"TRSNIFF data    \x1a", "Sniffer capture (DOS)"},
		{"XCP\x00002.001", "NetXRay or Sniffer"},
		{"GMBU\x00\x02", "Microsoft Network Monitor 2"},
		{"PK\x03\x04", "a ZIP archive; unpack it"},
		{string(tar), "a tar archive"},
		{"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
		{"CLIENT_RANDOM 00 11\n", "TLS key log"},
		{"\x00\x01\x02\x03\x04\x05\x06\x07\x08", "it begins with 00 01 02 03 04 05 06 07, which is neither pcap nor pcapng"},
		{"\xff", "it begins with ff,"},
		{"\xd4\xc3\xb2\xa1\x02\x00", "begins as a pcap file, but is cut off in its header: 6 of 24 bytes"},
		{"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00abcdefgh", "byte-order magic is 61626364"},
		{"\x0a\x0d\x0d\x0a", "begins as a pcapng file, but is cut off in its header: 4 of 12 bytes"},
		{"\x1f\x8b\x08", "the gzip stream is cut off after 3 bytes"},
	} {
		path := writeFile(t, "file", []byte(tc.content))
		_, err := Open([]string{path}, Options{})
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.20q: %v, want %q", tc.content, err, tc.want)
		}
	}
}

// TestLooksAreReachable finds rows that one before them hides.
func TestLooksAreReachable(t *testing.T) {
	for i, l := range looks {
		start := append(bytes.Repeat([]byte{0xfe}, l.offset), l.magic...)
		if got := lookOf(start); got != l.String() {
			t.Errorf("row %d, %s: %s", i, l.what, got)
		}
		if isPcap(start) || isPcapng(start) || findCodec(start) != nil {
			t.Errorf("row %d, %s, is a capture", i, l.what)
		}
	}
}
