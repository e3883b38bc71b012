package decrypt

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"pulsar-dissect/reassembly"
)

// repeat gives n bytes as hex.
func repeat(b byte, n int) string {
	return hex.EncodeToString([]byte(strings.Repeat(string(rune(b)), n)))
}

var (
	someRandom = repeat('r', 32)
	someMaster = repeat('m', 48)
	someSecret = repeat('s', 32)
)

func TestKeyLines(t *testing.T) {
	for _, x := range []struct {
		line string
		kind keyKind
		id   string
	}{
		{"CLIENT_RANDOM " + someRandom + " " + someMaster, keyMaster, someRandom},
		{"CLIENT_RANDOM " + strings.ToUpper(someRandom) + " " + strings.ToUpper(someMaster) + "\r", keyMaster, someRandom},
		{"  CLIENT_RANDOM\t" + someRandom + "  " + someMaster + " ", keyMaster, someRandom},
		{"\x00\x00\x00CLIENT_RANDOM " + someRandom + " " + someMaster, keyMaster, someRandom},
		{"PMS_CLIENT_RANDOM " + someRandom + " " + repeat('p', 32), keyPremaster, someRandom},
		{"CLIENT_HANDSHAKE_TRAFFIC_SECRET " + someRandom + " " + someSecret, keyClientHandshake, someRandom},
		{"SERVER_HANDSHAKE_TRAFFIC_SECRET " + someRandom + " " + someMaster, keyServerHandshake, someRandom},
		{"CLIENT_TRAFFIC_SECRET_0 " + someRandom + " " + someSecret, keyClientApplication, someRandom},
		{"SERVER_TRAFFIC_SECRET_0 " + someRandom + " " + someSecret, keyServerApplication, someRandom},
		{"client_traffic_secret_0 " + someRandom + " " + someSecret, keyClientApplication, someRandom},
		{"HANDSHAKE_TRAFFIC_SECRET " + someRandom + " " + someSecret, keyClientHandshake, someRandom},
		{"TRAFFIC_SECRET_0 " + someRandom + " " + someSecret, keyClientApplication, someRandom},
		{"RSA 0011223344556677 " + someMaster, keyRSA, "0011223344556677"},
		{"RSA Session-ID:aabb Master-Key:" + someMaster, keySession, "aabb"},
	} {
		l, ok := parseKeyLine([]byte(x.line))
		if !ok || l.kind != x.kind || hex.EncodeToString(l.id) != x.id || len(l.secret) == 0 {
			t.Errorf("%q is read as %+v, %v", x.line, l, ok)
		}
	}
}

func TestKeyLinesOfNoUse(t *testing.T) {
	for _, line := range []string{
		"", "# SSL/TLS secrets log file", "CLIENT_RANDOM", "CLIENT_RANDOM " + someRandom,
		"CLIENT_RANDOM " + someRandom + " " + someMaster + " more",
		"CLIENT_RANDOM " + someRandom + " " + someMaster[2:],
		"CLIENT_RANDOM " + someRandom[2:] + " " + someMaster,
		"CLIENT_RANDOM " + someRandom + " " + someMaster[:95] + "g",
		"CLIENT_RANDOM zz" + someRandom[2:] + " " + someMaster,
		"CLIENT_TRAFFIC_SECRET_0 " + someRandom + " " + repeat('s', 33),
		"CLIENT_TRAFFIC_SECRET_1 " + someRandom + " " + someSecret,
		"EXPORTER_SECRET " + someRandom + " " + someSecret,
		"CLIENT_EARLY_TRAFFIC_SECRET " + someRandom + " " + someSecret,
		"RSA Session-ID: Master-Key:" + someMaster,
		"RSA Session-ID:aabb Key:" + someMaster,
		"RSA 00112233 " + someMaster,
		"CLIENT_RANDOM " + someRandom + " " + strings.Repeat("0", 1<<20),
	} {
		if l, ok := parseKeyLine([]byte(line)); ok {
			t.Errorf("%.200q is read as %+v", line, l)
		}
	}
}

// wide is text as a Windows shell writes it into a file: UTF-16 with a byte
// order mark.
func wide(s string) string {
	return "\xFF\xFE" + strings.Join(strings.Split(s, ""), "\x00") + "\x00"
}

// A log of which every letter has a NUL behind it is still read, but for the
// line that the byte order mark stands in.
func TestKeyLogWithNULs(t *testing.T) {
	path := writeFile(t, "keys", wide("# a comment\r\nCLIENT_RANDOM "+someRandom+" "+someMaster+"\r\n"))
	d := newDecrypter(t, Options{KeyLogs: []string{path}})
	if len(d.keys.byRandom) != 1 {
		t.Errorf("%d client randoms", len(d.keys.byRandom))
	}
}

