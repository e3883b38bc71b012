package capture

// Options of blocks (draft-ietf-opsawg-pcapng, sections 3.5, 4.2 and 4.6).
const (
	optionEnd        = 0
	optionName       = 2  // if_name
	optionResolution = 9  // if_tsresol
	optionOffset     = 14 // if_tsoffset
	optionReceived   = 4  // isb_ifrecv
	optionDropped    = 5  // isb_ifdrop
	optionOSDropped  = 7  // isb_osdrop
)

// pcapngInterface is what an Interface Description Block says.
type pcapngInterface struct {
	link  LinkType
	snap  uint32 // 0 for no limit, bytes
	clock clock
	known bool // false where the block was too short to tell
	name  string
}

func (r *pcapngReader) interfaceDescription(body []byte, _ *Packet) bool {
	if len(r.interfaces) == maxInterfaces {
		r.log.warn(r.packets, r.at, "more than %d interfaces in a section: this one is not kept", maxInterfaces)
		return false
	}
	i := pcapngInterface{clock: microseconds}
	if len(body) >= 8 {
		i.known = true
		i.link, i.snap = LinkType(r.order.u16(body)), r.order.u32(body[4:])
		i.read(r.order, body[8:])
	} else {
		r.complain("an interface description of %d bytes is too short", len(body))
	}
	r.interfaces = append(r.interfaces, i)
	return false
}

// read takes the name and the clock from the options of the block.
func (i *pcapngInterface) read(order byteOrder, options []byte) {
	resolution, offset := byte(6), int64(0)
	order.options(options, func(code uint16, value []byte) {
		switch {
		case code == optionName:
			i.name = string(value)
		case code == optionResolution && len(value) >= 1:
			resolution = value[0]
		case code == optionOffset && len(value) == 8:
			offset = int64(order.u64(value))
		}
	})
	i.clock = newClock(resolution, offset)
}

// options calls use with each option; a last one that is cut is given as it is.
func (o byteOrder) options(b []byte, use func(code uint16, value []byte)) {
	for len(b) >= 4 {
		code, length := o.u16(b), int(o.u16(b[2:]))
		if code == optionEnd {
			return
		}
		use(code, b[4:min(len(b), 4+length)])
		b = b[min(len(b), 4+(length+3)/4*4):]
	}
}

const packetHead = 20 // bytes before the data in both blocks that carry times

func (r *pcapngReader) enhancedPacket(body []byte, p *Packet) bool {
	if len(body) < packetHead {
		return r.unusable("a packet block of %d bytes is too short", len(body))
	}
	return r.timed(r.order.u32(body), body, p)
}

// obsoletePacket differs in its first word: interface and drop count, 16 bits each.
func (r *pcapngReader) obsoletePacket(body []byte, p *Packet) bool {
	if len(body) < packetHead {
		return r.unusable("a packet block of %d bytes is too short", len(body))
	}
	return r.timed(uint32(r.order.u16(body)), body, p)
}

// unusable counts a packet that cannot be given out.
func (r *pcapngReader) unusable(format string, args ...any) bool {
	r.packets++
	r.complain(format, args...)
	return false
}

// complain warns of a block that is too short, unless it is the file's end that
// cuts it, which has been told.
func (r *pcapngReader) complain(format string, args ...any) {
	if !r.cutOff {
		r.log.warn(r.packets, r.at, format, args...)
	}
}

func (r *pcapngReader) timed(id uint32, body []byte, p *Packet) bool {
	i := r.interfaceAt(id)
	if i == nil {
		return r.unusable("interface %d is not described: the packet is left out", id)
	}
	r.packets++
	captured := r.order.u32(body[12:])
	r.last = i.clock.time(uint64(r.order.u32(body[4:]))<<32 | uint64(r.order.u32(body[8:])))
	p.Number = r.packets
	p.Time = r.last
	p.TimeUnknown = false
	p.Link, p.Interface = i.link, id
	p.Data = r.data(body[packetHead:], captured)
	p.OrigLen = int(r.order.u32(body[16:]))
	p.FileEnds = r.cutOff && uint64(len(p.Data)) < uint64(captured)
	return true
}

func (r *pcapngReader) interfaceAt(id uint32) *pcapngInterface {
	if id >= uint32(len(r.interfaces)) || !r.interfaces[id].known {
		return nil
	}
	return &r.interfaces[id]
}

// data is what is there of the captured bytes.
func (r *pcapngReader) data(b []byte, captured uint32) []byte {
	if uint64(captured) <= uint64(len(b)) {
		return b[:captured]
	}
	r.complain("the packet has %d bytes, its block only %d", captured, len(b))
	return b
}

// simplePacket has no time and no interface but the first.
func (r *pcapngReader) simplePacket(body []byte, p *Packet) bool {
	i := r.interfaceAt(0)
	if i == nil {
		return r.unusable("no interface is described: the packet is left out")
	}
	if len(body) < 4 {
		return r.unusable("a simple packet block of %d bytes is too short", len(body))
	}
	r.packets++
	if !r.timeless {
		r.timeless = true
		r.log.warn(r.packets, r.at, "the packet has no time (simple packet block): it takes that of the one before, as do others like it")
	}
	original := r.order.u32(body)
	captured := original
	if i.snap > 0 {
		captured = min(original, i.snap)
	}
	p.Number = r.packets
	p.Time = r.last
	p.TimeUnknown = true
	p.Link, p.Interface = i.link, 0
	p.Data = r.data(body[4:], captured)
	p.OrigLen = int(original)
	p.FileEnds = r.cutOff && uint64(len(p.Data)) < uint64(captured)
	return true
}

const statisticsHead = 12 // bytes of an Interface Statistics Block before its options

// interfaceStatistics keeps the latest counts of an interface.
func (r *pcapngReader) interfaceStatistics(body []byte, _ *Packet) bool {
	if len(body) < statisticsHead {
		return false
	}
	id := r.order.u32(body)
	i := r.interfaceAt(id)
	if i == nil {
		return false
	}
	st := r.log.stats.interfaceStats(r.sections-1, id)
	st.Name = i.name
	counts := map[uint16]*uint64{optionReceived: &st.Received, optionDropped: &st.Dropped, optionOSDropped: &st.OSDropped}
	r.order.options(body[statisticsHead:], func(code uint16, value []byte) {
		if count := counts[code]; count != nil && len(value) == 8 {
			*count = r.order.u64(value)
		}
	})
	return false
}

// decryptionSecrets keeps TLS key logs.
func (r *pcapngReader) decryptionSecrets(body []byte, _ *Packet) bool {
	if len(body) < 8 || r.order.u32(body) != pcapngSecretTLS {
		return false
	}
	text := body[8:]
	text = text[:min(uint64(len(text)), uint64(r.order.u32(body[4:])))]
	if s := r.log.secrets; s != nil && !s.add(text) {
		r.log.warn(r.packets, r.at, "more than %d bytes of TLS keys in captures: these are not kept", maxSecrets)
	}
	return false
}
