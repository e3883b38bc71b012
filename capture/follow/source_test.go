package follow

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pulsar-dissect/capture"
)

// soon is how long a test waits for what ought to happen at once.
const soon = 10 * time.Second

var header = []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0}

// record is a pcap record of a packet with this text, at a second of the same number.
func record(second int, text string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(second))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	return append(b, text...)
}

// following is a Source whose packets come on a channel.
type following struct {
	t       *testing.T
	folder  string
	source  *Source
	packets chan capture.Packet
	stop    func()
}

func follow(t *testing.T, pattern string) *following {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	f := &following{t: t, folder: t.TempDir(), packets: make(chan capture.Packet, 100), stop: stop}
	var err error
	f.source, err = Open(ctx, Options{
		Pattern: filepath.Join(f.folder, pattern), Idle: func() {}, Tell: func(string) {},
		Warn: func(w capture.Warning) { t.Log(w) },
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(f.packets)
		for p, err := range f.source.Packets() {
			if err != nil {
				t.Error(err)
			}
			p.Data = bytes.Clone(p.Data)
			f.packets <- p
		}
	}()
	return f
}

// write appends to a file.
func (f *following) write(name string, parts ...[]byte) {
	f.t.Helper()
	file, err := os.OpenFile(filepath.Join(f.folder, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.Write(bytes.Join(parts, nil))
	}
	if err != nil {
		f.t.Fatal(err)
	}
	file.Close()
}

// want waits for packets with these texts, numbered on.
func (f *following) want(first int, texts ...string) {
	f.t.Helper()
	for i, text := range texts {
		select {
		case p := <-f.packets:
			if string(p.Data) != text || p.Number != uint64(first+i) {
				f.t.Fatalf("packet %d %q, want %d %q", p.Number, p.Data, first+i, text)
			}
		case <-time.After(soon):
			f.t.Fatalf("%q does not come", text)
		}
	}
}

func (f *following) end() {
	f.t.Helper()
	f.stop()
	for p := range f.packets {
		f.t.Errorf("one more packet: %q", p.Data)
	}
}

// A file is read as it grows, also where it ends within a record for a while.
func TestGrowing(t *testing.T) {
	f := follow(t, "x.pcap")
	f.write("x.pcap", header, record(1, "one"))
	f.want(1, "one")
	two := record(2, "two")
	f.write("x.pcap", two[:9])
	time.Sleep(2 * interval)
	f.write("x.pcap", two[9:], record(3, "three"))
	f.want(2, "two", "three")
	f.end()
	if st := f.source.Stats().Files[0]; st.Packets != 3 || st.Name != f.source.Files()[0] {
		t.Errorf("%+v", st)
	}
}

// Files come one after another; what was written last to one is not lost.
func TestPattern(t *testing.T) {
	f := follow(t, "x*.pcap")
	f.write("x1.pcap", header, record(1, "one"))
	f.want(1, "one")
	f.write("x1.pcap", record(2, "two"))
	f.write("x2.pcap", header, record(3, "three"))
	f.want(2, "two", "three")
	f.write("x3.pcap", header, record(4, "four"))
	f.want(4, "four")
	f.end()
}

// logrotate and the like move the file away.
func TestRenamed(t *testing.T) {
	f := follow(t, "x.pcap*")
	f.write("x.pcap", header, record(1, "one"))
	f.want(1, "one")
	if err := os.Rename(filepath.Join(f.folder, "x.pcap"), filepath.Join(f.folder, "x.pcap.1")); err != nil {
		t.Fatal(err)
	}
	f.write("x.pcap.1", record(2, "two"))
	f.want(2, "two")
	f.write("x.pcap", header, record(3, "three"))
	f.want(3, "three")
	f.end()
}

// tcpdump -W writes to the first file again.
func TestWrittenAnew(t *testing.T) {
	f := follow(t, "x*.pcap")
	f.write("x1.pcap", header, record(1, "a packet of some length"))
	f.write("x2.pcap", header, record(2, "two"))
	f.want(1, "a packet of some length", "two")
	if err := os.WriteFile(filepath.Join(f.folder, "x1.pcap"), append(header[:24:24], record(3, "three")...), 0o644); err != nil {
		t.Fatal(err)
	}
	f.want(3, "three")
	f.end()
}

func TestBadPattern(t *testing.T) {
	if _, err := Open(context.Background(), Options{Pattern: "[", Tell: func(string) {}}); err == nil {
		t.Error("no error")
	}
}
