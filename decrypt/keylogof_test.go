package decrypt

import (
	"strings"
	"testing"
)

// Of a key log, the lines of some connections are given, and no comments.
func TestKeyLogOf(t *testing.T) {
	a, b := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	secret := strings.Repeat("01", 48)
	log := "# comment\nCLIENT_RANDOM " + a + " " + secret + "\nCLIENT_RANDOM " + b + " " + secret + "\r\nRSA 0102030405060708 " + secret +
		"\n\x00SERVER_TRAFFIC_SECRET_0 " + a + " " + secret + "\nCLIENT_RANDOM " + a + " 01\n"
	var wanted Random
	for i := range wanted {
		wanted[i] = 0xab
	}
	want := "CLIENT_RANDOM " + a + " " + secret + "\nSERVER_TRAFFIC_SECRET_0 " + a + " " + secret + "\n"
	if got := string(KeyLogOf([]byte(log), map[Random]bool{wanted: true})); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
