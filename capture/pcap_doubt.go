package capture

import "io"

// doubts are the reasons to look twice at a record that follows one of the time before.
func (r *pcapReader) doubts(rec pcapRecord, before uint32) doubt {
	if rec.captured <= r.usual && rec.captured <= rec.original && rec.fraction < r.fractions &&
		rec.original > 0 && (before == 0 || rec.second-before+timeDistance <= 2*timeDistance) {
		return 0
	}
	return r.reasons(rec, before) &^ r.known
}

func (r *pcapReader) reasons(rec pcapRecord, before uint32) (d doubt) {
	for _, c := range []struct {
		reason doubt
		holds  bool
	}{
		{tooLong, rec.captured > r.usual},
		{overFull, rec.captured > rec.original},
		{badFraction, rec.fraction >= r.fractions},
		{timeJump, before != 0 && rec.second-before+timeDistance > 2*timeDistance},
		{emptyOriginal, rec.original == 0},
	} {
		if c.holds {
			d |= c.reason
		}
	}
	return d
}

// examine decides about a record in doubt.
func (r *pcapReader) examine(rec pcapRecord, d doubt) (again bool, err error) {
	if rec.captured > maxCaptured {
		r.log.warn(r.packets, r.w.offset, "absurd length %d", rec.captured)
		return false, io.EOF
	}
	return false, nil
}

// cut is called for a record of size bytes of which only b is there.
func (r *pcapReader) cut(b []byte, size int) error {
	r.log.warn(r.packets+1, r.w.offset, "the file ends inside this packet: %d of %d bytes", len(b)-r.record, size-r.record)
	return nil
}
