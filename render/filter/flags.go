package filter

import (
	"fmt"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// Flag is a flag by which records are chosen.
type Flag struct {
	Name     string
	Argument string // what stands for the value in help texts; empty if there is none
	Help     string
	Values   func() []string // all that there are, nil where any text may stand
	parse    func(value string) (predicate, error)
}

// Flags holds a row for each flag, in the order of the help texts.
var Flags = []Flag{
	{"type", "TYPE", "command type: SEND, 'LOOKUP*', several with commas, or a number; of bookies the operation: ADD_ENTRY", typeNames, parseTypes},
	{topicFlag, "TOPIC", "topic, with * for any text; the short name will do (orders, public/default/orders), and stands for the partitions too", nil, parseTopic},
	{"conn", "CONN", "connection: its conn_id, an IP, IP:PORT, or a part of its name", nil, parseConn},
	{"producer", "NAME|ID", "producer: its name, with * for any text, or its producer_id", nil, parseProducer},
	{"consumer", "NAME|ID", "consumer: its name or its subscription, with * for any text, or its consumer_id", nil, parseConsumer},
	{"request-id", "N", "request_id, of the request and of its response", nil, parseRequestID},
	{"dir", "c2s|s2c", "direction: client to server, or server to client", directions, parseDirection},
	{"since", "TIME", "not before: 2026-01-31T10:00:00Z, 10:00:00 (UTC, on the day of the first packet), +5s (after the first packet)", nil, parseSince},
	{"until", "TIME", "not after, as with --since", nil, parseUntil},
	{"bad", "", "what went wrong: issues, bad checksums, gaps, conflicts, skipped bytes, cut frames, entries that cannot be read, exchanges without the right end", nil, parseBad},
	{expressionFlag, "EXPR", "CEL expression over the JSON record: 'kind == \"exchange\" && latency_ns > 1000000'", nil, parseExpression},
}

func directions() []string {
	return []string{decode.ClientToServer.String(), decode.ServerToClient.String()}
}

func parseDirection(value string) (predicate, error) {
	for _, d := range []decode.Direction{decode.ClientToServer, decode.ServerToClient} {
		if strings.EqualFold(value, d.String()) {
			return func(_ *Filter, e *session.Event) bool { return e.Direction == d && e.Kind != session.ConnectionEnd }, nil
		}
	}
	return nil, fmt.Errorf("%q is no direction: c2s (client to server) or s2c (server to client)", value)
}

func parseRequestID(value string) (predicate, error) {
	id, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no request id: a number from 0 to 18446744073709551615", value)
	}
	return func(_ *Filter, e *session.Event) bool {
		got, ok := requestID(e)
		return ok && got == id
	}, nil
}

func requestID(e *session.Event) (uint64, bool) {
	switch e.Kind {
	case session.ExchangeSeen:
		return e.Exchange.RequestID, e.Exchange.Kind == session.Request
	case session.FrameSeen:
		if c := e.Frame.Command; c != nil && c.RequestID != 0 {
			return e.Frame.Uint(c.RequestID)
		}
	}
	return 0, false
}
