package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// size is the value of a flag in bytes: 1048576, 1024K, 1M.
type size[T int | int64] struct{ to *T }

// sizeUnits are the suffixes, each 1,024 of the one before.
const sizeUnits = "KMGT"

// Set reads a size.
func (s size[T]) Set(text string) error {
	digits := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	shift := 0
	if n := len(digits); n > 0 {
		if i := strings.IndexByte(sizeUnits, digits[n-1]); i >= 0 {
			digits, shift = digits[:n-1], 10*(i+1)
		}
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || v < 0 || v > math.MaxInt>>shift {
		return fmt.Errorf("%q is no size: a number of bytes, or one with K, M or G", text)
	}
	*s.to = T(v << shift)
	return nil
}

func (s size[T]) String() string {
	if s.to == nil {
		return ""
	}
	v := int64(*s.to)
	unit := ""
	for i := 0; i < len(sizeUnits) && v != 0 && v%1024 == 0; i++ {
		v, unit = v/1024, sizeUnits[i:i+1]
	}
	return strconv.FormatInt(v, 10) + unit
}

// Type is how help texts call the value.
func (size[T]) Type() string { return "BYTES" }

// number is the value of a flag that counts.
type number struct{ to *int }

// Set reads a number from 1.
func (n number) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 {
		return fmt.Errorf("%q is no number from 1", text)
	}
	*n.to = v
	return nil
}

func (n number) String() string {
	if n.to == nil {
		return "0"
	}
	return strconv.Itoa(*n.to)
}

// Type is how help texts call the value.
func (number) Type() string { return "N" }

// span is the value of a flag that is a duration.
type span struct{ to *time.Duration }

// Set reads a duration: 200ms, 1m30s.
func (s span) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return fmt.Errorf("%q is no duration: write 200ms, 5s or 1m30s", text)
	}
	*s.to = v
	return nil
}

func (s span) String() string {
	if s.to == nil {
		return "0s"
	}
	return s.to.String()
}

// Type is how help texts call the value.
func (span) Type() string { return "DURATION" }

// choice is the value of a flag that is one of a few words.
type choice[T ~string] struct {
	to  *T
	all []T
}

// Set takes one of the words.
func (c choice[T]) Set(text string) error {
	for _, v := range c.all {
		if string(v) == text {
			*c.to = v
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", text, strings.Join(c.words(), ", "))
}

func (c choice[T]) String() string {
	if c.to == nil {
		return ""
	}
	return string(*c.to)
}

// Type is how help texts call the value.
func (c choice[T]) Type() string { return strings.Join(c.words(), "|") }

func (c choice[T]) words() (words []string) {
	for _, v := range c.all {
		words = append(words, string(v))
	}
	return words
}
