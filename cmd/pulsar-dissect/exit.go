package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"
)

// The exit statuses.
const (
	statusDone        = 0   // also when a capture's tail is cut, or nobody reads the output any more
	statusUse         = 1   // wrong use
	statusInput       = 2   // an input could not be read, or breaks in the middle, or has nothing for --fail-on to judge; or the output could not be written
	statusFound       = 3   // a finding is as severe as --fail-on says, or more
	statusInterrupted = 130 // stopped by Ctrl-C; what had been read is shown
)

// inputError is what ends with statusInput.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// errReported is an input error that was told when it came up.
var errReported = errors.New("an input could not be read to its end, or not at all")

// errFound says that a finding is as severe as --fail-on says.
var errFound = errors.New("a finding is as severe as --fail-on says")

// useError is wrong use, with a hint of what would be right.
type useError struct {
	error
	hint string
}

func wrongUse(hint, format string, args ...any) error {
	return useError{fmt.Errorf(format, args...), hint}
}

// exitStatus gives the exit status for what a command ended with, and tells
// the user of it where that has not been done.
func exitStatus(err error, stderr io.Writer) int {
	input := inputError{}
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return statusDone
	case errors.Is(err, context.Canceled):
		return statusInterrupted
	case errors.Is(err, errReported):
		return statusInput
	case errors.Is(err, errFound):
		return statusFound
	case errors.As(err, &input):
		tell(stderr, err)
		return statusInput
	}
	tell(stderr, err)
	if use := (useError{}); errors.As(err, &use) && use.hint != "" {
		say(stderr, use.hint)
	}
	return statusUse
}

// tell writes a message, each of its lines with the name of the program if it
// is of its own.
func tell(stderr io.Writer, err error) {
	for _, line := range strings.Split(err.Error(), "\n") {
		if !strings.HasPrefix(line, "  ") {
			line = "pulsar-dissect: " + line
		}
		say(stderr, line)
	}
}

// say writes a line of a message. There is nobody to tell if that fails.
func say(stderr io.Writer, line string) { _, _ = io.WriteString(stderr, harmless(line)+"\n") }

// harmless makes visible what a terminal would obey, or what turns or hides the
// text around it: names of files may hold that.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' && r != '\n':
			return 0x2400 + r // control pictures
		case r != '\n' && !strconv.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, text)
}
