package decrypt

import "pulsar-dissect/reassembly"

// connection is the state of a TLS connection.
type connection struct {
	tcp       *reassembly.Conn
	facts     *Facts
	n         *negotiation // the latest
	halves    [2]half
	client    reassembly.Side
	midstream bool  // the capture began within the connection
	lost      bool  // there are gaps
	trials    int64 // bytes that tries behind gaps may still cost
}

func newConnection(tcp *reassembly.Conn) *connection {
	t := &connection{tcp: tcp, facts: &Facts{}, n: &negotiation{}, trials: trialBytes}
	t.halves[1].side = 1
	if tcp.SYNFrom != reassembly.Nobody {
		t.client = reassembly.Side(tcp.SYNFrom)
	}
	return t
}

func (t *connection) setClient(s reassembly.Side) { t.client = s }

func (t *connection) roleOf(s reassembly.Side) role {
	if s == t.client {
		return client
	}
	return server
}

// open notes that secrets were found.
func (t *connection) open(d *Decrypter) {
	if !t.facts.Keys {
		t.facts.Keys = true
		d.counters.Opened++
	}
}

// begins notes that a hello was seen, behind which the plain text of the
// direction begins.
func (t *connection) begins(h *half) {
	if h.plain == 0 && h.sealed == 0 && !h.told {
		t.tcp.PlainStart[h.side] = true
	}
}
