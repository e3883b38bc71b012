package render

import "fmt"

// lossShare is the share of a stream that may be missing without a doubt about
// what is compared.
const lossShare = 0.001

// sideNames are how both runs are called.
var sideNames = [2]string{"before", "after"}

// doubts say which differences the captures themselves may make.
func doubts(sides [2]*Side) (texts []string) {
	for i, s := range sides {
		for _, d := range sideDoubts {
			if d.holds(s) {
				texts = append(texts, sideNames[i]+" "+d.text)
			}
		}
	}
	return append(texts, lengthDoubts(sides)...)
}

// sideDoubts are what may be wrong with one capture.
var sideDoubts = []struct {
	holds func(*Side) bool
	text  string
}{
	{(*Side).holed, "lacks bytes: commands and topics may seem gone, requests without an answer"},
	{func(s *Side) bool { return s.summary.Totals.Segments.Cut > 0 }, "has packets cut by the snap length: what was in the rest is not counted"},
	{func(s *Side) bool { return s.unstarted > 0 }, "has connections that began earlier: versions, topics and names may be missing"},
	{func(s *Side) bool { return s.oneWay > 0 }, "has connections with one direction only: answers are missing"},
	{func(s *Side) bool { return s.summary.Sealed.Bytes > 0 }, "has TLS that could not be opened: what was said there is not counted"},
	{(*Side).shuffled, "has packets out of order of time: latencies are not to be relied on"},
	{func(s *Side) bool { return s.summary.Frames == 0 }, "has no frame of Pulsar"},
}

func (s *Side) holed() bool {
	missing := float64(s.summary.AllGaps().Bytes)
	return missing > lossShare*(missing+float64(s.summary.TCP.Bytes))
}

func (s *Side) shuffled() bool {
	t := &s.summary.Totals.Capture
	for i := range t.Files {
		if f := &t.Files[i]; f.StepsBack > 0 && f.LargestStepBack >= int64(disorderFelt) {
			return true
		}
	}
	return false
}

// disorderFelt is how far times may go back without spoiling latencies, ns.
const disorderFelt = 1_000_000

func lengthDoubts(sides [2]*Side) []string {
	a, b := sides[0].seconds(), sides[1].seconds()
	if short := min(a, b); short >= rateLeast || max(a, b) == 0 || max(a, b) <= trafficFactor*short {
		return nil
	}
	return []string{fmt.Sprintf("one lasts %s, the other %s: so short that counts are compared, not rates, and the longer has more of all",
		latencyText(int64(a*1e9)), latencyText(int64(b*1e9)))}
}
