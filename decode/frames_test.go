package decode

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
)

// everyFrame has a frame of each command type, and whose it is.
func everyFrame(seed uint64) (frames [][]byte, types []int32, sides []int) {
	for _, n := range wiremake.Types() {
		c := wiremake.Filled(n, seed)
		frame, side := wiremake.Frame(c), client
		if row := proto.ByNumber(int32(n)); row.Payload {
			frame = wiremake.Payload{Command: c, Metadata: metadata(3), Body: []byte("a body")}.Frame()
		} else if row.Sender == proto.Broker {
			side = server
		}
		if n == pb.BaseCommand_MESSAGE {
			side = server
		}
		frames, types, sides = append(frames, frame), append(types, int32(n)), append(sides, side)
	}
	unknown := wiremake.Raw([]byte{0x08, 99, 0xa2, 6, 2, 0x08, 1})
	return append(frames, unknown), append(types, 99), append(sides, client)
}

// Each command in two segments, cut at every byte, between others: found where
// it is, with nothing wrong.
func TestEveryCommandCutAnywhere(t *testing.T) {
	frames, types, sides := everyFrame(1)
	if len(frames) != 71 {
		t.Fatalf("%d types, want 70 and an unknown one", len(frames))
	}
	greeting := [2][]byte{wiremake.Frame(connect()), wiremake.Frame(connected(0))}
	for i, frame := range frames {
		step := max(1, len(frame)/120)
		for cut := 1; cut < len(frame); cut += step {
			tape, c := talk()
			c.Send(client, greeting[client])
			c.Send(server, greeting[server])
			c.Send(sides[i], frame[:cut], slices.Concat(frame[cut:], wiremake.Frame(ping())))
			got := decodeAll(t, Limits{}, nil, tape.Source())
			if len(got.frames) != 4 || len(got.events) != 1 {
				t.Fatalf("type %d cut at %d: %d frames, events %q", types[i], cut, len(got.frames), got.events)
			}
			f := got.frames[2]
			at := int64(len(greeting[sides[i]]))
			if f.Type != types[i] || f.Offset != at || f.Size != int64(len(frame)) || f.Direction != Direction(sides[i]) ||
				f.First != 5 || f.Last != 6 || f.Incomplete || f.Resync || f.Command == "" && types[i] != 99 || len(f.Issues) > 0 && types[i] != 99 {
				t.Fatalf("type %d cut at %d: %+v", types[i], cut, f)
			}
			if next := got.frames[3]; next.Name != "PING" || next.Offset != at+f.Size || next.First != 6 {
				t.Fatalf("type %d cut at %d: then %+v", types[i], cut, next)
			}
		}
	}
}

// All commands in one stream, one byte a segment.
func TestEveryCommandByteByByte(t *testing.T) {
	frames, types, sides := everyFrame(2)
	tape, c := talk()
	c.Send(client, wiremake.Frame(connect()))
	c.Send(server, wiremake.Frame(connected(0)))
	for i := range frames {
		for _, b := range frames[i] {
			c.Send(sides[i], []byte{b})
		}
	}
	got := decodeAll(t, Limits{}, nil, tape.Source())
	if len(got.frames) != len(frames)+2 || len(got.events) != 1 {
		t.Fatalf("%d frames, events %q", len(got.frames), got.events)
	}
	for i, f := range got.frames[2:] {
		if f.Type != types[i] || f.Size != int64(len(frames[i])) || f.Last-f.First != uint64(len(frames[i])-1) {
			t.Errorf("frame %d: %+v", i, f)
		}
	}
}

