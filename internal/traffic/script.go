package traffic

import (
	"bytes"
	"fmt"
	"regexp"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// turn is what one side of a connection sends before the other answers.
type turn struct {
	side int
	data []byte
}

// script is a connection as a series of turns.
type script []turn

// scripts reads the connections of a capture.
func scripts(path string) ([]script, error) {
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	byConn := map[int]script{}
	var order []int
	assembler := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	for e, err := range assembler.Events(source.Packets()) {
		if err != nil {
			return nil, err
		}
		switch e.Kind {
		case reassembly.Opened:
			order = append(order, e.Conn.ID)
		case reassembly.Data:
			byConn[e.Conn.ID] = byConn[e.Conn.ID].add(int(e.Side), e.Data)
		}
	}
	var out []script
	for _, id := range order {
		if len(byConn[id]) > 0 {
			out = append(out, byConn[id])
		}
	}
	return out, nil
}

func (s script) add(side int, data []byte) script {
	if n := len(s); n > 0 && s[n-1].side == side {
		s[n-1].data = append(s[n-1].data, data...)
		return s
	}
	return append(s, turn{side, bytes.Clone(data)})
}

// topicName finds the names of topics in commands: what follows a name there
// is the tag of the next field, a control character.
var topicName = regexp.MustCompile(`persistent://[!-~]{8,}`)

// renamed gives the n-th connection topics of its own, with names of the same
// length: the same messages delivered again and again would not be what a
// capture holds. Names stand in commands, which no checksum covers.
func (s script) renamed(n int) script {
	suffix := fmt.Sprintf("%06d", n%1_000_000)
	out := make(script, len(s))
	for i, t := range s {
		out[i] = turn{t.side, topicName.ReplaceAllFunc(t.data, func(name []byte) []byte {
			return append(bytes.Clone(name[:len(name)-len(suffix)]), suffix...)
		})}
	}
	return out
}

// dense puts the turns of each side together, up to burst bytes.
func (s script) dense() script {
	if len(s) < 3 {
		return s
	}
	out := script{s[0], s[1]}
	var sides [2][]byte
	for i, t := range s[2:] {
		sides[t.side] = append(sides[t.side], t.data...)
		if i < len(s)-3 && len(sides[0]) < burst && len(sides[1]) < burst {
			continue
		}
		for side, data := range sides {
			out = append(out, turn{side, data})
		}
		sides = [2][]byte{}
	}
	return out
}

// burst is how many bytes a side sends before the other has its turn.
const burst = 16 << 10
