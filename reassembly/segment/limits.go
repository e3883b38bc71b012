package segment

import "time"

// Limits bounds what a Parser keeps: fragments of IP packets not yet complete.
// Zero fields stand for the defaults.
type Limits struct {
	FragmentBytes     int           // memory for fragments kept, default 16 MiB
	FragmentDatagrams int           // incomplete packets, default 4,096
	FragmentAge       time.Duration // packet time after which one is given up, default 30 s
}

func (l Limits) orDefaults() Limits {
	if l.FragmentBytes <= 0 {
		l.FragmentBytes = 16 << 20
	}
	if l.FragmentDatagrams <= 0 {
		l.FragmentDatagrams = 4096
	}
	if l.FragmentAge <= 0 {
		l.FragmentAge = 30 * time.Second
	}
	return l
}