// Parts of a payload frame, each there or not.
func TestPayloadFrames(t *testing.T) {
	entry := &pb.BrokerEntryMetadata{BrokerTimestamp: ptr(uint64(5)), Index: ptr(uint64(6))}
	for _, x := range []struct {
		name string
		make func(p *wiremake.Payload)
		want frameCopy // the parts that matter
	}{
		{"checksum ok", func(*wiremake.Payload) {}, frameCopy{Checksum: ChecksumOK, HasMeta: true}},
		{"checksum bad", func(p *wiremake.Payload) { p.Sum = wiremake.Bad }, frameCopy{Checksum: ChecksumBad, HasMeta: true}},
		{"no checksum", func(p *wiremake.Payload) { p.Sum = wiremake.Absent }, frameCopy{Checksum: ChecksumAbsent, HasMeta: true}},
		{"broker entry metadata", func(p *wiremake.Payload) { p.BrokerEntry = entry },
			frameCopy{Checksum: ChecksumOK, HasMeta: true, HasBroker: true}},
		{"broker entry metadata, no checksum", func(p *wiremake.Payload) { p.BrokerEntry, p.Sum = entry, wiremake.Absent },
			frameCopy{Checksum: ChecksumAbsent, HasMeta: true, HasBroker: true}},
		{"broker entry metadata alone", func(p *wiremake.Payload) { p.BrokerEntry, p.Metadata = entry, nil },
			frameCopy{Checksum: ChecksumAbsent, HasBroker: true, Fault: "metadata_size_cut"}},
		{"nothing behind the command", func(p *wiremake.Payload) { p.Metadata = nil }, frameCopy{Fault: "no_payload_section"}},
		{"empty body", func(p *wiremake.Payload) { p.Body = nil }, frameCopy{Checksum: ChecksumOK, HasMeta: true}},
	} {
		p := message(1, metadata(0), []byte("body"))
		x.make(&p)
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()))
		c.Send(server, wiremake.Frame(connected(0)), p.Frame(), wiremake.Frame(ping()))
		got := decodeAll(t, Limits{}, nil, tape.Source())
		if len(got.frames) != 4 {
			t.Errorf("%s: frames %q, events %q", x.name, got.names(), got.events)
			continue
		}
		f := got.frames[2]
		if f.Checksum != x.want.Checksum || f.HasMeta != x.want.HasMeta || f.HasBroker != x.want.HasBroker || f.Fault != x.want.Fault {
			t.Errorf("%s: %+v", x.name, f)
		}
		if f.Fault == "" && string(f.Payload) != string(p.Body) {
			t.Errorf("%s: payload %q", x.name, f.Payload)
		}
		if f.Checksum == ChecksumBad && f.Stored^f.Computed != 0x01000001 {
			t.Errorf("%s: %08x and %08x", x.name, f.Stored, f.Computed)
		}
	}
}

// A section that is cut within the frame: each part is named, what stands
// before it is read.
func TestSectionCutInFrame(t *testing.T) {
	p := message(1, metadata(0), []byte("body"))
	p.BrokerEntry = &pb.BrokerEntryMetadata{Index: ptr(uint64(6))}
	section := p.Section()
	command := wiremake.Bytes(p.Command)
	brokerEnd := 6 + len(wiremake.Bytes(p.BrokerEntry))
	metaEnd := brokerEnd + 6 + 4 + len(wiremake.Bytes(p.Metadata))
	for cut := range len(section) {
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()))
		c.Send(server, wiremake.Frame(connected(0)), wiremake.Raw(command, section[:cut]...), wiremake.Frame(ping()))
		got := decodeAll(t, Limits{}, nil, tape.Source())
		if len(got.frames) != 4 || len(got.events) != 1 {
			t.Fatalf("cut at %d: frames %q, events %q", cut, got.names(), got.events)
		}
		f, want := got.frames[2], ""
		switch {
		case cut == 0:
			want = "no_payload_section"
		case cut == 1:
			want = "metadata_size_cut"
		case cut < brokerEnd:
			want = "broker_entry_metadata_cut"
		case cut < brokerEnd+2: // not enough for 0e01
			want = "metadata_size_cut"
		case cut < brokerEnd+6:
			want = "checksum_cut"
		case cut < brokerEnd+10:
			want = "metadata_size_cut"
		case cut < metaEnd:
			want = "metadata_cut"
		}
		if f.Fault != want || f.HasBroker != (cut >= brokerEnd) || f.HasMeta != (cut >= metaEnd) {
			t.Errorf("cut at %d: %q, want %q; %+v", cut, f.Fault, want, f)
		}
		if want != "" && !slices.Contains(f.Issues, want) {
			t.Errorf("cut at %d: issues %q", cut, f.Issues)
		}
	}
}

