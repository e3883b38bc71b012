package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"pulsar-dissect/render/metrics"
)

// metricsPath is where Prometheus looks unless it is told otherwise.
const metricsPath = "/metrics"

// slowest is how long a client may take to say what it wants, and to read it: each
// one that does not holds a connection open.
const slowest = 10 * time.Second

// serving answers scrapes. A nil one does nothing.
type serving struct {
	listener net.Listener
	server   *http.Server
	recorder *metrics.Recorder
}

// listen opens the address of metrics, while the rights for that are there; nil
// where none is wanted.
func listen(address string) (*serving, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, wrongUse("Name another address with --metrics, as 127.0.0.1:9469 or :9469.", "metrics cannot be served: %w", err)
	}
	return &serving{listener: l}, nil
}

// serve begins to answer with the counts of a recorder.
func (s *serving) serve(r *metrics.Recorder, c *console) {
	s.recorder = r
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, r.Handler())
	s.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: slowest, WriteTimeout: slowest, IdleTimeout: time.Minute,
		ErrorLog: log.New(io.Discard, "", 0), // of clients that break off
	}
	c.tell(fmt.Sprintf("metrics are at http://%s%s", s.listener.Addr(), metricsPath))
	go func() {
		if err := s.server.Serve(s.listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			c.tell("metrics are served no longer: " + err.Error())
		}
	}()
}

// look publishes what has been counted, since nothing more is at hand.
func (s *serving) look() {
	if s != nil && s.recorder != nil {
		s.recorder.Look()
	}
}

// stop ends it.
func (s *serving) stop() {
	switch {
	case s == nil:
	case s.server == nil:
		_ = s.listener.Close() // nobody is connected
	default:
		_ = s.server.Close() // as above, or somebody who comes too late
	}
}
