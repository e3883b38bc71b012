package link

import (
	"fmt"

	"pulsar-dissect/capture"
)

// linkType is one row: a LINKTYPE_ number, the name that capture tools print
// for it, and how its header is stripped (nil: known by name only).
type linkType struct {
	number capture.LinkType
	name   string
	strip  header
}

const pktapType capture.LinkType = 258

var linkTypes = []linkType{
	{0, "NULL", null},
	{1, "EN10MB", ethernet},
	{9, "PPP", ppp},
	{12, "RAW", raw},
	{14, "RAW", raw},
	{50, "PPP_SERIAL", pppSerial},
	{51, "PPP_ETHER", pppoe},
	{101, "RAW", raw},
	{104, "C_HDLC", ciscoHDLC},
	{108, "LOOP", null},
	{113, "LINUX_SLL", cooked},
	{228, "IPV4", raw},
	{229, "IPV6", raw},
	{239, "NFLOG", nflog},
	{276, "LINUX_SLL2", cooked2},
	{284, "DSA_TAG_DSA", dsa},
	{285, "DSA_TAG_EDSA", edsa},

	// PKTAP names the link type of each packet: Network looks inside.
	{pktapType, "PKTAP", nil},

	{3, "AX25", nil},
	{6, "IEEE802", nil},
	{7, "ARCNET", nil},
	{8, "SLIP", nil},
	{10, "FDDI", nil},
	{100, "ATM_RFC1483", nil},
	{105, "IEEE802_11", nil},
	{107, "FRELAY", nil},
	{117, "PFLOG", nil},
	{119, "PRISM_HEADER", nil},
	{122, "IP_OVER_FC", nil},
	{127, "IEEE802_11_RADIO", nil},
	{138, "APPLE_IP_OVER_IEEE1394", nil},
	{143, "DOCSIS", nil},
	{147, "USER0", nil},
	{148, "USER1", nil},
	{149, "USER2", nil},
	{150, "USER3", nil},
	{163, "IEEE802_11_RADIO_AVS", nil},
	{166, "PPP_PPPD", nil},
	{187, "BLUETOOTH_HCI_H4", nil},
	{189, "USB_LINUX", nil},
	{192, "PPI", nil},
	{195, "IEEE802_15_4_WITHFCS", nil},
	{201, "BLUETOOTH_HCI_H4_WITH_PHDR", nil},
	{220, "USB_LINUX_MMAPPED", nil},
	{226, "IPNET", nil},
	{227, "CAN_SOCKETCAN", nil},
	{242, "IPOIB", nil},
	{249, "USBPCAP", nil},
	{253, "NETLINK", nil},
	{271, "VSOCK", nil},
	{281, "DSA_TAG_BRCM", nil},
	{282, "DSA_TAG_BRCM_PREPEND", nil},
}

// byNumber has the rows of linkTypes at their numbers.
var byNumber = indexLinkTypes()

func indexLinkTypes() (index [320]*linkType) {
	for i := range linkTypes {
		index[linkTypes[i].number] = &linkTypes[i]
	}
	return index
}

func row(t capture.LinkType) *linkType {
	if int(t) < len(byNumber) {
		return byNumber[t]
	}
	return nil
}

func decoder(t capture.LinkType) header {
	if r := row(t); r != nil {
		return r.strip
	}
	return nil
}

// Supported says whether packets of link type t can be read.
func Supported(t capture.LinkType) bool { return t == pktapType || decoder(t) != nil }

// Name is the name that tcpdump prints for a link type (EN10MB, LINUX_SLL2),
// or its number where it has none here.
func Name(t capture.LinkType) string {
	if r := row(t); r != nil {
		return r.name
	}
	return fmt.Sprintf("LINKTYPE_%d", uint32(t))
}