// What can be wrong with a command, and that the stream goes on behind it.
func TestUnsoundCommands(t *testing.T) {
	flowBytes := wiremake.Bytes(flow(5))
	for _, x := range []struct {
		name   string
		frame  []byte
		want   string // name
		issues []string
	}{
		{"unknown type", wiremake.Raw([]byte{0x08, 99}), "UNKNOWN(99)", []string{"unknown_enum:type=99"}},
		{"type of 5 bytes", wiremake.Raw([]byte{0x08, 0xff, 0xff, 0xff, 0xff, 0x07}), "UNKNOWN(2147483647)", []string{"unknown_enum:type=2147483647"}},
		{"unknown field", wiremake.Raw(append(slices.Clone(flowBytes), 0xf8, 0x3f, 5)), "FLOW", []string{"unknown_field:BaseCommand.1023"}},
		{"unknown field in the body", wiremake.Raw([]byte{0x08, 11, 0x5a, 7, 8, 1, 16, 5, 0x98, 6, 1}), "FLOW", []string{"unknown_field:flow.99"}},
		{"unknown enum value", wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_ERROR.Enum(), Error: &pb.CommandError{
			RequestId: ptr(uint64(1)), Error: ptr(pb.ServerError(77)), Message: ptr("new")}}), "ERROR", []string{"role_conflict", "unknown_enum:error.error=77"}},
		{"missing required field", wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{ConsumerId: ptr(uint64(1))}}),
			"FLOW", []string{"missing_required:flow.messagePermits"}},
		{"no sub-command", wiremake.Raw([]byte{0x08, 11}), "FLOW", []string{"missing_subcommand"}},
		{"PING without its sub-command", wiremake.Raw([]byte{0x08, 18}), "PING", nil},
		{"two sub-commands", wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: flow(5).Flow, Ping: &pb.CommandPing{}}),
			"FLOW", []string{"extra_subcommand"}},
		{"bytes after the command", wiremake.Raw(flowBytes, 1, 2, 3), "FLOW", []string{"bytes_after_command"}},
	} {
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()), x.frame, wiremake.Frame(flow(6)), wiremake.Frame(ping()))
		got := decodeAll(t, Limits{}, nil, tape.Source())
		if len(got.frames) != 4 || got.frames[1].Name != x.want || got.frames[1].Size != int64(len(x.frame)) || len(got.events) != 1 {
			t.Errorf("%s: frames %q, events %q", x.name, got.names(), got.events)
			continue
		}
		holds(t, x.name, got.frames[1].Issues, x.issues)
	}
}

// A command that cannot be walked, or lacks its type, is an issue of its frame
// where a sound one follows it; where none does, no frame begins there.
func TestUnwalkableCommand(t *testing.T) {
	for _, x := range []struct {
		name string
		bad  []byte
		want []string
	}{
		{"field number 0", wiremake.Raw([]byte{0x00, 0x00}), []string{"CONNECT", "UNKNOWN(-1)", "FLOW"}},
		{"no type", wiremake.Raw([]byte{0x92, 1, 0}), []string{"CONNECT", "UNKNOWN(-1)", "FLOW"}},
		{"length past the end", wiremake.Raw([]byte{0x08, 11, 0x5a, 99}), []string{"CONNECT", "UNKNOWN(-1)", "FLOW"}},
	} {
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()), x.bad, wiremake.Frame(flow(6)))
		got := decodeAll(t, Limits{}, nil, tape.Source())
		if !slices.Equal(got.names(), x.want) {
			t.Errorf("%s: %q, events %q", x.name, got.names(), got.events)
		}
		tape, c = talk()
		c.Send(client, wiremake.Frame(connect()), x.bad, []byte("nothing that could be a frame"), wiremake.Frame(flow(6)))
		got = decodeAll(t, Limits{}, nil, tape.Source())
		if want := []string{"CONNECT", "FLOW resync"}; !slices.Equal(got.names(), want) {
			t.Errorf("%s, and garbage: %q, events %q", x.name, got.names(), got.events)
		}
	}
}

