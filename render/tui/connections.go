package tui

import (
	"cmp"

	"pulsar-dissect/decode"
	"pulsar-dissect/render"
)

// connectionsPage lists connections. Enter shows the producers and consumers of
// one.
func connectionsPage() page {
	return &table[ConnectionRow]{
		name: "Connections", nothing: "No connection so far.", of: func(s *Snapshot) []ConnectionRow { return s.Connections },
		same: func(a, b *ConnectionRow) bool { return a.ID == b.ID },
		open: func(r *ConnectionRow) page { return partiesPage(r.ID) },
		columns: []column[ConnectionRow]{
			{title: "CONN", width: 6, cell: func(r *ConnectionRow) render.Cell {
				return render.Cell{Style: render.About, Text: render.ConnText(r.ID)}
			}, order: func(a, b *ConnectionRow) int { return cmp.Compare(a.ID, b.ID) }},
			{title: "CLIENT-BROKER", width: 20, grows: true, cell: name(func(r *ConnectionRow) string { return r.Name })},
			{title: "STATE", width: 7, cell: func(r *ConnectionRow) render.Cell { return openCell(r.Open) }},
			integer("PROD", 5, 4, func(r *ConnectionRow) int { return r.Producers }),
			integer("CONS", 5, 5, func(r *ConnectionRow) int { return r.Consumers }),
			integer("TO BROKER", 10, 0, func(r *ConnectionRow) uint64 { return r.Frames[decode.ClientToServer] }),
			integer("TO CLIENT", 10, 0, func(r *ConnectionRow) uint64 { return r.Frames[decode.ServerToClient] }),
			measure("BYTES", 9, 1, func(r *ConnectionRow) int64 { return int64(r.Bytes[0] + r.Bytes[1]) }, render.SizeText),
			integer("GAPS", 5, 2, func(r *ConnectionRow) uint64 { return r.Lost }),
			measure("QUIET", 8, 3, func(r *ConnectionRow) int64 { return r.Quiet }, render.LatencyText),
			{title: "CLIENT", width: 12, grows: true, spare: 6, cell: name(func(r *ConnectionRow) string { return r.Client })},
		},
	}
}

// partyRow is a producer or consumer of a connection, or all of it.
type partyRow struct {
	party                     Party
	what, name, topic, detail string
}

// partiesPage lists what a connection has, all of it first.
func partiesPage(conn int) page {
	return &table[partyRow]{
		name: render.ConnText(conn), of: func(s *Snapshot) []partyRow { return partiesOf(s, conn) },
		same: func(a, b *partyRow) bool { return a.party == b.party },
		open: func(r *partyRow) page {
			return newList(render.ConnText(conn)+" "+r.name, Selection{Conn: conn, Party: r.party})
		},
		columns: []column[partyRow]{
			{title: "WHAT", width: 12, cell: name(func(r *partyRow) string { return r.what }), order: func(a, b *partyRow) int {
				return cmp.Or(cmp.Compare(a.party.Role, b.party.Role), cmp.Compare(a.party.ID, b.party.ID))
			}},
			{title: "NAME", width: 12, grows: true, cell: func(r *partyRow) render.Cell { return render.Cell{Style: render.About, Text: r.name} }},
			{title: "TOPIC", width: 12, grows: true, cell: topicName(func(r *partyRow) string { return r.topic })},
			{title: "STATE", width: 24, spare: 1, cell: name(func(r *partyRow) string { return r.detail })},
		},
	}
}

func partiesOf(s *Snapshot, conn int) []partyRow {
	rows := []partyRow{{what: "all frames"}}
	for i := range s.Producers {
		if p := &s.Producers[i]; p.Conn == conn {
			rows = append(rows, partyRow{Party{p.ID, IsProducer}, "producer", render.PartyText(p.Name, p.ID), p.Topic, openCell(p.Open).Text})
		}
	}
	for i := range s.Consumers {
		if c := &s.Consumers[i]; c.Conn == conn {
			state, _ := render.DoingCell(c.State)
			rows = append(rows, partyRow{Party{c.ID, IsConsumer}, "consumer", render.PartyText(c.Name, c.ID), c.Topic, state.Text})
		}
	}
	return rows
}
