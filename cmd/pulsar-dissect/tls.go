package main

import (
	"fmt"

	"pulsar-dissect/decrypt"
)

// newDecrypter reads the secrets that flags name.
func newDecrypter(source packetSource, o *options) (*decrypt.Decrypter, error) {
	d, err := decrypt.New(decrypt.Options{
		KeyLogs:    o.tlsKeyLogs,
		ServerKeys: o.tlsKeys,
		Secrets:    source.Secrets,
		Limits:     o.limits.decrypt,
	})
	if err != nil {
		return nil, wrongUse("", "%w", err)
	}
	return d, nil
}

// uselessKeyLogs says of which key logs that flags name nothing came.
func (p *pipeline) uselessKeyLogs() (lines []string) {
	n := p.decrypter.Counters()
	for _, log := range p.decrypter.KeyLogs() {
		switch {
		case log.Secrets == 0:
			lines = append(lines, fmt.Sprintf("warning: %s holds no secrets of TLS", log.Path))
		case n.Connections > 0 && n.Opened == 0:
			lines = append(lines, fmt.Sprintf("warning: of the secrets in %s (%d) none is of a TLS connection in this capture", log.Path, log.Secrets))
		}
	}
	return lines
}

// paths is the value of a flag that names a file and may be given several
// times.
type paths struct{ to *[]string }

// Set adds a path.
func (p paths) Set(path string) error {
	*p.to = append(*p.to, path)
	return nil
}

func (p paths) String() string { return "" }

// Type is how help texts call the value.
func (p paths) Type() string { return "FILE" }
