package scrub_test

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"testing"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/bookiepb"
	"pulsar-dissect/rewrite/scrub"
)

const (
	client = wiremake.Client
	server = wiremake.Server
	secret = "a-secret-that-nobody-may-see" // in all that is to go
	host   = "broker-7.example.org"
)

// hello is a ClientHello that asks for a host.
func hello(t *testing.T) []byte {
	t.Helper()
	ours, theirs := net.Pipe()
	got := make(chan []byte)
	go func() {
		b := make([]byte, 4096)
		n, _ := theirs.Read(b)
		_ = theirs.Close()
		got <- b[:n]
	}()
	_ = tls.Client(ours, &tls.Config{ServerName: host, NextProtos: []string{"pulsar"}}).Handshake() // nobody answers
	return <-got
}

func record(kind byte, body string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{kind, 3, 3}, uint16(len(body)))
	return append(b, body...)
}

// entry is an entry as bookies store it, of a message or of something else.
func entry(body []byte, digest func(numbers, body []byte) []byte) wiremake.StoredEntry {
	return wiremake.StoredEntry{Ledger: 7, Entry: 4, LastAddConfirmed: 3, Length: 120, Digest: digest, Body: body}
}

func hmac([]byte, []byte) []byte { return []byte(secret)[:20] }

func header(op bookiepb.OperationType) *bookiepb.BKPacketHeader {
	return &bookiepb.BKPacketHeader{Version: bookiepb.ProtocolVersion_VERSION_THREE.Enum(), Operation: &op, TxnId: new(uint64(5))}
}

func added(body []byte) []byte {
	return wiremake.Bookie3(&bookiepb.Request{Header: header(bookiepb.OperationType_ADD_ENTRY), AddRequest: &bookiepb.AddRequest{
		LedgerId: new(int64(7)), EntryId: new(int64(4)), MasterKey: []byte(secret), Body: body}})
}

// turn is what a side sends in a segment.
type turn struct {
	side int
	data []byte
}

// What is no Pulsar shows the same, and gives nothing away.
func TestProtocols(t *testing.T) {
	hello, proxy := hello(t), []byte("PROXY TCP4 10.20.30.40 10.0.0.2 4711 6651\r\n")
	message := wiremake.Payload{Metadata: sendMetadata(), Body: []byte(secret)}.Section()
	masterKey := []byte(secret)[:20]
	answered := turn{server, wiremake.Bookie2(1, 0, uint32(0), 7, 4)}
	add := func(e wiremake.StoredEntry) turn { return turn{client, wiremake.Bookie2(1, 0, masterKey, e.Bytes())} }
	startTLS := wiremake.Bookie3(&bookiepb.Request{Header: header(bookiepb.OperationType_START_TLS), StartTLSRequest: &bookiepb.StartTLSRequest{}})
	for name, turns := range map[string][]turn{
		"TLS":                       {{client, hello}, {server, record(21, "\x02\x28")}},
		"TLS in pieces":             {{client, hello[:2]}, {client, hello[2:4]}, {client, hello[4:20]}, {client, hello[20:]}, {server, record(21, "\x02\x28")}},
		"TLS behind PROXY":          {{client, proxy}, {client, hello}, {server, record(21, "\x02\x28")}},
		"TLS with PROXY":            {{client, append(bytes.Clone(proxy), hello...)}, {server, record(21, "\x02\x28")}},
		"TLS, records of all kinds": {{client, hello}, {client, record(20, "\x01"+secret)}, {client, record(24, secret)}, {client, record(21, secret)}, {client, record(22, secret)}, {client, record(23, secret)}},
		"TLS, long message":         {{client, hello}, {server, record(22, "\x0b\x00\x10\x00"+secret)}, {server, record(23, secret)}},
		"TLS, malformed":            {{client, record(22, "\x01\x00\x00\x1c"+secret)}, {server, record(22, "\x0b\x00\x00\x1c"+secret)}, {server, []byte(secret)}},
		"HTTP":                      {{client, []byte("GET /" + secret + " HTTP/1.1\r\nAuthorization: Bearer " + secret + "\r\n\r\n")}, {server, []byte("HTTP/1.1 200 OK\r\n\r\n" + secret)}},
		"HTTP behind PROXY":         {{client, append(bytes.Clone(proxy), []byte("POST /"+secret+" HTTP/1.1\r\n\r\n")...)}, {server, []byte("HTTP/1.1 200 OK\r\n\r\n" + secret)}},
		"unknown":                   {{client, []byte("AUTH " + secret)}, {server, []byte("\x00\x00\x01\x07" + secret)}},
		"bookie":                    {add(entry(message, nil)), answered, add(entry(message, wiremake.CRC32)), answered, add(entry(message, hmac)), answered},
		"bookie, no message":        {add(entry([]byte(secret+secret), nil)), answered, add(entry([]byte(secret+secret), hmac)), answered},
		"bookie, wrong digest":      {add(entry(message, func([]byte, []byte) []byte { return []byte{1, 2, 3, 4} })), answered},
		"bookie, version 3":         {{client, added(entry(message, nil).Bytes())}, {client, added([]byte(secret))}},
		"bookie, AUTH":              {{client, wiremake.Bookie2(3, 0, wiremake.Bytes(&bookiepb.AuthMessage{AuthPluginName: new("plain"), Payload: []byte(secret)}))}, add(entry(message, nil)), answered},
		"bookie, unknown":           {add(entry(message, nil)), answered, {client, wiremake.Bookie2(9, 0, []byte(secret))}, {client, wiremake.Bookie2(1, 0, []byte(secret))}},
		"bookie, TLS":               {{client, startTLS}, {client, hello}, {client, record(23, secret)}},
		"bookie, batch broken off":  {add(entry(message, nil)), answered, {server, wiremake.Bookie2(7, 0, uint32(0), 7, 4, 99, uint32(1000), []byte(secret))}},
	} {
		t.Run(name, func(t *testing.T) {
			tape := wiremake.NewTape()
			c := tape.Talk(4000)
			for _, x := range turns {
				c.Send(x.side, x.data)
			}
			c.Close()
			path := filepath.Join(t.TempDir(), "talk.pcap")
			if err := os.WriteFile(path, wiremake.Pcap(tape.Packets), 0o600); err != nil {
				t.Fatal(err)
			}
			checkAll(t, []string{path}, 1)
			out, _ := scrubbed(t, path, scrub.Options{Seed: []byte("seed")})
			raw, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, gone := range []string{secret[:8], secret[8:16], host, "10.20.30.40"} {
				if bytes.Contains(raw, []byte(gone)) {
					t.Errorf("%q is still there", gone)
				}
			}
		})
	}
}
