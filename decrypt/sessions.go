package decrypt

import "crypto/sha256"

// sessionKey names a session for resumption: the digest of its id or ticket.
type sessionKey [sha256.Size]byte

func sessionByID(id []byte) sessionKey { return sha256.Sum256(append([]byte("id"), id...)) }
func sessionByTicket(ticket []byte) sessionKey {
	return sha256.Sum256(append([]byte("ticket"), ticket...))
}

// sessions remembers the master secrets of sessions that may be resumed (up to
// TLS 1.2: a client's log has them only for the connection that made them).
type sessions struct {
	limits   *Limits
	counters *Counters
	masters  map[sessionKey][]byte
	order    []sessionKey
}

func newSessions(l *Limits, c *Counters) sessions {
	return sessions{limits: l, counters: c, masters: map[sessionKey][]byte{}}
}

// remember keeps a master secret; the oldest session gives way.
func (s *sessions) remember(k sessionKey, master []byte) {
	if _, ok := s.masters[k]; !ok {
		if len(s.order) >= s.limits.Sessions {
			delete(s.masters, s.order[0])
			s.order = s.order[1:]
			s.counters.SessionLimit++
		}
		s.order = append(s.order, k)
	}
	s.masters[k] = master
}
