package bookie

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/internal/wiremake"
)

func read(frame []byte) *Packet { return new(Reader).Read(frame[sizeLength:], len(frame)-sizeLength) }

func TestRead(t *testing.T) {
	for _, s := range samples {
		p := read(s.frame)
		if p.Fault != "" || p.Op != s.op || p.Role != s.role || len(p.Stored) != s.stored || p.TxnID != s.txn {
			t.Errorf("%s: fault %q, %s, role %d, %d entries, txn %d", s.name, p.Fault, p.Op, p.Role, len(p.Stored), p.TxnID)
		}
		if p.HasLedger != (s.ledger != -2) || p.HasLedger && p.Ledger != s.ledger || p.HasEntry && p.Entry != s.entry {
			t.Errorf("%s: ledger %t %d, entry %t %d", s.name, p.HasLedger, p.Ledger, p.HasEntry, p.Entry)
		}
		if p.HasStatus != (s.status != "") || p.HasStatus && p.Status.String() != s.status {
			t.Errorf("%s: status %t %s", s.name, p.HasStatus, p.Status)
		}
	}
}

// A frame of a real broker, its response, and the request to read it back.
func TestReadRecorded(t *testing.T) {
	add, err := hex.DecodeString("00000040" + "02010000" + "850bf1071c5e3d8c24235676f8816ae0cbe2f14f" +
		"0000000000000009" + "0000000000000000" + "ffffffffffffffff" + "0000000000000004" + "9ec0f921" + "0802100e")
	if err != nil {
		t.Fatal(err)
	}
	p := read(add)
	if len(p.Stored) != 1 {
		t.Fatalf("%d entries, fault %q", len(p.Stored), p.Fault)
	}
	s := p.Stored[0]
	if s.Digest != CRC32C || s.Verdict != DigestOK || s.Ledger != 9 || s.Entry != 0 || s.LastAddConfirmed != -1 || s.Length != 4 ||
		!bytes.Equal(s.Body, []byte{8, 2, 0x10, 0x0e}) {
		t.Errorf("%+v", s)
	}
}

func TestFieldsOfVersion3(t *testing.T) {
	for name, want := range map[string]string{
		"v3 add request":  `{"ledgerId":7,"entryId":4,"masterKey":"<redacted 20 bytes`,
		"v3 long poll":    `{"ledgerId":7,"entryId":5,"previousLAC":4,"timeOut":1000,"flag":"ENTRY_PIGGYBACK"}`,
		"v3 info request": `{"requested":3}`,
		"auth":            `{"authPluginName":"plain","payload":"<redacted 6 bytes`,
		"v3 refused read": `{"status":"ENOLEDGER","ledgerId":7,"entryId":4}`,
	} {
		p := read(frameOf(t, name))
		if got := string(p.Fields.AppendJSON(nil, p.Parent, nil)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
	if p := read(frameOf(t, "v3 lac")); !p.HasLAC || p.LAC != 42 || p.Fields.Found&wire.MissingRequired != 0 {
		t.Errorf("explicit last add confirmed %t %d", p.HasLAC, p.LAC)
	}
}

func frameOf(t *testing.T, name string) []byte {
	t.Helper()
	for _, s := range samples {
		if s.name == name {
			return s.frame
		}
	}
	t.Fatalf("no sample %q", name)
	return nil
}

func TestDigests(t *testing.T) {
	hmac := func([]byte, []byte) []byte { return bytes.Repeat([]byte{0x5a}, 20) }
	none := func([]byte, []byte) []byte { return nil }
	wrong := func([]byte, []byte) []byte { return []byte{1, 2, 3, 4} }
	message, other := stored7.Body, []byte("no message")
	for _, c := range []struct {
		name    string
		usual   Digest
		digest  func(numbers, body []byte) []byte
		body    []byte
		kind    Digest
		verdict Verdict
	}{
		{"CRC32C", UnknownDigest, wiremake.CRC32C, message, CRC32C, DigestOK},
		{"CRC32C of what is no message", UnknownDigest, wiremake.CRC32C, other, CRC32C, DigestOK},
		{"CRC32", UnknownDigest, wiremake.CRC32, message, CRC32, DigestOK},
		{"HMAC", UnknownDigest, hmac, message, HMAC, DigestUnverified},
		{"HMAC, told before", HMAC, hmac, other, HMAC, DigestUnverified},
		{"none", UnknownDigest, none, message, Dummy, DigestAbsent},
		{"none, told before", Dummy, none, other, Dummy, DigestAbsent},
		{"wrong CRC32C", UnknownDigest, wrong, message, CRC32C, DigestBad},
		{"wrong CRC32C, told before", CRC32C, wrong, other, CRC32C, DigestBad},
		{"not to be told", UnknownDigest, wrong, other, UnknownDigest, DigestUnverified},
	} {
		s, b := stored7, []byte(nil)
		s.Digest, s.Body = c.digest, c.body
		b = s.Bytes()
		usual := c.usual
		got, fault := stored(b, false, false, &usual)
		want := c.body
		if c.kind == UnknownDigest {
			want = nil
		}
		if fault != "" || got.Digest != c.kind || got.Verdict != c.verdict || !bytes.Equal(got.Body, want) {
			t.Errorf("%s: %s %s %q, fault %q", c.name, got.Digest, got.Verdict, got.Body, fault)
		}
	}
}

func TestFlags(t *testing.T) {
	var names []string
	p := read(wiremake.Bookie2(2, 5, 7, -1, masterKey))
	p.FlagNames(func(name string) { names = append(names, name) })
	if got := strings.Join(names, " "); got != "DO_FENCING HIGH_PRIORITY" || len(p.MasterKey) != 20 {
		t.Errorf("flags %q, key of %d bytes", got, len(p.MasterKey))
	}
}

// Operations of version 2 that no layout is known of keep their names.
func TestUnknownLayout(t *testing.T) {
	for op, want := range map[byte]string{1: "ADD_ENTRY", 9: "UNKNOWN(9)"} {
		p := read(wiremake.Bookie2(op, 0x80, 1))
		if p.Fault != "unknown_layout" || p.Op.String() != want || p.Version != 2 {
			t.Errorf("%d: fault %q, %s", op, p.Fault, p.Op)
		}
	}
}
