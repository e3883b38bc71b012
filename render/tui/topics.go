package tui

import (
	"strconv"

	"pulsar-dissect/render"
)

// topicsPage lists topics with their rates over the last minute.
func topicsPage() page {
	return &table[TopicRow]{
		name: "Topics", nothing: "No topic so far.", of: func(s *Snapshot) []TopicRow { return s.Topics }, by: 1,
		same: func(a, b *TopicRow) bool { return a.Name == b.Name },
		open: func(r *TopicRow) page {
			return newList("topic "+render.TopicText(r.Name), Selection{Conn: -1, Topic: r.Name})
		},
		columns: []column[TopicRow]{
			{title: "TOPIC", width: 14, grows: true, cell: topicName(func(r *TopicRow) string { return r.Name })},
			measure("IN/s", 8, 0, func(r *TopicRow) float64 { return r.InRate }, rateText),
			measure("OUT/s", 8, 0, func(r *TopicRow) float64 { return r.OutRate }, rateText),
			measure("IN B/s", 10, 3, func(r *TopicRow) float64 { return r.InBytes }, bytesText),
			measure("OUT B/s", 10, 4, func(r *TopicRow) float64 { return r.OutBytes }, bytesText),
			integer("IN", 9, 5, func(r *TopicRow) uint64 { return r.In }),
			integer("OUT", 9, 6, func(r *TopicRow) uint64 { return r.Out }),
			integer("WAITING", 8, 0, func(r *TopicRow) int { return r.Waiting }),
			integer("UNACKED", 8, 0, func(r *TopicRow) int64 { return r.Unacked }),
			integer("PROD", 5, 2, func(r *TopicRow) int { return r.Publishers }),
			integer("SUBS", 5, 1, func(r *TopicRow) int { return r.Subscriptions }),
			integer("CONS", 5, 1, func(r *TopicRow) int { return r.Consumers }),
		},
	}
}

func rateText(perSecond float64) string { return strconv.FormatFloat(perSecond, 'f', 1, 64) }

func bytesText(perSecond float64) string { return render.SizeText(int64(perSecond)) }
