package session

// OldestSend is the SEND of a producer that has waited longest for its receipt;
// false if none waits.
func (p *Producer) OldestSend() (Ref, bool) {
	q := &p.sends
	switch {
	case q.staleHead < len(q.stale):
		return q.stale[q.staleHead].Ref, true
	case q.head < len(q.open):
		return q.open[q.head].Ref, true
	}
	return Ref{}, false
}
