//go:build !linux

package live

import (
	"errors"
	"iter"

	"pulsar-dissect/capture"
)

// Source cannot capture here.
type Source struct{}

// Open fails: there are no packet sockets but on Linux.
func Open(Options) (*Source, error) {
	return nil, errors.New("interfaces can be captured from on Linux only; elsewhere use: tcpdump -i any -U -w - | pulsar-dissect sniff -")
}

// Files are none.
func (*Source) Files() []string { return nil }

// Secrets are none.
func (*Source) Secrets() [][]byte { return nil }

// Stop does nothing.
func (*Source) Stop() {}

// Packets gives none.
func (*Source) Packets() iter.Seq2[capture.Packet, error] {
	return func(func(capture.Packet, error) bool) {}
}

// Stats are empty.
func (*Source) Stats() capture.Stats { return capture.Stats{} }

// Interface is empty.
func (*Source) Interface(uint32) string { return "" }

// Close does nothing.
func (*Source) Close() error { return nil }
