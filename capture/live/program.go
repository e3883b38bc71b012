package live

import (
	"fmt"

	"golang.org/x/net/bpf"
)

// program is a filter in the making (classic BPF). Jumps are to labels, as
// distances are known only at the end.
type program struct {
	net      uint32          // offset of the IP header
	protocol bpf.Instruction // loads the EtherType of what follows the link layer

	code   []bpf.Instruction
	jumps  map[int]string // labels that instructions jump to, by index of the instruction
	labels map[string]int
	named  int
}

// The labels at the end of a program.
const (
	accept = "accept"
	reject = "reject"
)

func (p *program) add(i bpf.Instruction) { p.code = append(p.code, i) }

// load loads bytes of the IP header.
func (p *program) load(at uint32, size int) { p.add(bpf.LoadAbsolute{Off: p.net + at, Size: size}) }

func (p *program) jump(to string) {
	if p.jumps == nil {
		p.jumps = map[int]string{}
	}
	p.jumps[len(p.code)] = to
	p.add(bpf.Jump{})
}

// when jumps if the value loaded is v. A conditional jump reaches 255
// instructions only, the one behind it any.
func (p *program) when(v uint32, to string) {
	p.add(bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: v, SkipTrue: 1})
	p.jump(to)
}

// unless jumps if the value loaded is not v.
func (p *program) unless(v uint32, to string) {
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: 1})
	p.jump(to)
}

// label names the place of the next instruction.
func (p *program) label(name string) {
	if p.labels == nil {
		p.labels = map[string]int{}
	}
	p.labels[name] = len(p.code)
}

// fresh is a label that has not been used.
func (p *program) fresh() string {
	p.named++
	return fmt.Sprintf("l%d", p.named)
}

// resolved is the program with the distances of its jumps.
func (p *program) resolved() []bpf.Instruction {
	for at, to := range p.jumps {
		p.code[at] = bpf.Jump{Skip: uint32(p.labels[to] - at - 1)}
	}
	return p.code
}
