package render

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/session"
)

// tlsRow counts connections with the same trouble.
type tlsRow struct {
	count   uint64
	example int // number of the first
}

// keptTLS is how many troubles of each kind are told apart.
const keptTLS = 100

// encryption takes what is wrong with the TLS of a connection.
func (a *Analyze) encryption(c *session.Conn) {
	f := decrypt.FactsOf(c.TCP)
	if f == nil {
		return
	}
	for _, alert := range f.Alerts {
		if alert.Fatal {
			countTLS(a.alerts, alert.Description+", said by the "+sideName(c, int8(alert.From)), c.ID)
		}
	}
	if f.Why != "" {
		countTLS(a.unopened, f.Why, c.ID)
	}
}

func countTLS(rows map[string]*tlsRow, what string, id int) {
	r := rows[what]
	if r == nil {
		if len(rows) >= keptTLS {
			return
		}
		r = &tlsRow{example: id}
		rows[what] = r
	}
	r.count++
}

// frequentFirst gives the keys of the rows.
func frequentFirst(rows map[string]*tlsRow) []string {
	return slices.SortedFunc(maps.Keys(rows), func(x, y string) int {
		return cmp.Or(cmp.Compare(rows[y].count, rows[x].count), cmp.Compare(x, y))
	})
}

// tlsAlerts tells of handshakes and connections that a side gave up.
func (a *Analyze) tlsAlerts() (found []problem) {
	for _, what := range frequentFirst(a.alerts) {
		r := a.alerts[what]
		found = append(found, problem{severity: wrong, what: plural(r.count, "TLS connection") + " ended by a fatal alert: " + string(appendName(nil, what)),
			look: "timeline --conn " + strconv.Itoa(r.example)})
	}
	return found
}

// sealed tells of TLS connections that could not be opened, and what opens
// them.
func (a *Analyze) sealed() (found []problem) {
	severity := faint
	if a.summary.Connections[decode.Pulsar] == 0 {
		severity = doubtful
	}
	for _, why := range frequentFirst(a.unopened) {
		r := a.unopened[why]
		found = append(found, problem{severity: severity, what: plural(r.count, "TLS connection") + " not opened: " + string(appendName(nil, why)),
			advice: "What opens it: the key log of the client or the broker (SSLKEYLOGFILE), taken while the connection was set up.",
			look:   "analyze --tls-keylog KEYLOG"})
	}
	return found
}
