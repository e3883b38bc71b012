//go:build linux

package confine

import (
	"strings"
	"time"
)

// Process confines all threads of this process. told says what is in force, and
// what is not and why.
func Process(n Needs) (told string) {
	_ = time.Local.String() // the time zone is read from a file at its first use
	return strings.Join([]string{restrictFiles(n), restrictCalls(n)}, ", ")
}
