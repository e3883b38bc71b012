package tui

import (
	"cmp"

	"pulsar-dissect/render"
)

// consumersPage lists consumers: those that need somebody first.
func consumersPage() page { return consumersOf("Consumers", func(*ConsumerRow) bool { return true }) }

func consumersOf(title string, wanted func(*ConsumerRow) bool) *table[ConsumerRow] {
	return &table[ConsumerRow]{
		name: title, nothing: "No consumer so far.", of: func(s *Snapshot) []ConsumerRow { return chosenRows(s.Consumers, wanted) }, by: 2,
		why: func(s *Snapshot) string {
			if s.Unjudged {
				return "Consumers were not followed, as the flags say."
			}
			return ""
		},
		same: func(a, b *ConsumerRow) bool { return a.Conn == b.Conn && a.ID == b.ID && a.Since == b.Since || a == b },
		open: func(r *ConsumerRow) page {
			return newList("consumer "+render.PartyText(r.Name, r.ID), Selection{Conn: r.Conn, Party: Party{r.ID, IsConsumer}})
		},
		columns: []column[ConsumerRow]{
			{title: "CONSUMER", width: 12, grows: true, cell: func(r *ConsumerRow) render.Cell {
				return render.Cell{Style: render.About, Text: render.PartyText(r.Name, r.ID)}
			}},
			{title: "CONN", width: 5, spare: 2, cell: func(r *ConsumerRow) render.Cell { return render.Cell{Text: render.ConnText(r.Conn)} },
				order: func(a, b *ConsumerRow) int { return cmp.Compare(a.Conn, b.Conn) }},
			{title: "STATE", width: 16, words: true, cell: func(r *ConsumerRow) render.Cell { c, _ := render.DoingCell(r.State); return c }, order: byRank},
			integer("PERMITS", 8, 0, func(r *ConsumerRow) int64 { return r.Permits }),
			integer("UNACKED", 8, 0, func(r *ConsumerRow) int64 { return r.Unacked }),
			measure("OLDEST", 8, 1, func(r *ConsumerRow) int64 { return r.Age }, render.LatencyText),
			integer("WAITING", 8, 3, func(r *ConsumerRow) int { return r.Waiting }),
			integer("DELIVERED", 10, 6, func(r *ConsumerRow) int64 { return r.Delivered }),
			integer("ACKED", 10, 7, func(r *ConsumerRow) int64 { return r.Acked }),
			integer("AGAIN", 7, 5, func(r *ConsumerRow) int64 { return r.Redelivered }),
			{title: "TYPE", width: 10, spare: 8, cell: name(func(r *ConsumerRow) string { return r.Type })},
			{title: "TOPIC", width: 14, grows: true, cell: topicName(func(r *ConsumerRow) string { return r.Topic })},
			{title: "SUBSCRIPTION", width: 12, grows: true, spare: 4, cell: name(func(r *ConsumerRow) string { return r.Subscription })},
		},
	}
}

func byRank(a, b *ConsumerRow) int {
	_, x := render.DoingCell(a.State)
	_, y := render.DoingCell(b.State)
	return cmp.Compare(x, y)
}

// chosenRows are the rows that are wanted.
func chosenRows[R any](rows []R, wanted func(*R) bool) (chosen []R) {
	for i := range rows {
		if wanted(&rows[i]) {
			chosen = append(chosen, rows[i])
		}
	}
	return chosen
}
