package link

// Reason says why there is no IP packet; OK if there is one.
type Reason uint8

// Short: the bytes end inside a header. NotIP: the headers say that something
// else follows (ARP, IPX, a control packet). UnknownLinkType: the link type has
// no row in the table. TooDeep: more headers in a row than MaxHeaders.
const (
	OK Reason = iota
	Short
	NotIP
	UnknownLinkType
	TooDeep
)

var reasonNames = [...]string{"ok", "short", "not_ip", "unknown_link_type", "too_deep"}

// String is the name that counters carry.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}
