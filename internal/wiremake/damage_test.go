package wiremake_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// runs is how often a test tries: less often in short runs.
func runs(n int) int {
	switch {
	case os.Getenv(longEnv) != "":
		return 20 * n
	case testing.Short():
		return n / 10
	}
	return n
}

// TestBitFlips flips bits of captures, few or many.
func TestBitFlips(t *testing.T) {
	for i, path := range smallCaptures(t, 60<<10) {
		file := readFile(t, path)
		for seed := range uint64(runs(20)) {
			r := generator(seed<<8 + uint64(i))
			damaged := bytes.Clone(file)
			for range 1 + r.IntN(1<<r.IntN(10)) {
				damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
			}
			hostile(t, fmt.Sprintf("%s, seed %d", path, seed), damaged)
		}
	}
}

// TestPacketsShuffled leaves packets out, doubles them, cuts them and puts them
// in another order.
func TestPacketsShuffled(t *testing.T) {
	for i, path := range smallCaptures(t, 60<<10) {
		packets := packetsOf(t, path)
		for seed := range uint64(runs(15)) {
			if err := valid(dissect(t, shuffled(packets, generator(seed<<8+uint64(i))))); err != nil {
				t.Fatalf("%s, seed %d: %v", path, seed, err)
			}
		}
	}
}

// TestShuffledBefore has what once went wrong.
func TestShuffledBefore(t *testing.T) {
	for _, x := range []struct {
		name string
		seed uint64
	}{
		{"base", 211 << 8}, // consumers of closed connections, ended while others were
	} {
		packets := packetsOf(t, filepath.Join(testkit.Root(t), "testdata", "captures", x.name, x.name+".pcap"))
		if err := valid(dissect(t, shuffled(packets, generator(x.seed)))); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

// packetsOf are the packets of a capture, as far as it can be read.
func packetsOf(t *testing.T, path string) (packets []capture.Packet) {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		return nil
	}
	defer src.Close()
	for p, err := range src.Packets() {
		if err == nil {
			p.Data = bytes.Clone(p.Data)
			packets = append(packets, p)
		}
	}
	return packets
}

// shuffled gives the packets as a bad capture has them.
func shuffled(packets []capture.Packet, r *rand.Rand) iter.Seq2[capture.Packet, error] {
	var some []capture.Packet
	for _, p := range packets {
		switch r.IntN(12) {
		case 0:
			continue
		case 1:
			some = append(some, p)
		case 2:
			p.Data = p.Data[:r.IntN(len(p.Data)+1)]
		case 3:
			p.Time += int64(r.IntN(200)-100) * 1e9
		}
		some = append(some, p)
		if n := len(some); n > 3 && r.IntN(8) == 0 {
			k := n - 1 - r.IntN(3)
			some[n-1], some[k] = some[k], some[n-1]
		}
	}
	return wiremake.Overwriting(wiremake.Source(some))
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestRandomBehindHeaders has random bytes behind everything that may be valid:
// the file, the IP header, the handshake, the sizes, the command, the metadata,
// the codec.
func TestRandomBehindHeaders(t *testing.T) {
	for seed := range uint64(runs(600)) {
		r := generator(seed)
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		c.Send(wiremake.Client, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(),
			Connect: &pb.CommandConnect{ClientVersion: proto.String("x"), ProtocolVersion: proto.Int32(21)}}))
		for range 1 + r.IntN(30) {
			side := r.IntN(2)
			c.Send(side, randomPart(r))
			if r.IntN(10) == 0 {
				c.Lose(side, 1+r.IntN(30))
			}
		}
		file := wiremake.Pcap(tape.Packets)
		switch r.IntN(6) {
		case 0:
			file = append(file, random(r, r.IntN(200))...)
		case 1:
			file = append(file[:24], random(r, 2000)...)
		case 2:
			file = append(file[:24+16+20], random(r, 2000)...)
		}
		hostile(t, fmt.Sprint("seed ", seed), file)
	}
}

// randomPart is something of a stream that is right up to a point.
func randomPart(r *rand.Rand) []byte {
	types := wiremake.Types()
	filled := wiremake.Filled(types[r.IntN(len(types))], r.Uint64()>>1)
	command := wiremake.Bytes(filled)
	switch r.IntN(9) {
	case 0:
		return random(r, r.IntN(100))
	case 1: // sizes
		body := random(r, 2+r.IntN(60))
		return wiremake.Raw(body, random(r, r.IntN(10))...)
	case 2: // sizes that are off
		return wiremake.Sized(r.Uint32()>>r.IntN(32), r.Uint32()>>r.IntN(32), command...)
	case 3: // a command with random bytes in it
		for range 1 + r.IntN(4) {
			command[r.IntN(len(command))] = byte(r.Uint32())
		}
		return wiremake.Raw(command)
	case 4: // a section
		return wiremake.Raw(command, append([]byte{0x0e, byte(1 + r.IntN(2))}, random(r, r.IntN(60))...)...)
	case 5: // an entry
		return randomEntry(r)
	case 6:
		return wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}})
	case 7:
		return wiremake.Raw([]byte{0x08, byte(r.Uint32())}, random(r, r.IntN(8))...)
	}
	return wiremake.Frame(filled)
}

