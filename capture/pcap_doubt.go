package capture

import (
	"fmt"
	"strings"
)

// doubt is a set of reasons to think that the bytes at hand are no record header.
type doubt uint8

const (
	tooLong     doubt = 1 << iota // longer than any usual snap length
	overFull                      // more captured than there was
	badFraction                   // a second or more beyond the second
	timeJump                      // further than usualJump from the record before
	nothing                       // no bytes on the wire
)

const (
	// usualJump is how far times of neighbours lie apart at most without doubt,
	// in seconds.
	usualJump = 366 * 24 * 3600
	// resyncJump is the same for records that are to prove that a file goes on.
	resyncJump = 24 * 3600
)

// doubts are the reasons to look twice at a record after one of the second before.
func (r *pcapReader) doubts(rec pcapRecord, before uint32) doubt {
	if rec.captured <= r.usual && rec.captured <= rec.original && rec.fraction < r.fractions &&
		rec.original > 0 && !jumps(before, rec.second, usualJump) {
		return 0
	}
	return r.reasons(rec, before) &^ r.known
}

// jumps tells whether two times, in seconds, lie further apart than limit; a
// time of 0 is taken for not known.
func jumps(before, after, limit uint32) bool {
	return before != 0 && after-before+limit > 2*limit
}

func (r *pcapReader) reasons(rec pcapRecord, before uint32) (d doubt) {
	for i, holds := range [...]bool{
		rec.captured > r.usual,
		rec.captured > rec.original,
		rec.fraction >= r.fractions,
		jumps(before, rec.second, usualJump),
		rec.original == 0,
	} {
		if holds {
			d |= 1 << i
		}
	}
	return d
}

// impossible is what no witness can save.
func impossible(rec pcapRecord) bool {
	return rec.captured > maxCaptured || rec == pcapRecord{}
}

// examine decides about a record in doubt: nil to give it out, again to parse
// anew at the same place.
func (r *pcapReader) examine(rec pcapRecord, d doubt) (again bool, err error) {
	if r.restarts() {
		return true, r.readHeader()
	}
	if impossible(rec) || !r.witness(rec, d) {
		return false, r.suspect().breaks(r.describe(rec))
	}
	r.known |= d &^ timeJump
	return false, nil
}

// restarts tells whether another pcap file begins here: files put one after
// another, plain or compressed, are read as one.
func (r *pcapReader) restarts() bool {
	b := r.w.peek(pcapHeaderSize)
	if len(b) < pcapHeaderSize || !isPcap(b) {
		return false
	}
	r.log.warn(r.packets, r.w.offset, "another pcap file begins here; it is read on with")
	return true
}

// witness tells whether what follows a record in doubt speaks for it: the end of
// the file, or a record that is in no other doubt.
func (r *pcapReader) witness(rec pcapRecord, d doubt) bool {
	size := r.record + int(rec.captured)
	b := r.w.peek(size + r.record)
	if len(b) < size {
		return d&(d-1) == 0 // cut off: no more than one doubt
	}
	if len(b) < size+r.record {
		return true
	}
	after := r.parse(b[size:])
	return !impossible(after) && r.reasons(after, rec.second)&^(r.known|d) == 0
}

// plausible tells whether b begins with a record that is in no doubt. An empty
// one proves too little.
func (r *pcapReader) plausible(b []byte) (length int, ok bool) {
	if len(b) < r.record {
		return 0, false
	}
	rec := r.parse(b)
	if rec.captured == 0 || rec.captured > r.usual || jumps(r.second, rec.second, resyncJump) || r.reasons(rec, 0)&^r.known != 0 {
		return 0, false
	}
	return r.record + int(rec.captured), true
}

func (r *pcapReader) suspect() suspect {
	return suspect{r.w, r.log, r.packets, r.plausible, "packets"}
}

// describe says what is wrong with a header, and what was expected.
func (r *pcapReader) describe(rec pcapRecord) string {
	if rec == (pcapRecord{}) {
		return "no packet header here but zeros"
	}
	limits := []string{
		fmt.Sprintf("%d bytes captured, more than %d", rec.captured, r.usual),
		fmt.Sprintf("%d bytes captured of %d", rec.captured, rec.original),
		fmt.Sprintf("a fraction of %d/%d s", rec.fraction, r.fractions),
		fmt.Sprintf("%d s from the packet before", int64(rec.second)-int64(r.second)),
		"no bytes on the wire",
	}
	var said []string
	for i, d := 0, r.reasons(rec, r.second); i < len(limits); i++ {
		if d&(1<<i) != 0 {
			said = append(said, limits[i])
		}
	}
	return "no packet header here: it would say " + strings.Join(said, ", ")
}

// cut is called where the file ends inside a record: there of size bytes are left.
func (r *pcapReader) cut(there, size int) error {
	if err := r.suspect().cut(there, size); err != nil {
		return err
	}
	r.log.warn(r.packets+1, r.w.offset, "the file ends inside this packet: %d of %d bytes are there", there-r.record, size-r.record)
	return nil
}
