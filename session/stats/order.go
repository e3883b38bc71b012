package stats

import "pulsar-dissect/session"

// Order says what rows are sorted by, the largest first.
type Order string

// OrderName sorts by name alone.
const OrderName Order = "name"

// Orders lists what rows can be sorted by.
var Orders = []Order{OrderName, "frames", "bytes", "messages", "in", "out", "redelivered", "errors", "unanswered", "latency"}

// orders are the measures of the orders other than by name.
var orders = map[Order]func(*Row) float64{
	"frames":      func(r *Row) float64 { return float64(r.Frames) },
	"bytes":       func(r *Row) float64 { return float64(r.FrameBytes) },
	"messages":    func(r *Row) float64 { return float64(r.In.Messages + r.Out.Messages) },
	"in":          func(r *Row) float64 { return float64(r.In.Messages) },
	"out":         func(r *Row) float64 { return float64(r.Out.Messages) },
	"redelivered": (*Row).RedeliveryRate,
	"errors":      func(r *Row) float64 { return float64(r.Errors) },
	"unanswered":  func(r *Row) float64 { return float64(r.Unanswered) },
	"latency":     slowest,
}

// slowest is the highest 99th percentile of a row's exchanges with a broker, in
// ns. Acknowledgements wait for the application, and do not count.
func slowest(r *Row) (ns float64) {
	for kind, l := range r.Latencies {
		if l != nil && session.ExchangeKind(kind) != session.Ack {
			ns = max(ns, float64(l.Percentile(99)))
		}
	}
	return ns
}
