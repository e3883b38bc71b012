package reassembly

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	tcpassembly "github.com/google/gopacket/reassembly"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly/segment"
)

// secondOpinion collects streams as gopacket's reassembly sees them, by sender.
type secondOpinion struct {
	streams map[string][]byte
	skipped int
}

func (o *secondOpinion) New(net, transport gopacket.Flow, _ *layers.TCP, _ tcpassembly.AssemblerContext) tcpassembly.Stream {
	return &secondStream{o, net, transport}
}

type secondStream struct {
	all            *secondOpinion
	net, transport gopacket.Flow
}

func (s *secondStream) Accept(*layers.TCP, gopacket.CaptureInfo, tcpassembly.TCPFlowDirection, tcpassembly.Sequence, *bool, tcpassembly.AssemblerContext) bool {
	return true
}

func (s *secondStream) ReassembledSG(sg tcpassembly.ScatterGather, _ tcpassembly.AssemblerContext) {
	dir, _, _, skip := sg.Info()
	n, _ := sg.Lengths()
	net, transport := s.net, s.transport
	if dir == tcpassembly.TCPDirServerToClient {
		net, transport = net.Reverse(), transport.Reverse()
	}
	if skip > 0 {
		s.all.skipped += skip
	}
	key := fmt.Sprintf("%s:%s", net.Src(), transport.Src())
	s.all.streams[key] = append(s.all.streams[key], sg.Fetch(n)...)
}

func (s *secondStream) ReassemblyComplete(tcpassembly.AssemblerContext) bool { return true }

type contextOf gopacket.CaptureInfo

func (c *contextOf) GetCaptureInfo() gopacket.CaptureInfo { return gopacket.CaptureInfo(*c) }

// ask lets gopacket put the streams of IPv4 packets together.
func ask(packets []capture.Packet) *secondOpinion {
	o := &secondOpinion{streams: map[string][]byte{}}
	a := tcpassembly.NewAssembler(tcpassembly.NewStreamPool(o))
	for _, p := range packets {
		g := gopacket.NewPacket(p.Data, layers.LayerTypeIPv4, gopacket.Default)
		if tcp, ok := g.TransportLayer().(*layers.TCP); ok {
			a.AssembleWithContext(g.NetworkLayer().NetworkFlow(), tcp, &contextOf{Length: p.OrigLen, CaptureLength: len(p.Data)})
		}
	}
	a.FlushAll()
	return o
}

// TestSecondOpinion: on streams without loss, whose sequence numbers do not
// wrap, gopacket's reassembly finds the same bytes.
func TestSecondOpinion(t *testing.T) {
	compared := 0
	for seed := range uint64(400) {
		choose := random(seed)
		w := &writer{choose: choose, ends: [2]netip.AddrPort{clientEnd, wiremake.Broker}, mood: (moodDelay | moodRepeat) & choose(moods), most: 3000, tame: true}
		w.connection()
		var packets []capture.Packet
		for i, s := range w.steps {
			packets = append(packets, s.segment.Packet(uint64(i+1), wiremake.Start+int64(i)))
		}
		want := ask(packets)
		if want.skipped > 0 {
			t.Fatalf("seed %d: the script loses bytes", seed)
		}
		got := map[string][]byte{}
		for e := range New(Limits{}, segment.NewParser(segment.Limits{})).Events(wiremake.Source(packets)) {
			if e.Kind == Data {
				key := e.Conn.Ends[e.Side].String()
				got[key] = append(got[key], e.Data...)
			}
		}
		for key, b := range want.streams {
			compared += len(b)
			if string(got[key]) != string(b) {
				t.Fatalf("seed %d: %s sent %d bytes, want %d", seed, key, len(got[key]), len(b))
			}
		}
	}
	if compared < 400_000 {
		t.Errorf("only %d bytes were compared", compared)
	}
}
