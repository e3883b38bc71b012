package capture

import "fmt"

// container walks the packets of one file.
type container interface {
	// next fills p, whose Data is valid until the call after. It gives io.EOF
	// at the end, an *Error where the container breaks.
	next(p *Packet) error
}

// format is a row of the table of containers.
type format struct {
	name  string
	match func(start []byte) bool
	open  func(w *window, log *fileLog) (container, error)
}

var formats = []format{
	{"pcap", isPcap, openPcap},
	{"pcapng", isPcapng, openPcapng},
}

// sniffSize is how many bytes of a file are looked at to tell what it is.
const sniffSize = 512

// openContainer tells by its content what w holds.
func openContainer(w *window, log *fileLog) (container, error) {
	start := w.peek(4)
	for _, f := range formats {
		if f.match(start) {
			return f.open(w, log)
		}
	}
	start = w.peek(sniffSize)
	if err := w.failure(); err != nil {
		return nil, err
	}
	if log.within != "" {
		return nil, fmt.Errorf("no capture in the %s stream: %s", log.within, lookOf(start))
	}
	return nil, fmt.Errorf("no capture: %s", lookOf(start))
}
