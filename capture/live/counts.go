//go:build linux

package live

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"pulsar-dissect/capture"
)

// counts are those of a capture. Interface 0 is that of the socket, to which the
// kernel's own losses belong: the one that is watched, or a name for several,
// which then have the numbers behind it, in the order of their first packets.
type counts struct {
	file    capture.FileStats
	number  uint64
	ids     map[uint32]uint32 // by index
	latest  uint32            // index of the latest packet's interface
	id      uint32            // its id
	indices []uint32          // by id; 0 for the name of several
	before  map[uint32]uint64 // what interfaces had lost when capture began, by index

	nextRead time.Time
	nextTold time.Time
	untold   uint64 // packets lost of which nothing was told
}

func (c *counts) begin(name string, w *watched) {
	c.file.Name = name
	c.ids, c.before = map[uint32]uint32{}, map[uint32]uint64{}
	for index, l := range w.links {
		c.before[index] = l.lost
	}
	if only := w.indices(); len(only) == 1 {
		c.interfaceOf(only[0], name)
		return
	}
	c.indices = []uint32{0}
	c.file.Interfaces = []capture.InterfaceStats{{Name: name}}
}

// interfaceOf is the id of an interface.
func (c *counts) interfaceOf(index uint32, name string) uint32 {
	id, known := c.ids[index]
	if !known {
		id = uint32(min(len(c.indices), maxInterfaces-1))
		c.ids[index] = id
		if int(id) == len(c.indices) {
			c.indices = append(c.indices, index)
			c.file.Interfaces = append(c.file.Interfaces, capture.InterfaceStats{Interface: id, Name: name})
		}
	}
	return id
}

// add numbers and counts a packet.
func (c *counts) add(p *capture.Packet, f *frame, w *watched) {
	if f.index != c.latest {
		c.latest, c.id = f.index, c.interfaceOf(f.index, w.name(f.index))
	}
	c.number++
	p.Number, p.Interface = c.number, c.id
	c.file.Interfaces[c.id].Received++
	c.file.Count(p)
}

func (c *counts) name(id uint32) string { return c.file.Interfaces[id].Name }

// due says whether the kernel's counts are to be read.
func (c *counts) due() bool { return !time.Now().Before(c.nextRead) }

// read reads what the kernel and the interfaces lost, and gives what is to be
// told of that.
func (c *counts) read(fd int, w *watched) (news string) {
	c.nextRead = time.Now().Add(statsInterval)
	if st, err := unix.GetsockoptTpacketStatsV3(fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		c.file.Interfaces[0].OSDropped += uint64(st.Drops) // counts from the last call on
		c.untold += uint64(st.Drops)
	}
	c.readInterfaces(w)
	if c.untold == 0 || time.Now().Before(c.nextTold) {
		return ""
	}
	n := c.untold
	c.untold, c.nextTold = 0, time.Now().Add(lossInterval)
	return fmt.Sprintf("%d packets lost: the kernel had no room for them, since this program or who reads its output is too slow", n)
}

func (c *counts) readInterfaces(w *watched) {
	now, err := interfaces()
	if err != nil {
		return // they count on
	}
	for i := range now {
		if id, seen := c.ids[now[i].index]; seen && now[i].lost >= c.before[now[i].index] {
			c.file.Interfaces[id].Dropped = now[i].lost - c.before[now[i].index]
		}
	}
}

func (c *counts) stats() capture.Stats { return capture.Stats{Files: []capture.FileStats{c.file}} }
