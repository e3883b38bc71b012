package wire

// Options says how the faces show values. nil stands for the zero value.
type Options struct {
	ShowSecrets bool // show credentials and keys as they are
	MaxText     int  // bytes of a string or bytes value in text, 0: all
}

var defaults Options

func (o *Options) orDefault() *Options {
	if o == nil {
		return &defaults
	}
	return o
}
