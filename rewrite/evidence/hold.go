package evidence

import (
	"pulsar-dissect/capture"
)

// blockSize is that of the blocks of memory in which packets are held, in bytes.
const blockSize = 1 << 20

// hold is a queue of copies of packets. Their bytes lie in blocks that are used
// again, so that no packet costs an allocation.
type hold struct {
	packets []held
	first   int // of packets: those before are gone
	blocks  []*block
	free    []*block
	bytes   int64 // that packets take, with what keeping them takes
}

type held struct {
	packet  capture.Packet
	block   *block
	comment string
}

// block holds the bytes of packets that stand one behind another in the queue.
type block struct {
	data []byte
	used int // packets that are still held
}

// heldCost is what a packet takes besides its bytes.
const heldCost = 128

func (h *hold) len() int { return len(h.packets) - h.first }

// add copies a packet to the end of the queue.
func (h *hold) add(p *capture.Packet) {
	b := h.blockFor(len(p.Data))
	at := len(b.data)
	b.data = append(b.data, p.Data...)
	b.used++
	kept := held{packet: *p, block: b}
	kept.packet.Data = b.data[at:]
	h.packets = append(h.packets, kept)
	h.bytes += int64(len(p.Data)) + heldCost
}

// blockFor is the last block if it has room for n bytes, else a new one.
func (h *hold) blockFor(n int) *block {
	if last := len(h.blocks) - 1; last >= 0 && cap(h.blocks[last].data)-len(h.blocks[last].data) >= n {
		return h.blocks[last]
	}
	b := h.unused(n)
	h.blocks = append(h.blocks, b)
	return b
}

func (h *hold) unused(n int) *block {
	if last := len(h.free) - 1; last >= 0 && n <= blockSize {
		b := h.free[last]
		h.free = h.free[:last]
		return b
	}
	return &block{data: make([]byte, 0, max(n, blockSize))}
}

// oldest is the head of the queue, which must not be empty.
func (h *hold) oldest() *held { return &h.packets[h.first] }

// drop takes the head off the queue.
func (h *hold) drop() {
	head := h.oldest()
	h.bytes -= int64(len(head.packet.Data)) + heldCost
	head.block.used--
	h.giveBack()
	*head = held{}
	h.first++
	if h.first > len(h.packets)/2 {
		h.packets = h.packets[:copy(h.packets, h.packets[h.first:])]
		h.first = 0
	}
}

// giveBack frees blocks at the head that hold nothing any more; not the last
// one, which is still filled.
func (h *hold) giveBack() {
	for len(h.blocks) > 1 && h.blocks[0].used == 0 {
		b := h.blocks[0]
		h.blocks = append(h.blocks[:0], h.blocks[1:]...)
		if cap(b.data) == blockSize && len(h.free) < maxFree {
			b.data = b.data[:0]
			h.free = append(h.free, b)
		}
	}
}

// maxFree is how many blocks are kept for later.
const maxFree = 8

// find gives the packet with this number, nil if it is not held. Numbers grow,
// without holes as a rule.
func (h *hold) find(number uint64) *held {
	low, high := h.first, len(h.packets)
	for low < high {
		middle := (low + high) / 2
		switch n := h.packets[middle].packet.Number; {
		case n == number:
			return &h.packets[middle]
		case n < number:
			low = middle + 1
		default:
			high = middle
		}
	}
	return nil
}
