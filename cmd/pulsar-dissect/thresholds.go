package main

import (
	"strings"

	"github.com/spf13/pflag"

	"pulsar-dissect/diagnose"
)

// threshold is a row of the table of thresholds. rules are those that look at
// it.
type threshold struct {
	name  string
	value pflag.Value
	about string
	rules string
}

// thresholdFlags has a row for every field of the thresholds, and gives each
// its default.
func thresholdFlags(t *diagnose.Thresholds) []threshold {
	*t = diagnose.Defaults()
	return []threshold{
		{"threshold-handshake", span{&t.Handshake}, "CONNECT or an authentication challenge without an answer for so long", "handshake-stalled auth-challenge-unanswered"},
		{"threshold-keepalive", span{&t.Keepalive}, "PING without an answer on a connection that stays open", "keepalive-timeout"},
		{"threshold-reconnects", number{&t.ReconnectCount}, "connections of one client to one broker within the window", "reconnect-storm"},
		{"threshold-reconnect-window", span{&t.ReconnectWindow}, "the window", "reconnect-storm"},
		{"threshold-lookups", number{&t.LookupsInFlight}, "lookups without an answer at once", "lookup-storm"},
		{"threshold-lookup-refusals", number{&t.LookupRefusals}, "TooManyRequests within the window", "lookup-storm"},
		{"threshold-lookup-window", span{&t.LookupWindow}, "the window", "lookup-storm"},
		{"threshold-slow-quantile", span{&t.SlowQuantile}, "99th percentile of the time that sends, acks or requests take", "send-slow ack-slow request-slow"},
		{"threshold-slow-count", number{&t.SlowQuantileCount}, "of at least so many", "send-slow ack-slow request-slow"},
		{"threshold-slow-one", span{&t.SlowOne}, "time that a single one takes", "send-slow ack-slow request-slow send-unanswered keepalive-starved"},
		{"threshold-starvation", span{&t.Starvation}, "a consumer without permits while messages wait: a warning", "permit-starvation dispatch-stalled unacked-limit idle-consumer"},
		{"threshold-starvation-error", span{&t.StarvationError}, "the same: an error", "permit-starvation dispatch-stalled"},
		{"threshold-dispatch", span{&t.Dispatch}, "messages and permits there, and nothing delivered", "unacked-limit key-blocked throttled"},
		{"threshold-stall-count", number{&t.StallCount}, "exchanges that a broker lets wait together", "broker-stall"},
		{"threshold-stall-connections", number{&t.StallConns}, "on so many connections", "broker-stall"},
		{"threshold-stall-wait", span{&t.StallWait}, "for so long", "broker-stall"},
		{"threshold-stall-together", span{&t.StallTogether}, "and answers within this", "broker-stall"},
		{"threshold-redelivery-loop", number{&t.RedeliveryLoop}, "deliveries of one message", "redelivery-loop"},
		{"threshold-ack-ranges", number{&t.AckHoleRanges}, "ranges of acknowledged messages with holes between", "ack-hole"},
		{"threshold-ack-age", span{&t.AckHoleAge}, "age of an unacknowledged message while later ones are acknowledged", "ack-hole"},
		{"threshold-flapping-count", number{&t.FlappingCount}, "changes of the active consumer within the window", "failover-flapping"},
		{"threshold-flapping-window", span{&t.FlappingWindow}, "the window", "failover-flapping"},
		{"threshold-zero-window", span{&t.ZeroWindow}, "a receiver takes nothing for so long", "tcp-stall"},
		{"threshold-retransmissions", number{&t.Retransmissions}, "of one TCP segment", "tcp-stall"},
		{"threshold-over-delivery", number{&t.OverDelivery}, "entries after permits reached 0", "over-delivery"},
		{"threshold-twice-percent", number{&t.TwicePercent}, "percentage of packets that the capture has twice", "capture-quality"},
		{"threshold-unload-count", number{&t.UnloadCount}, "times that a broker closes a producer or consumer within the window", "unload-loop"},
		{"threshold-unload-window", span{&t.UnloadWindow}, "the window", "unload-loop"},
		{"threshold-producer-back", span{&t.ProducerBack}, "until a producer that the broker closed is there again", "producer-closed-by-broker"},
	}
}

func thresholdFlagSet(t *diagnose.Thresholds) *pflag.FlagSet {
	set := newFlagSet()
	for _, row := range thresholdFlags(t) {
		set.Var(row.value, row.name, row.about)
	}
	return set
}

// of says whether a rule looks at the threshold.
func (t *threshold) of(rule string) bool {
	for _, name := range strings.Fields(t.rules) {
		if name == rule {
			return true
		}
	}
	return false
}
