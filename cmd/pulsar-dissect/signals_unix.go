//go:build unix

package main

import (
	"os"
	"syscall"
)

// dumpSignals ask for what a ring holds.
var dumpSignals = []os.Signal{syscall.SIGUSR1}
