//go:build !unix

package main

import "os"

// dumpSignals are none here.
var dumpSignals []os.Signal
