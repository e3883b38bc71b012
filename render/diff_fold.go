package render

import (
	"net/netip"
	"regexp"
	"strings"

	"pulsar-dissect/diagnose"
)

// findingKey is what findings of two runs have in common where they are the
// same: ports, ids and generated names are not the same again.
type findingKey struct {
	rule     *diagnose.Rule
	severity diagnose.Severity
	title    string
	subject  string
}

// foundAlike are the findings of a run with one key.
type foundAlike struct {
	first *diagnose.Finding
	count uint64
}

func keyOf(f *diagnose.Finding) findingKey {
	s := foldedSubject(&f.Subject)
	return findingKey{f.Rule, f.Severity, foldName(f.Title), subjectWords(&s)}
}

// foldedSubject is a subject without what differs from run to run. A topic says
// enough without the connection.
func foldedSubject(s *diagnose.Subject) diagnose.Subject {
	folded := diagnose.Subject{
		ConnID: -1, Topic: foldName(s.Topic), Subscription: foldName(s.Subscription),
		Producer: foldProducer(s.Producer), Consumer: foldConsumer(s.Consumer),
	}
	if s.Topic == "" {
		folded.Conn = foldConn(s.Conn)
	}
	return folded
}

// The parts of names that programs make up.
var (
	uuid        = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	hexadecimal = regexp.MustCompile(`\b[0-9a-f]{8,}\b`)                // hashes, such as in the subscription of a reader
	longNumber  = regexp.MustCompile(`[0-9]{5,}`)                       // times, process ids; partitions have fewer digits
	byBroker    = regexp.MustCompile(`^(.+)-[0-9]+-[0-9]+$`)            // CLUSTER-N-M: a producer's name from the broker
	byClient    = regexp.MustCompile(`^([0-9a-zA-Z]{5}|[0-9a-f]{10})$`) // a consumer's name from a client library
	byNumber    = regexp.MustCompile(`^(producer|consumer) [0-9]+$`)
)

// foldName puts a star in place of what looks made up.
func foldName(name string) string {
	for _, madeUp := range []*regexp.Regexp{uuid, hexadecimal, longNumber} {
		name = madeUp.ReplaceAllString(name, "*")
	}
	return name
}

func foldProducer(name string) string {
	if byNumber.MatchString(name) {
		return ""
	}
	return foldName(byBroker.ReplaceAllString(name, "$1-*"))
}

func foldConsumer(name string) string {
	switch {
	case byNumber.MatchString(name):
		return ""
	case byClient.MatchString(name):
		return "*"
	}
	return foldName(name)
}

// foldConn takes the port of the client out of the name of a connection.
func foldConn(name string) string {
	client, server, _ := strings.Cut(name, "-")
	if a, err := netip.ParseAddrPort(client); err == nil {
		return a.Addr().String() + "-" + server
	}
	return name
}
