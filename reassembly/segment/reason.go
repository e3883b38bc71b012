package segment

import "pulsar-dissect/capture/link"

// Reason says why a packet gave no segment; OK if it did.
type Reason uint8

// Short: the captured bytes end inside a header. NotIP: the link layer, or a
// tunnel, carries something else. TooDeep: too many tunnels in each other.
// NotTCP: another transport. BadIP, BadTCP: a length in that header cannot be.
// FragmentPending: a fragment, the others are to come. FragmentCut: a fragment
// that was not captured whole. FragmentDropped: a fragment larger than the limit
// for all of them.
const (
	OK Reason = iota
	Short
	NotIP
	UnknownLinkType
	TooDeep
	NotTCP
	BadIP
	BadTCP
	FragmentPending
	FragmentCut
	FragmentDropped
	Reasons // their number
)

var reasonNames = [Reasons]string{
	"ok", "short", "not_ip", "unknown_link_type", "too_deep", "not_tcp", "bad_ip", "bad_tcp",
	"fragment", "fragment_cut", "fragment_dropped",
}

// String is the name that counters carry.
func (r Reason) String() string {
	if r < Reasons {
		return reasonNames[r]
	}
	return "unknown"
}

// fromLink has the reasons of package link in this package's terms.
var fromLink = [...]Reason{
	link.OK: OK, link.Short: Short, link.NotIP: NotIP,
	link.UnknownLinkType: UnknownLinkType, link.TooDeep: TooDeep,
}
