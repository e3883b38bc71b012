package stats

// rateWindow is over how many seconds a broker forms its rates
// (statsUpdateFrequencyInSecs).
const rateWindow = 60

// Meter counts messages and bytes, in all and within the window.
type Meter struct {
	Messages, Bytes uint64
	Entries         uint64 // of them the frames

	slots [rateWindow]slot
}

type slot struct {
	second          int64
	messages, bytes uint64
	entries         uint64
}

// add counts an entry at a time, ns since the Unix epoch.
func (m *Meter) add(at int64, messages, bytes uint64) {
	m.Messages, m.Bytes, m.Entries = m.Messages+messages, m.Bytes+bytes, m.Entries+1
	second := at / 1e9
	s := &m.slots[uint64(second)%rateWindow]
	if s.second != second {
		*s = slot{second: second}
	}
	s.messages, s.bytes, s.entries = s.messages+messages, s.bytes+bytes, s.entries+1
}

// Rate is what passed within a window.
type Rate struct {
	Messages float64 // per s
	Bytes    float64 // per s
	Entries  float64 // per s
	Size     float64 // of a message, bytes on average; 0 without any
}

// rate gives the rates at a time. The window begins no earlier than the run.
func (m *Meter) rate(first, at int64) (r Rate) {
	now := at / 1e9
	var all slot
	for i := range m.slots {
		if s := &m.slots[i]; s.second > now-rateWindow && s.second <= now {
			all.messages, all.bytes, all.entries = all.messages+s.messages, all.bytes+s.bytes, all.entries+s.entries
		}
	}
	r.Size = ratio(all.bytes, all.messages)
	seconds := min(float64(at-first)/1e9, rateWindow)
	if seconds <= 0 {
		return r
	}
	r.Messages, r.Bytes, r.Entries = float64(all.messages)/seconds, float64(all.bytes)/seconds, float64(all.entries)/seconds
	return r
}