// Roles of the two sides, by the first thing that tells them.
func TestRoles(t *testing.T) {
	fromClient, fromBroker := wiremake.Frame(flow(5)), wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_SUCCESS.Enum(),
		Success: &pb.CommandSuccess{RequestId: ptr(uint64(1))}})
	for _, x := range []struct {
		name string
		make func(c *wiremake.Talk)
		want string // direction of the first frame, and what told it
	}{
		{"CONNECT against the SYN", func(c *wiremake.Talk) { c.SYN(server, 5); c.Send(client, wiremake.Frame(connect())) }, "c2s CONNECT"},
		{"CONNECTED", func(c *wiremake.Talk) { c.Send(server, wiremake.Frame(connected(0)), fromBroker) }, "s2c CONNECTED"},
		{"SYN", func(c *wiremake.Talk) { c.SYN(client, 5); c.Send(client, fromBroker, fromBroker) }, "c2s SYN"},
		{"SYN-ACK", func(c *wiremake.Talk) { c.SYN(server, 5); c.Send(client, fromClient, fromClient) }, "c2s SYN"},
		{"command of a client", func(c *wiremake.Talk) { c.Send(server, fromClient, fromClient) }, "c2s command"},
		{"command of a broker", func(c *wiremake.Talk) { c.Send(client, fromBroker, fromBroker) }, "s2c command"},
		{"the higher port", func(c *wiremake.Talk) { c.Send(server, wiremake.Frame(ping()), wiremake.Frame(ping())) }, "s2c higher_port"},
	} {
		tape := wiremake.NewTape()
		x.make(tape.Midway(40000))
		got := decodeAll(t, Limits{}, nil, tape.Source())
		if len(got.frames) == 0 {
			t.Errorf("%s: no frames, %q", x.name, got.events)
			continue
		}
		if have := fmt.Sprintf("%s %s", got.frames[0].Direction, got.conns[0].RoleFrom); have != x.want {
			t.Errorf("%s: %q, want %q", x.name, have, x.want)
		}
	}
}

// A frame that contradicts the roles is an issue, and nothing is renamed.
func TestRoleConflict(t *testing.T) {
	tape, c := talk()
	c.Send(client, wiremake.Frame(connect()), wiremake.Frame(connected(0)))
	got := decodeAll(t, Limits{}, nil, tape.Source())
	if f := got.frames[1]; f.Direction != ClientToServer || !slices.Contains(f.Issues, "role_conflict") {
		t.Errorf("%+v", f)
	}
}

// Frames of the two directions come in the order of their packets, also where
// one direction has to wait for bytes that come late.
func TestOrderOfDirections(t *testing.T) {
	tape, c := talk()
	c.Send(client, wiremake.Frame(connect()))
	c.Send(server, wiremake.Frame(connected(0)))
	late := wiremake.Frame(flow(1))
	missing := c.Segment(client, late)
	c.Lose(client, len(late))
	c.Send(client, wiremake.Frame(flow(2)))
	c.Send(server, wiremake.Frame(ping()))
	tape.Add(missing)
	c.Send(server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_PONG.Enum(), Pong: &pb.CommandPong{}}))
	got := decodeAll(t, Limits{}, nil, tape.Source())
	holds(t, "frames", got.names(), []string{"CONNECT", "CONNECTED", "PING", "FLOW", "FLOW", "PONG"})
	for i, want := range []uint64{3, 4, 6, 7, 7, 8} {
		if got.frames[i].Last != want {
			t.Errorf("frame %d is completed by packet %d, want %d", i, got.frames[i].Last, want)
		}
	}
}

// Size fields that are hostile or nonsense: no frame, the search goes on and
// finds the next.
func TestHostileSizes(t *testing.T) {
	for _, x := range []struct{ total, command uint32 }{
		{8, 4294967295}, {0xffffffff, 2}, {0xffffffff, 0xffffffff}, {1 << 31, 4}, {1<<31 - 1, 4}, {0, 0}, {1, 0}, {2, 0}, {3, 0},
		{4, 0}, {5, 1}, {6, 0}, {6, 1}, {6, 3}, {7, 4}, {8, 5}, {9, 6}, {20, 17}, {257 << 20, 4}, {6 << 20, 6 << 20}, {6 << 20, 2},
	} {
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()), wiremake.Sized(x.total, x.command, 0x77, 0x77, 0x77),
			wiremake.Frame(flow(1)), wiremake.Frame(flow(2)), wiremake.Frame(flow(3)))
		got := decodeAll(t, Limits{}, nil, tape.Source())
		want := []string{"CONNECT", "FLOW resync", "FLOW", "FLOW"}
		if !slices.Equal(got.names(), want) || !slices.Contains(got.events, fmt.Sprintf("c2s skipped 11 at %d", len(wiremake.Frame(connect())))) {
			t.Errorf("%d, %d: %q, %q", x.total, x.command, got.names(), got.events)
		}
	}
}

