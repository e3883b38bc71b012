//go:build !unix

package main

// peak is not told by other systems.
func peak(any) int64 { return 0 }
