package capture

import "io"

// merger gives the packets of several files by time, each file in its own
// order, and numbers them over all. inputs is a heap: the head is the one whose
// packet is the earliest, of equal ones the file named first.
type merger struct {
	inputs []*input
	number uint64
}

func newMerger(inputs []*input) *merger {
	m := &merger{inputs: append([]*input(nil), inputs...)}
	for i := len(m.inputs)/2 - 1; i >= 0; i-- {
		sink(m.inputs, i)
	}
	return m
}

func (m *merger) next(p *Packet) error {
	for len(m.inputs) > 0 {
		in := m.inputs[0]
		if !in.stale {
			in.stale = true
			m.number++
			*p = in.packet
			p.Number = m.number
			return nil
		}
		if err := in.pull(); err != nil && err != io.EOF {
			return err
		} else if err == io.EOF {
			m.dropHead()
		}
		sink(m.inputs, 0)
	}
	return io.EOF
}

func (m *merger) dropHead() {
	last := len(m.inputs) - 1
	m.inputs[0] = m.inputs[last]
	m.inputs = m.inputs[:last]
}
