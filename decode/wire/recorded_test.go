package wire

import (
	"os"
	"strings"
	"testing"
)

// recorded gives the messages of testdata/messages.txt.
func recorded(t testing.TB, each func(which int, source string, data []byte)) {
	t.Helper()
	file, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		for i, k := range walked {
			if k.table.Name == f[0] {
				each(i, f[1], unhex(t, f[2]))
			}
		}
	}
}

// What real clients and brokers send has no issues and reads as the library
// reads it.
func TestRecordedMessages(t *testing.T) {
	types := map[string]bool{}
	count := 0
	recorded(t, func(which int, source string, data []byte) {
		k := walked[which]
		w := agree(t, k.table, k.empty, data)
		if len(w.Issues) > 0 {
			t.Errorf("%s: %x: %s", source, data, issueTexts(w))
		}
		if n := w.value(Top, 1); k.table == BaseCommand {
			types[n.Field.Enum.Value(int32(n.Value))] = true
		}
		count++
	})
	if count != 207 || len(types) != 56 {
		t.Errorf("%d messages, %d types of command; want 207 and 56", count, len(types))
	}
}