// The same at the very start: what begins so is no Pulsar, unless the port is
// forced.
func TestHostileSizesAtTheStart(t *testing.T) {
	for _, total := range []uint32{0, 5, 1 << 31, 0xffffffff} {
		for _, ports := range [][]uint16{nil, {6650}} {
			tape, c := talk()
			c.Send(client, wiremake.Sized(total, 4, bytes.Repeat([]byte{0xee}, 40)...))
			got := decodeAll(t, Limits{}, ports, tape.Source())
			want := "end unknown SYN"
			if last := got.events[len(got.events)-1]; last != want || len(got.frames) > 0 {
				t.Errorf("%d: %q, %q", total, got.names(), got.events)
			}
		}
	}
}

// Frames above what brokers take by default: proven by their command, named as
// an issue; the limit of CONNECTED raises what needs no proof.
func TestLargeFrames(t *testing.T) {
	large := strings.Repeat("x", 5_488_900-60)
	frame := send(1, large).Frame()
	for _, x := range []struct {
		name    string
		limits  Limits
		largest int32
		want    []string
		issues  []string
	}{
		{"default", Limits{}, 0, []string{"CONNECT", "CONNECTED", "SEND", "PING"}, []string{"over_default_max_frame"}},
		{"raised by CONNECTED", Limits{}, 6 << 20, []string{"CONNECT", "CONNECTED", "SEND", "PING"}, []string{"over_default_max_frame"}},
		{"--max-frame above it", Limits{MaxFrame: 6 << 20}, 0, []string{"CONNECT", "CONNECTED", "SEND", "PING"}, []string{"over_default_max_frame"}},
		{"--max-frame below it", Limits{MaxFrame: 1 << 20}, 0, []string{"CONNECT", "CONNECTED", "PING resync"}, nil},
	} {
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()))
		c.Send(server, wiremake.Frame(connected(x.largest)))
		for b := range slices.Chunk(slices.Concat(frame, wiremake.Frame(ping())), 60000) {
			c.Send(client, b)
		}
		got := decodeAll(t, x.limits, nil, tape.Source())
		if !slices.Equal(got.names(), x.want) {
			t.Errorf("%s: %q, %q", x.name, got.names(), got.events)
			continue
		}
		if f := got.frames[2]; x.issues != nil && (!slices.Equal(f.Issues, x.issues) || f.Checksum != ChecksumOK || len(f.Payload) != len(large)) {
			t.Errorf("%s: %q, checksum %v, %d bytes", x.name, f.Issues, f.Checksum, len(f.Payload))
		}
	}
}

// A frame just above the limit whose command fills it, with nothing behind.
func TestLargeFrameWithoutPayload(t *testing.T) {
	limit := DefaultMaxMessageSize + framePadding
	for _, total := range []int{limit - 1, limit, limit + 1, limit + 2, limit + 4, limit + 5} {
		command := wiremake.Bytes(flow(5))
		filler := total - 4 - len(command) - 6 // an unknown field of so many bytes: tag of 2, length of 4
		command = append(command, 0xfa, 0x7f)
		command = append(command, 0x80|byte(filler&0x7f), 0x80|byte(filler>>7&0x7f), 0x80|byte(filler>>14&0x7f), byte(filler>>21))
		command = append(command, make([]byte, filler)...)
		if len(command) != total-4 {
			t.Fatal(len(command), total)
		}
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()))
		for b := range slices.Chunk(slices.Concat(wiremake.Raw(command), wiremake.Frame(flow(6)), wiremake.Frame(ping())), 60000) {
			c.Send(client, b)
		}
		got := decodeAll(t, Limits{}, nil, tape.Source())
		want := []string{"CONNECT", "FLOW", "FLOW", "PING"}
		if total > limit+4 { // the command alone is beyond the limit
			want = []string{"CONNECT", "FLOW resync", "PING"}
		}
		if !slices.Equal(got.names(), want) {
			t.Errorf("total size %d: %q, %q", total, got.names(), got.events)
		}
	}
}
