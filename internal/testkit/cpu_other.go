//go:build !unix

package testkit

import "time"

var began = time.Now()

// cpu stands in for the CPU time of the process where it is not to be had so
// simply.
func cpu() time.Duration { return time.Since(began) }
