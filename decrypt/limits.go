package decrypt

// Limits bounds what is held. Zero fields take the defaults.
type Limits struct {
	HandshakeMessage int // bytes of a handshake message that is read; larger ones are passed over
	Waiting          int // bytes of one direction that wait for the other's handshake or for a secret
	WaitingInAll     int // bytes of all directions that wait so
	Sessions         int // sessions and tickets remembered for resumption
	KeyLogEntries    int // client randoms with secrets; the oldest give way
}

// The default limits.
const (
	DefaultHandshakeMessage = 128 << 10
	DefaultWaiting          = 128 << 10
	DefaultWaitingInAll     = 64 << 20
	DefaultSessions         = 50_000
	DefaultKeyLogEntries    = 200_000
)

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		v *int
		d int
	}{
		{&l.HandshakeMessage, DefaultHandshakeMessage},
		{&l.Waiting, DefaultWaiting},
		{&l.WaitingInAll, DefaultWaitingInAll},
		{&l.Sessions, DefaultSessions},
		{&l.KeyLogEntries, DefaultKeyLogEntries},
	} {
		if *f.v <= 0 {
			*f.v = f.d
		}
	}
	return l
}

// Counters says what was opened, and how often limits were hit.
type Counters struct {
	Connections    uint64 // TLS connections
	Opened         uint64 // of these, the ones with at least one record opened
	Records        uint64 // records opened
	PlainBytes     int64  // bytes of plain text given out
	SealedBytes    int64  // bytes of records that could not be opened
	LongHandshakes uint64 // handshake messages passed over because of their size
	WaitingLimit   uint64 // directions given up because too much waited for a secret
	SessionLimit   uint64 // sessions and tickets that gave way
	KeyLogLimit    uint64 // entries of key logs that gave way
}
