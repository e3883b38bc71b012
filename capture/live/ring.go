//go:build linux

package live

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the head of a block, struct tpacket_block_desc of linux/if_packet.h.
const (
	blockStatus  = 8  // who owns the block
	blockPackets = 12 // how many there are
	blockFirst   = 16 // offset of the first header
	blockHead    = 48 // bytes
)

// ring are the blocks that the kernel fills one after another. It closes a block
// when it is full, or at the latest after blockTimeout, and goes on with the next
// if this process has given that back.
type ring struct {
	memory []byte
	block  int // size, bytes
	count  int
	head   int    // the block that is filled next, or is at hand
	at     int    // offset in it of the next frame
	left   uint32 // frames in it that were not given out
	held   bool   // the block at hand belongs to this process
}

// newRing has the kernel make a ring of so many bytes.
func newRing(fd, size int) (*ring, error) {
	count := max(size/blockSize, minBlocks)
	request := unix.TpacketReq3{
		Block_size: blockSize, Block_nr: uint32(count),
		Frame_size: blockSize, Frame_nr: uint32(count), // frames have no size of their own in this version
		Retire_blk_tov: uint32(blockTimeout.Milliseconds()),
	}
	if err := unix.SetsockoptTpacketReq3(fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &request); err != nil {
		return nil, err
	}
	memory, err := unix.Mmap(fd, 0, count*blockSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return &ring{memory: memory, block: blockSize, count: count}, err
}

func (r *ring) close() error { return unix.Munmap(r.memory) }

// next gives the next frame. Its data are valid until the next call. It tells
// false if the kernel has closed no further block.
func (r *ring) next(f *frame) bool {
	for r.left == 0 {
		if !r.turn() {
			return false
		}
	}
	r.left--
	block := r.current()
	if r.at > len(block) || !f.parse(block[r.at:]) || r.left > 0 && f.next < frameHeads {
		r.left = 0 // not to be had from a kernel: the rest of the block is skipped
		return r.next(f)
	}
	r.at += f.next
	return true
}

// turn gives the block at hand back and takes the next one if it is closed.
func (r *ring) turn() bool {
	if r.held {
		r.held = false
		atomic.StoreUint32(r.status(), unix.TP_STATUS_KERNEL)
		r.head = (r.head + 1) % r.count
	}
	if !r.ready() {
		return false
	}
	r.held = true
	head := (*[blockHead / 4]uint32)(unsafe.Pointer(&r.current()[0]))
	r.left, r.at = head[blockPackets/4], int(head[blockFirst/4])
	return true
}

// ready tells whether the next block is closed.
func (r *ring) ready() bool { return atomic.LoadUint32(r.status())&unix.TP_STATUS_USER != 0 }

func (r *ring) current() []byte { return r.memory[r.head*r.block:][:r.block:r.block] }

func (r *ring) status() *uint32 {
	return (*uint32)(unsafe.Pointer(&r.memory[r.head*r.block+blockStatus]))
}
