package capture

import "bytes"

// secrets keeps the key logs that captures carry, up to maxSecrets bytes.
type secrets struct {
	texts [][]byte
	held  int
}

// add keeps a copy and tells whether there was room for it.
func (s *secrets) add(text []byte) bool {
	if s.held+len(text) > maxSecrets {
		return false
	}
	s.held += len(text)
	s.texts = append(s.texts, bytes.Clone(text))
	return true
}
