//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// peak is the most memory that a process had, in KiB.
func peak(usage any) int64 {
	u, ok := usage.(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin": // getrusage(2) counts bytes there
		return int64(u.Maxrss) / 1024 //nolint:unconvert // an int32 on some systems
	}
	return int64(u.Maxrss) //nolint:unconvert // an int32 on some systems
}
