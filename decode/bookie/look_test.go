package bookie

import (
	"bytes"
	"testing"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestLook(t *testing.T) {
	for _, s := range samples {
		var l Looker
		what, size, role := l.Look(append(s.frame[:len(s.frame):len(s.frame)], "and more"...))
		if what != Whole || size != len(s.frame) || role != s.role {
			t.Errorf("%s: sight %d, %d of %d bytes, role %d", s.name, what, size, len(s.frame), role)
		}
	}
}

// However few bytes there are of a frame, it is never taken for none.
func TestLookAtEveryLength(t *testing.T) {
	for _, s := range samples {
		var l Looker
		told := false
		for n := range s.frame {
			switch what, _, role := l.Look(s.frame[:n]); {
			case what == None || what == Whole:
				t.Fatalf("%s, %d of %d bytes: sight %d", s.name, n, len(s.frame), what)
			case what == Cut && role != s.role:
				t.Fatalf("%s, %d of %d bytes: role %d", s.name, n, len(s.frame), role)
			case told && what != Cut:
				t.Fatalf("%s, %d of %d bytes: not told any more", s.name, n, len(s.frame))
			default:
				told = what == Cut
			}
		}
	}
}

// Reading what the capture cut tells what is there and nothing else.
func TestReadAtEveryLength(t *testing.T) {
	for _, s := range samples {
		whole := *read(s.frame)
		for n := range len(s.frame) - sizeLength {
			p := new(Reader).Read(s.frame[sizeLength:][:n], len(s.frame)-sizeLength)
			if p.Op != 0 && p.Op != whole.Op || p.HasLedger && p.Ledger != whole.Ledger || p.HasEntry && p.Entry != whole.Entry ||
				p.HasStatus && p.Status != whole.Status || p.HasTxn && p.TxnID != whole.TxnID {
				t.Fatalf("%s, %d bytes: %+v", s.name, n, p)
			}
			for i := range p.Stored {
				if got := &p.Stored[i]; got.Verdict != NoVerdict || !got.Cut || !bytes.HasPrefix(whole.Stored[i].Body, got.Body) {
					t.Fatalf("%s, %d bytes: entry %+v", s.name, n, got)
				}
			}
		}
	}
}

func TestLookAtOtherBytes(t *testing.T) {
	pulsar := wiremake.Payload{Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(), Send: &pb.CommandSend{}}}
	for name, b := range map[string][]byte{
		"Pulsar":             pulsar.Frame(),
		"TLS":                {0x16, 3, 1, 0, 0x80, 1, 0, 0, 0x7c, 3, 3},
		"HTTP":               []byte("GET /admin/v2/clusters HTTP/1.1\r\n"),
		"ZooKeeper":          {0, 0, 0, 0x3e, 0, 0, 0, 0xc2, 0, 0, 0, 0x16, 0, 0, 0, 4},
		"no such operation":  wiremake.Bookie2(9, 0, 7, 4),
		"no such status":     wiremake.Bookie2(1, 0, uint32(55), 7, 4),
		"negative ledger":    wiremake.Bookie2(2, 0, -7, 4),
		"no room for an add": wiremake.Bookie2(1, 0, masterKey, 7, 4),
		"other entry":        wiremake.Bookie2(2, 0, code, 7, 5, stored7.Bytes()),
		"flags of an add":    wiremake.Bookie2(2, 2, 7, 4),
		"length of nothing":  {0, 0, 0, 1, 2, 1, 0, 0, 0, 0},
	} {
		var l Looker
		if what, _, _ := l.Look(b); what != None {
			t.Errorf("%s: sight %d", name, what)
		}
	}
}

// Wherever a stream is entered, the next frame that another follows is found.
func TestSearch(t *testing.T) {
	var stream []byte
	var starts []int
	for _, s := range samples {
		starts = append(starts, len(stream))
		stream = append(stream, s.frame...)
	}
	for from := range stream {
		want := -1
		for _, s := range starts {
			if s >= from {
				want = s - from
				break
			}
		}
		var l Looker
		if at, _ := l.Search(stream[from:], 0, true); at != want {
			t.Fatalf("from %d: found at %d, expected %d", from, at, want)
		}
	}
}

// A candidate that may yet be confirmed is waited for, and not searched again.
func TestSearchWaits(t *testing.T) {
	var l Looker
	junk := bytes.Repeat([]byte{0xff}, 50)
	frame := frameOf(t, "read response")
	b := append(append([]byte(nil), junk...), frame...)
	if at, next := l.Search(b, 0, false); at != -1 || next != len(junk) {
		t.Errorf("found at %d, to go on at %d", at, next)
	}
	if at, _ := l.Search(append(b, frame...), len(junk), false); at != len(junk) {
		t.Errorf("found at %d", at)
	}
	if at, next := l.Search(junk, 0, false); at != -1 || next != len(junk)-7 {
		t.Errorf("junk: found at %d, to go on at %d", at, next)
	}
}

func FuzzLook(f *testing.F) {
	for _, s := range samples {
		f.Add(s.frame)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var l Looker
		what, size, _ := l.Look(b)
		if what == Whole && size > len(b) || what == Cut && size <= len(b) {
			t.Errorf("sight %d of %d bytes in %d", what, size, len(b))
		}
		if at, next := l.Search(b, 0, true); at > len(b) || next < 0 {
			t.Errorf("found at %d, next %d", at, next)
		}
		if len(b) < sizeLength {
			return
		}
		p := new(Reader).Read(b[sizeLength:], len(b)-sizeLength)
		for i := range p.Stored {
			if len(p.Stored[i].Body) > len(b) {
				t.Errorf("an entry of %d bytes in %d", len(p.Stored[i].Body), len(b))
			}
		}
		if what == Whole && size == len(b) && p.Fault != "" {
			t.Errorf("looked whole, but %s", p.Fault)
		}
	})
}
