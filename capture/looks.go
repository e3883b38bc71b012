package capture

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// look is a row of the table of what is given in place of captures: what is
// found at an offset, what that is, and what helps.
type look struct {
	offset int
	magic  string
	what   string
	advice string
}

const (
	adviceEditcap  = "convert it: editcap -F pcap FILE OUT.pcap"
	adviceWrite    = "text cannot be turned back into packets in full: capture anew with tcpdump -w FILE, or export with tshark -w FILE"
	adviceUnpack   = "unpack it and name the capture inside"
	adviceDownload = "check where it came from: a download often saves an error or login page in place of the file"
	adviceOther    = "name a file as written by tcpdump -w, dumpcap or Wireshark"
)

var looks = []look{
	// Captures that Wireshark's tools can convert.
	{0, "snoop\x00\x00\x00", "a snoop capture (Solaris)", adviceEditcap},
	{0, "btsnoop\x00", "a Bluetooth capture (btsnoop)", adviceOther},
	{0, "TRSNIFF data    \x1a", "a Sniffer capture (DOS)", adviceEditcap},
	{0, "XCP\x00", "a NetXRay or Sniffer (Windows) capture", adviceEditcap},
	{0, "RTSS", "a Microsoft Network Monitor 1 capture", adviceEditcap},
	{0, "GMBU", "a Microsoft Network Monitor 2 capture", adviceEditcap},
	{0, "iptrace 1.0", "an AIX iptrace capture", adviceEditcap},
	{0, "iptrace 2.0", "an AIX iptrace capture", adviceEditcap},
	{0, "\x7fver", "an EtherPeek or OmniPeek capture", adviceEditcap},
	{0, "ObserverPktBuffe", "an Observer capture (Network Instruments)", adviceEditcap},
	{0, "ViSiOn", "a Finisar Surveyor capture", adviceEditcap},
	{0, "NetScreen", "a NetScreen snoop output", adviceEditcap},
	{0, "\x00\x00\x02\x00\x12\x05\x00\x10", "a K12 capture (Tektronix)", adviceEditcap},
	{0, "\x54\x52\x00\x64\x00", "an HP-UX nettl capture", adviceEditcap},
	{0, "NCF", "a CommView capture", adviceEditcap},
	{0, "\xa1\x2b\x3c\x4d", "a pcap file of Navtel's kind", adviceEditcap},
	{0, "\x4d\x3c\x2b\xa1", "a pcap file of Navtel's kind", adviceEditcap},
	{0, "\x1c\x00\x01\xac", "a pcap file of Ixia's kind", adviceEditcap},
	{0, "\xac\x01\x00\x1c", "a pcap file of Ixia's kind", adviceEditcap},
	{0, "\x1c\x00\x01\xab", "a pcap file of Ixia's kind", adviceEditcap},
	{0, "\xab\x01\x00\x1c", "a pcap file of Ixia's kind", adviceEditcap},
	{2, "\x06\x00\xff\xff\xff\xff\x00", "a LANalyzer capture", adviceEditcap},
	{0, "Microsoft Performance", "a Windows trace", adviceOther},
	{0, "ElfFile\x00", "a Windows event log", "convert a trace of netsh or pktmon: pktmon etl2pcap FILE.etl"},

	// Archives and compressions that are not read.
	{0, "PK\x03\x04", "a ZIP archive", adviceUnpack},
	{0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", adviceUnpack},
	{0, "Rar!\x1a\x07", "a RAR archive", adviceUnpack},
	{257, "ustar", "a tar archive", adviceUnpack},
	{0, "\x1f\x9d", "data compressed with compress (.Z)", adviceUnpack},
	{0, "\x5d\x00\x00", "data compressed as LZMA without a container", adviceUnpack},
	{0, "\x02\x21\x4c\x18", "an LZ4 stream of the old kind", adviceUnpack},
	{0, "\xff\x06\x00\x00sNaPpY", "a Snappy stream", adviceUnpack},
	{0, "LZIP", "data compressed with lzip", adviceUnpack},
	{0, "age-encryption.org", "a file encrypted with age", "decrypt it first"},
	{0, "-----BEGIN PGP", "a file encrypted or signed with PGP", "decrypt it first"},

	// Other files.
	{0, "\x7fELF", "a Linux program (ELF)", adviceOther},
	{0, "MZ", "a Windows program", adviceOther},
	{0, "\xcf\xfa\xed\xfe", "a macOS program", adviceOther},
	{0, "\xca\xfe\xba\xbe", "a Java class", adviceOther},
	{0, "JAVA PROFILE", "a Java heap dump", adviceOther},
	{0, "SQLite format 3", "an SQLite database", adviceOther},
	{0, "PAR1", "a Parquet file", adviceOther},
	{0, "%PDF", "a PDF", adviceOther},
	{0, "\x89PNG", "a PNG picture", adviceOther},
	{0, "\xff\xd8\xff", "a JPEG picture", adviceOther},
	{0, "version https://git-lfs", "a pointer to a file in Git LFS", "fetch the file itself: git lfs pull"},
	{0, "-----BEGIN", "a key or certificate (PEM)", adviceOther},
	{0, "CLIENT_RANDOM ", "a TLS key log", "name it with --tls-keylog, and the capture as FILE"},
	{0, "CLIENT_HANDSHAKE_TRAFFIC_SECRET ", "a TLS key log", "name it with --tls-keylog, and the capture as FILE"},
	{0, "SERVER_HANDSHAKE_TRAFFIC_SECRET ", "a TLS key log", "name it with --tls-keylog, and the capture as FILE"},
	{0, "# SSL/TLS secrets log file", "a TLS key log", "name it with --tls-keylog, and the capture as FILE"},
}

// textLooks are looked for in text, without regard to case or to space before it.
var textLooks = []look{
	{0, "<!doctype html", "HTML", adviceDownload},
	{0, "<html", "HTML", adviceDownload},
	{0, "<?xml", "XML", adviceWrite},
	{0, "{", "JSON", adviceWrite},
	{0, "[", "JSON", adviceWrite},
	{0, "0000  ", "a hex dump", "turn it into a capture: text2pcap FILE OUT.pcap"},
	{0, "00000000", "a hex dump", "turn it into binary with xxd -r, or into a capture: text2pcap FILE OUT.pcap"},
}

// lookOf says what a file that is no capture seems to be.
func lookOf(start []byte) string {
	if len(start) == 0 {
		return "it is empty; was the capturing program stopped before it wrote?"
	}
	if c := findCodec(start); c != nil {
		return "it is compressed twice, the inner time with " + c.name + "; unpack it once"
	}
	for _, l := range looks {
		if len(start) >= l.offset && bytes.HasPrefix(start[l.offset:], []byte(l.magic)) {
			return l.String()
		}
	}
	if isText(start) {
		return textLook(start)
	}
	return fmt.Sprintf("it begins with % x, which is neither pcap nor pcapng; %s", start[:min(8, len(start))], adviceOther)
}

func (l look) String() string { return "it looks like " + l.what + "; " + l.advice }

func textLook(start []byte) string {
	text := bytes.ToLower(bytes.TrimLeft(start, "\ufeff \t\r\n"))
	for _, l := range textLooks {
		if bytes.HasPrefix(text, []byte(l.magic)) {
			return l.String()
		}
	}
	return look{what: "text", advice: adviceWrite}.String()
}

// isText tells whether b, of which the last rune may be cut, is UTF-8 without
// control characters other than white space.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			return len(b) < utf8.UTFMax && !utf8.FullRune(b)
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' {
			return false
		}
		b = b[size:]
	}
	return true
}
