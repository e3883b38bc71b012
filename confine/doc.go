// Package confine takes from this process what capture does not need any more, so
// that a packet which finds a fault in the program gains nothing by it.
//
// In: what the process goes on to do (Needs). Out: what is in force from then on,
// in words; it cannot be undone. Kernels that lack a means go without it, which
// the words say.
//
//	landlock  files are out of reach, but for folders that are named (landlock(7))
//	seccomp   system calls that nothing here makes are refused (seccomp(2))
//
// To be changed here: what a confined process may do.
package confine

// Needs says what a confined process may do besides using what is open.
type Needs struct {
	Write   []string // folders in which files are made, written and removed
	Read    []string // folders of which files are read
	Devices []string // devices that are read and written, where they are there
	Network bool     // connections are made to others by name or address
}
