package summary

// Hit is how often a limit cut or dropped something.
type Hit struct {
	Name  string // for scripts
	What  string // for people: what was given up
	Count uint64
	Usual bool // in a long run, and of little consequence
}

// Hits gives every limit of the run, hit or not, in the order of the stages.
func (s *Summary) Hits() []Hit {
	t := &s.Totals
	fragments := &t.Segments.Fragments
	return []Hit{
		{"fragments_expired", "IP packets whose other fragments never came", fragments.Expired, false},
		{"fragments_evicted", "IP packets in fragments, given up for want of room", fragments.Evicted, false},
		{"fragments_dropped", "IP fragments larger than the limit", fragments.Dropped, false},
		{"held_bytes", "gaps no longer waited for, since too many bytes were held", t.Reassembly.HeldLimit, false},
		{"hold_time", "gaps no longer waited for, since they were open too long", t.Reassembly.HoldTimeout, false},
		{"open_connections", "connections ended early, since too many were open", t.Reassembly.ConnectionLimit, false},
		{"tls_handshake", "TLS handshake messages not read, since they are too long", t.Decrypt.LongHandshakes, false},
		{"tls_waiting", "TLS directions given up, since too much waited for a secret", t.Decrypt.WaitingLimit, false},
		{"tls_sessions", "TLS sessions and tickets forgotten: what resumes one cannot be opened", t.Decrypt.SessionLimit, true},
		{"tls_keylog", "entries of TLS key logs forgotten", t.Decrypt.KeyLogLimit, true},
		{"waiting_frames", "connections whose two directions could not be put in order", t.Decode.HeldLimit, false},
		{"open_requests", "requests no longer waited for", t.Session.Requests, false},
		{"open_parties", "producers and consumers no longer followed, with what they waited for", t.Session.Parties, false},
		{"open_sends", "SENDs no longer waited for", t.Session.Sends, false},
		{"open_deliveries", "deliveries no longer followed", t.Session.Deliveries, false},
		{"acknowledged_ids", "acknowledged ids forgotten: one acknowledged again would count as never delivered", t.Session.Acknowledged, true},
		{"open_chunked_messages", "chunked messages given up", t.Session.Chunked, false},
		{"batch_messages", "entries whose messages are not read one by one, since they have too many", t.Session.Batches, false},
		{"schemas", "schemas of topics forgotten: payloads that need them stay unread", t.Session.Schemas, false},
		{"stored_entries", "entries forgotten that bookies stored, gave back, or that were sent: their two sides are not tied together", t.Session.Stored, true},
		{"inferences", "ledgers and names of producers forgotten: others of their topic were not told", t.Session.Inferences, true},
		{"proxy_legs", "connections at proxies, and exchanges of one leg, forgotten before the other leg was seen", t.Session.Legs, true},
		{"transactions", "transactions no longer followed", t.Session.Transactions, false},
		{"summary_topics", "SENDs to topics without a row of their own", s.produced.overflown, false},
		{"summary_subscriptions", "events of subscriptions without a row of their own", s.consumed.overflown, false},
		{"summary_groups", "troubles without a row of their own", s.groupsOverflown(), false},
	}
}

func (s *Summary) groupsOverflown() (n uint64) {
	for _, more := range []uint64{
		s.unknown.overflown, s.requests.overflown, s.errors.overflown, s.unanswered.overflown, s.orphans.overflown,
		s.skipped.overflown, s.sealed.overflown, s.issues.overflown, s.details.overflown, s.codecs[0].overflown, s.codecs[1].overflown,
	} {
		n += more
	}
	return n
}
