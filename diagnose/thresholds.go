package diagnose

import "time"

// Thresholds say from when on something is a finding. Zero fields take the
// defaults.
type Thresholds struct {
	Handshake         time.Duration // CONNECT without an answer
	Keepalive         time.Duration // PING without an answer on a connection that stays open
	ReconnectCount    int           // connections of one client to one broker ...
	ReconnectWindow   time.Duration // ... within this
	LookupsInFlight   int
	LookupRefusals    int           // TooManyRequests ...
	LookupWindow      time.Duration // ... within this
	SlowQuantile      time.Duration // 99th percentile of send, ack, request ...
	SlowQuantileCount int           // ... of at least so many
	SlowOne           time.Duration // a single one
	Starvation        time.Duration // no permits while messages wait: a warning
	StarvationError   time.Duration // an error
	Dispatch          time.Duration // messages and permits, and nothing delivered
	StallCount        int           // exchanges on a broker ...
	StallConns        int           // ... on so many connections ...
	StallWait         time.Duration // ... waiting so long ...
	StallTogether     time.Duration // ... and answered within this
	RedeliveryLoop    int           // deliveries of one message
	AckHoleRanges     int
	AckHoleAge        time.Duration // oldest unacked message while later ones are acked
	FlappingCount     int           // changes of the active consumer ...
	FlappingWindow    time.Duration // ... within this
	ZeroWindow        time.Duration
	Retransmissions   int           // of one segment
	OverDelivery      int           // entries after permits reached 0
	TwicePercent      int           // packets captured twice
	UnloadCount       int           // times that a broker closes a producer or consumer ...
	UnloadWindow      time.Duration // ... within this
	ProducerBack      time.Duration // until a producer that the broker closed is there again
}

// The default thresholds.
var defaults = Thresholds{
	Handshake:         10 * time.Second,
	ReconnectCount:    10,
	ReconnectWindow:   10 * time.Second,
	LookupsInFlight:   100,
	LookupRefusals:    3,
	LookupWindow:      10 * time.Second,
	SlowQuantile:      time.Second,
	SlowQuantileCount: 100,
	SlowOne:           5 * time.Second,
	Starvation:        5 * time.Second,
	StarvationError:   60 * time.Second,
	Dispatch:          900 * time.Millisecond,
	StallCount:        3,
	StallConns:        2,
	StallWait:         500 * time.Millisecond,
	StallTogether:     50 * time.Millisecond,
	RedeliveryLoop:    5,
	AckHoleRanges:     100,
	AckHoleAge:        60 * time.Second,
	FlappingCount:     3,
	FlappingWindow:    60 * time.Second,
	ZeroWindow:        3 * time.Second,
	Retransmissions:   3,
	OverDelivery:      100,
	TwicePercent:      20,
	Keepalive:         60 * time.Second,
	UnloadCount:       3,
	UnloadWindow:      60 * time.Second,
	ProducerBack:      5 * time.Second,
}

// Defaults are the thresholds where nothing else is said.
func Defaults() Thresholds { return defaults }

// withDefaults fills in what is not set.
func (t Thresholds) withDefaults() Thresholds {
	d := defaults
	for v, def := range t.durations(&d) {
		if *v <= 0 {
			*v = *def
		}
	}
	for v, def := range t.counts(&d) {
		if *v <= 0 {
			*v = *def
		}
	}
	return t
}

func (t *Thresholds) durations(d *Thresholds) map[*time.Duration]*time.Duration {
	return map[*time.Duration]*time.Duration{
		&t.Handshake: &d.Handshake, &t.ReconnectWindow: &d.ReconnectWindow, &t.LookupWindow: &d.LookupWindow,
		&t.SlowQuantile: &d.SlowQuantile, &t.SlowOne: &d.SlowOne, &t.Starvation: &d.Starvation, &t.StarvationError: &d.StarvationError,
		&t.Dispatch:  &d.Dispatch,
		&t.StallWait: &d.StallWait, &t.StallTogether: &d.StallTogether, &t.AckHoleAge: &d.AckHoleAge,
		&t.FlappingWindow: &d.FlappingWindow, &t.ZeroWindow: &d.ZeroWindow,
		&t.Keepalive: &d.Keepalive, &t.UnloadWindow: &d.UnloadWindow, &t.ProducerBack: &d.ProducerBack,
	}
}

func (t *Thresholds) counts(d *Thresholds) map[*int]*int {
	return map[*int]*int{
		&t.ReconnectCount: &d.ReconnectCount, &t.LookupsInFlight: &d.LookupsInFlight, &t.LookupRefusals: &d.LookupRefusals,
		&t.SlowQuantileCount: &d.SlowQuantileCount, &t.StallCount: &d.StallCount, &t.StallConns: &d.StallConns,
		&t.RedeliveryLoop: &d.RedeliveryLoop, &t.AckHoleRanges: &d.AckHoleRanges, &t.FlappingCount: &d.FlappingCount,
		&t.Retransmissions: &d.Retransmissions, &t.OverDelivery: &d.OverDelivery, &t.TwicePercent: &d.TwicePercent,
		&t.UnloadCount: &d.UnloadCount,
	}
}
