// Package index finds things by numbers, for those who follow many: where each
// message of a run is looked up several times, a map costs more than all the
// rest.
//
// In: the hash of what is kept, and its place in a list of the caller's. Out:
// the places with a hash. The caller compares what is there: the index does not
// know what it is.
package index