// A log that grows is read again where a secret is missing, half a line at its
// end included, and from its start where another took its place.
func TestKeyLogGrows(t *testing.T) {
	line := "CLIENT_RANDOM " + someRandom + " " + someMaster
	path := writeFile(t, "keys", "# nothing yet\n"+line[:100])
	d := newDecrypter(t, Options{KeyLogs: []string{path}})
	r := random([]byte(strings.Repeat("r", 32)))
	if e := d.keys.of(r, keyMaster); e != nil {
		t.Fatalf("half a line gives %v", e)
	}
	appendTo(t, path, line[100:])
	if e := d.keys.of(r, keyMaster); e == nil || hex.EncodeToString(e[keyMaster]) != someMaster {
		t.Fatal("the line is not there without its end")
	}
	appendTo(t, path, "\nCLIENT_RANDOM "+repeat('q', 32)+" "+someMaster+"\n")
	if e := d.keys.of(random([]byte(strings.Repeat("q", 32))), keyMaster); e == nil {
		t.Fatal("a line that came later is not there")
	}
	if err := os.WriteFile(path, []byte("CLIENT_RANDOM "+repeat('p', 32)+" "+someMaster+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := d.keys.of(random([]byte(strings.Repeat("p", 32))), keyMaster); e == nil {
		t.Fatal("the log that took the other's place was not read")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if e := d.keys.of(random([]byte(strings.Repeat("x", 32))), keyMaster); e != nil {
		t.Fatalf("without the log there is %v", e)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// Secrets that are written while the connection runs open what waited for
// them, each record with the time of its own packet.
func TestKeyLogDuringRun(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	path := writeFile(t, "keys", "")
	d := newDecrypter(t, Options{KeyLogs: []string{path}})
	n, p := 0, &played{}
	var times []uint64
	for e := range d.Events(func(yield func(*reassembly.Event, error) bool) {
		for e, err := range connections(r.conns) {
			if n++; n == len(r.conns[0]) {
				appendTo(t, path, strings.Join(r.keys, "\n")+"\n")
			}
			if !yield(e, err) {
				return
			}
		}
	}) {
		p.take(t, e)
		if len(e.Data) > 0 {
			times = append(times, e.At.Packet)
		}
	}
	checkPlain(t, p, fromClient, fromServer)
	if len(times) != 4 || times[0] >= times[1] && times[2] >= times[3] {
		t.Errorf("packets of the plain text: %v", times)
	}
}

// A line that is longer than any is passed over, whatever its length.
func TestLongLine(t *testing.T) {
	line := "CLIENT_RANDOM " + someRandom + " " + someMaster + "\n"
	path := writeFile(t, "keys", strings.Repeat("x ", 1<<20)+"\n"+line)
	d := newDecrypter(t, Options{KeyLogs: []string{path}})
	if len(d.keys.byRandom) != 1 {
		t.Errorf("%d client randoms", len(d.keys.byRandom))
	}
}

func TestKeyLogLimit(t *testing.T) {
	var log strings.Builder
	for i := range 10 {
		fmt.Fprintf(&log, "CLIENT_RANDOM %064x %s\n", i, someMaster)
		fmt.Fprintf(&log, "RSA Session-ID:%02x Master-Key:%s\n", i, someMaster)
	}
	d := newDecrypter(t, Options{Limits: Limits{KeyLogEntries: 4}, KeyLogs: []string{writeFile(t, "keys", log.String())}})
	if len(d.keys.byRandom) != 4 || len(d.keys.bySession) != 4 || d.Counters().KeyLogLimit != 12 {
		t.Errorf("%d client randoms, %d sessions, limit hit %d times", len(d.keys.byRandom), len(d.keys.bySession), d.Counters().KeyLogLimit)
	}
	if d.keys.byRandom[random{31: 9}] == nil || d.keys.byRandom[random{}] != nil {
		t.Error("it is not the oldest that gave way")
	}
}

func TestKeyErrors(t *testing.T) {
	for _, x := range []struct {
		o    Options
		want string
	}{
		{Options{KeyLogs: []string{"/no/such/file"}}, "TLS key log /no/such/file: stat /no/such/file: no such file or directory (for a log that is yet to be written, make an empty file first)"},
		{Options{ServerKeys: []string{writeFile(t, "none.pem", "no key\n")}}, "no private key in PEM form"},
		{Options{ServerKeys: []string{writeFile(t, "ec.pem", ecKey)}}, "not an RSA key"},
		{Options{ServerKeys: []string{writeFile(t, "locked.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n")}}, "encrypted with a passphrase"},
		{Options{ServerKeys: []string{writeFile(t, "bad.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")}}, "asn1"},
	} {
		if _, err := New(x.o); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, expected %q", x.o, err, x.want)
		}
	}
}

// ecKey is the key of RFC 9500, section 2.3.
const ecKey = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIObLW92AqkWunJXowVR2Z5/+yVPBaFHnEedDk5WJxk/BoAoGCCqGSM49
AwEHoUQDQgAEQiVI+I+3gv+17KN0RFLHKh5Vj71vc75eSOkyMsxFxbFsTNEMTLjV
uKFxOelIgsiZJXKZNCX0FBmrfpCkKklCcg==
-----END EC PRIVATE KEY-----
`
