package main

import (
	"fmt"
	"strings"

	"pulsar-dissect/decode/schema"
)

// schemas is the value of a flag that gives a topic a schema, and may be given
// several times.
type schemas struct {
	byTopic map[string]*schema.Schema
	named   []string
}

// Set reads TOPIC=FILE. The file is read at once, so that one which is of no
// use is told of before any capture is read.
func (s *schemas) Set(text string) error {
	topic, file, ok := strings.Cut(text, "=")
	if !ok || topic == "" || file == "" {
		return fmt.Errorf("%q is not TOPIC=FILE", text)
	}
	loaded, err := schema.Load(file)
	if err != nil {
		return err
	}
	if s.byTopic == nil {
		s.byTopic = map[string]*schema.Schema{}
	}
	s.byTopic[topic], s.named = loaded, append(s.named, text)
	return nil
}

func (s *schemas) String() string { return strings.Join(s.named, ", ") }

// Type is how help texts call the value.
func (s *schemas) Type() string { return "TOPIC=FILE" }
