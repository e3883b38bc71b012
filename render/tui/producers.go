package tui

import (
	"cmp"

	"pulsar-dissect/render"
)

// producersPage lists producers, the one with the most SENDs in flight first.
func producersPage() page {
	return &table[ProducerRow]{
		name: "Producers", nothing: "No producer so far.", of: func(s *Snapshot) []ProducerRow { return s.Producers }, by: 3,
		same: func(a, b *ProducerRow) bool { return a.Conn == b.Conn && a.ID == b.ID },
		open: func(r *ProducerRow) page {
			return newList("producer "+render.PartyText(r.Name, r.ID), Selection{Conn: r.Conn, Party: Party{r.ID, IsProducer}})
		},
		columns: []column[ProducerRow]{
			{title: "PRODUCER", width: 14, grows: true, cell: func(r *ProducerRow) render.Cell {
				return render.Cell{Style: render.About, Text: render.PartyText(r.Name, r.ID)}
			}},
			{title: "CONN", width: 5, cell: func(r *ProducerRow) render.Cell { return render.Cell{Text: render.ConnText(r.Conn)} },
				order: func(a, b *ProducerRow) int { return cmp.Compare(a.Conn, b.Conn) }},
			{title: "STATE", width: 6, spare: 3, cell: func(r *ProducerRow) render.Cell { return openCell(r.Open) }},
			integer("IN FLIGHT", 10, 0, func(r *ProducerRow) uint64 { return r.InFlight }),
			measure("P50", 8, 1, func(r *ProducerRow) int64 { return r.P50 }, render.LatencyText),
			measure("P99", 8, 0, func(r *ProducerRow) int64 { return r.P99 }, render.LatencyText),
			integer("ERRORS", 7, 0, func(r *ProducerRow) uint64 { return r.Errors }),
			integer("SENDS", 9, 2, func(r *ProducerRow) uint64 { return r.Sent }),
			integer("MESSAGES", 9, 4, func(r *ProducerRow) uint64 { return r.Messages }),
			{title: "TOPIC", width: 16, grows: true, cell: topicName(func(r *ProducerRow) string { return r.Topic })},
		},
	}
}

func openCell(open bool) render.Cell {
	if open {
		return render.Cell{Style: render.Good, Text: "open"}
	}
	return render.Cell{Style: render.Faint, Text: "closed"}
}
