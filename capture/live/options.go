package live

// Any names all interfaces.
const Any = "any"

// Options say what to capture.
type Options struct {
	Interfaces  []string // names, or Any
	Promiscuous bool     // take what is meant for other machines, too
	Snap        int      // bytes of a packet that are kept; 0: DefaultSnap
	Buffer      int      // bytes of the ring; 0: DefaultBuffer
	Filter      Filter

	// Tell takes news in words: an interface went down, packets were lost. It
	// is called from within the loop over Packets, as is Idle.
	Tell func(news string)
	// Idle is called when no more packets are there, ahead of waiting for some, and
	// every second while none come.
	Idle func()
}

func (o Options) withDefaults() Options {
	if o.Snap <= 0 {
		o.Snap = DefaultSnap
	}
	if o.Buffer <= 0 {
		o.Buffer = DefaultBuffer
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	if o.Idle == nil {
		o.Idle = func() {}
	}
	return o
}
