// Package nearest finds the name that somebody probably meant.
//
// In: what was written and the names there are. Out: the nearest of them, or a
// hint for an error message. The place for how near is near enough.
package nearest