// randomEntry is a SEND or MESSAGE with a right checksum, whatever it holds.
func randomEntry(r *rand.Rand) []byte {
	p := wiremake.Payload{Command: wiremake.Filled([]pb.BaseCommand_Type{pb.BaseCommand_SEND, pb.BaseCommand_MESSAGE}[r.IntN(2)], r.Uint64()>>1),
		Metadata: &pb.MessageMetadata{ProducerName: proto.String("p"), SequenceId: proto.Uint64(r.Uint64()), PublishTime: proto.Uint64(r.Uint64())}}
	m := p.Metadata
	if r.IntN(2) == 0 {
		m.NumMessagesInBatch = proto.Int32(int32(r.Uint32()) >> r.IntN(32))
		p.Body = wiremake.Batch(wiremake.Single{Body: random(r, r.IntN(20))}, wiremake.Single{})
	}
	if r.IntN(2) == 0 {
		p.Body = append(p.Body, random(r, r.IntN(40))...)
	}
	if r.IntN(3) == 0 {
		m.Compression = pb.CompressionType(r.IntN(6)).Enum()
		m.UncompressedSize = proto.Uint32(r.Uint32() >> r.IntN(32))
		if r.IntN(2) == 0 {
			var b bytes.Buffer
			w := zlib.NewWriter(&b)
			_, err := w.Write(p.Body)
			if err = errors.Join(err, w.Close()); err == nil {
				p.Body = b.Bytes()
			}
		}
	}
	if r.IntN(4) == 0 {
		m.Uuid, m.NumChunksFromMsg, m.ChunkId = proto.String("u"), proto.Int32(int32(r.IntN(5))), proto.Int32(int32(r.IntN(6))-1)
	}
	return p.Frame()
}

// TestOthersCaptures runs captures of other projects through everything.
func TestOthersCaptures(t *testing.T) {
	dir := filepath.Join(testkit.Shared(t), "thirdparty")
	n := 0
	for _, pattern := range []string{"*", filepath.Join("pcapng-*", "*")} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
				n++
				hostile(t, path, readFile(t, path))
			}
		}
	}
	if n < 190 {
		t.Errorf("only %d files", n)
	}
}

// TestNobodyKeepsBorrowedBytes: a source that overwrites its buffer after each
// packet gives the same records.
func TestNobodyKeepsBorrowedBytes(t *testing.T) {
	paths := smallCaptures(t, 4<<20)
	if more, err := filepath.Glob(filepath.Join(filepath.Dir(testkit.Root(t)), "shared", "captures", "[lng]*-*.pcap")); err == nil {
		paths = append(paths, more...)
	}
	for _, path := range paths {
		one, two := records(t, path, false), records(t, path, true)
		if !bytes.Equal(one, two) {
			t.Errorf("%s: %s", path, firstDifference(one, two))
		}
	}
}

// records dissects a capture whose packets stay, or are overwritten.
func records(t *testing.T, path string, overwrite bool) []byte {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	packets := src.Packets()
	if overwrite {
		packets = wiremake.Overwriting(packets)
	}
	return dissect(t, packets)
}

func firstDifference(one, two []byte) string {
	a, b := bytes.SplitAfter(one, []byte("\n")), bytes.SplitAfter(two, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("line %d: %.400s and %.400s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(a), len(b))
}

// FuzzPipeline takes the bytes of a capture file through everything.
func FuzzPipeline(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(testkit.Root(f), "testdata", "captures", "*", "*.pcap*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		if b := readFile(f, path); len(b) < 8<<10 {
			f.Add(b)
		}
	}
	for seed := range uint64(20) {
		r := generator(seed)
		tape := wiremake.NewTape()
		c := tape.Talk(uint16(r.Uint32()))
		for range 6 {
			c.Send(r.IntN(2), randomPart(r))
		}
		f.Add(wiremake.Pcap(tape.Packets))
	}
	f.Add(binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<16 {
			return
		}
		if err := valid(dissectFile(t, file)); err != nil {
			t.Fatal(err)
		}
	})
}
