package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pulsar-dissect/session"
)

// Handler answers scrapes. It may be used from any goroutine.
func (r *Recorder) Handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(r))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// collector gives what was published last as metrics.
type collector struct {
	of      *Recorder
	descs   []*prometheus.Desc // by families
	latency *prometheus.Desc
}

func newCollector(of *Recorder) *collector {
	c := &collector{of: of, latency: prometheus.NewDesc(prefix+"exchange_seconds",
		"Time from a request to its response, and from a delivery to its acknowledgement.", []string{"kind"}, nil)}
	for i := range families {
		f := &families[i]
		c.descs = append(c.descs, prometheus.NewDesc(prefix+f.name, f.help, f.labels, nil))
	}
	return c
}

// Describe names the metrics.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	to <- c.latency
	for _, d := range c.descs {
		to <- d
	}
}

// Collect gives their values.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := c.of.shared.Load()
	for i := range families {
		families[i].rows(s, func(value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(c.descs[i], families[i].kind, value, labels...)
		})
	}
	for k := range s.exchanges {
		if h := &s.exchanges[k].latency; h.count > 0 {
			to <- prometheus.MustNewConstHistogram(c.latency, h.count, float64(h.sum)/1e9, h.upTo(), session.ExchangeKind(k).String())
		}
	}
}
