//go:build linux

package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
)

// part is a piece of what one side of a connection sends.
type part struct {
	fromClient bool
	data       []byte
}

// dialogue is what the sides of the first connection of a capture (pcap,
// little-endian, Ethernet, IPv4, in order) say, from its SYN on.
func dialogue(t *testing.T, b []byte) (parts []part) {
	t.Helper()
	client := -1
	for b = b[24:]; len(b) > 16; {
		n := int(binary.LittleEndian.Uint32(b[8:]))
		ip := b[16+14 : 16+n]
		b = b[16+n:]
		ip = ip[:binary.BigEndian.Uint16(ip[2:])]
		tcp := ip[20:]
		source := int(binary.BigEndian.Uint16(tcp))
		if client < 0 && tcp[13]&0x12 == 2 {
			client = source
		}
		server := int(binary.BigEndian.Uint16(tcp[2:])) == client
		if data := tcp[tcp[12]>>4*4:]; len(data) > 0 && (source == client || server) {
			parts = append(parts, part{source == client, data})
		}
	}
	return parts
}

// replay says it again over loopback.
func replay(t *testing.T, parts []part, l net.Listener) {
	t.Helper()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, p := range parts {
		from, to := server, client
		if p.fromClient {
			from, to = client, server
		}
		if _, err := from.Write(p.data); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(to, make([]byte, len(p.data))); err != nil {
			t.Fatal(err)
		}
	}
}

// sniffed runs the program on loopback while base.pcap is said again, and stops it
// with a signal. It gives what it wrote.
func sniffed(t *testing.T, args ...string) (out, told string) {
	t.Helper()
	if fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW, 0); err != nil {
		t.Skip("needs CAP_NET_RAW: ", err)
	} else {
		syscall.Close(fd)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	p := startLive(t, append([]string{"sniff", "-i", "lo", "--user", "root", "--port", port}, args...)...)
	all := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(p.out)
		all <- string(b)
	}()
	parts := dialogue(t, testkit.Testdata(t, "captures", "base", "base.pcap"))
	awaitSocket(t, p.Process.Pid)
	replay(t, parts, l)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	out = <-all
	if err := p.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.errors.String())
	}
	return out, p.errors.String()
}

// awaitSocket waits until a process captures: the kernel lists packet sockets that
// are bound, with their inodes.
func awaitSocket(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		fds, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
		listed, _ := os.ReadFile("/proc/net/packet")
		for _, fd := range fds {
			link, _ := os.Readlink(fd)
			if inode, ok := strings.CutPrefix(link, "socket:["); ok && isRunning(string(listed), strings.TrimSuffix(inode, "]")) {
				return
			}
		}
	}
	t.Fatal("no packet socket")
}

// isRunning looks a packet socket up in /proc/net/packet: its columns are sk,
// RefCnt, Type, Proto, Iface, R (running), Rmem, User, Inode.
func isRunning(listed, inode string) bool {
	for line := range strings.Lines(listed) {
		if f := strings.Fields(line); len(f) == 9 && f[8] == inode && f[5] == "1" {
			return true
		}
	}
	return false
}

var fileName = regexp.MustCompile(`"name":"[^"]*","packets":`)

// The records of a live run are those of the file that it wrote.
func TestSniffEqualsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.pcapng")
	live, told := sniffed(t, "-o", "json", "-w", file)
	if !strings.Contains(told, " from lo in ") || !strings.Contains(told, "; 0 lost by the kernel") {
		t.Errorf("told %q", told)
	}
	again, err := exec.Command(program(t), "events", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	a, b := fileName.ReplaceAllString(live, ""), fileName.ReplaceAllString(string(again), "")
	if a != b {
		t.Errorf("live and file differ: %d and %d bytes", len(a), len(b))
	}
	if n := strings.Count(live, `"kind":"exchange"`); n < 20 {
		t.Errorf("%d exchanges", n)
	}
	for line := range strings.Lines(live) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not a whole line: %s", line)
		}
	}
}

// Files go on being made, in one folder, once the process is confined.
func TestSniffConfined(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.pcapng")
	_, told := sniffed(t, "-w", file, "--rotate-count", "10", "--keep", "3")
	if !strings.HasPrefix(told, "capturing from lo; no new rights, ") {
		t.Errorf("told %q", told)
	}
	there, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	if err != nil || len(there) != 3 || !strings.Contains(told, " to "+there[2]) || strings.Contains(told, "no more packets") {
		t.Errorf("%q: %v, %q", there, err, told)
	}
}

// The timeline shows commands; connections that are not Pulsar are left out.
func TestSniffTimeline(t *testing.T) {
	out, _ := sniffed(t)
	for _, want := range []string{"CONNECT ", "SUBSCRIBE ", "answers SUBSCRIBE in packet", "CLOSE_CONSUMER ", "closed by the"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// What comes on a pipe is shown at once, the latest frame too, although the next
// one could add to its line.
func TestSniffPipe(t *testing.T) {
	p := startLive(t, "sniff", "-o", "compact", "-")
	if _, err := p.in.Write(firstPackets(t, 12)); err != nil {
		t.Fatal(err)
	}
	last := ""
	for !strings.Contains(last, "LOOKUP_RESPONSE") && !strings.Contains(last, "PARTITIONED_METADATA_RESPONSE") {
		last = string(p.line(t))
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, p.out); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.errors.String())
	}
	if got := p.errors.String(); !strings.HasPrefix(got, "12 packets (") || !strings.Contains(got, "from standard input") {
		t.Errorf("told %q", got)
	}
}

// A reader that goes ends the run, without complaint.
func TestSniffNobodyReads(t *testing.T) {
	p := startLive(t, "sniff", "-o", "json", "-")
	head := firstPackets(t, 12)
	if _, err := p.in.Write(head); err != nil {
		t.Fatal(err)
	}
	p.line(t)
	p.pipe.Close()
	for range 20 {
		if _, err := p.in.Write(head[24:]); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.in.Close()
	exit := (*exec.ExitError)(nil)
	if err := p.Wait(); errors.As(err, &exit) {
		t.Errorf("%v: %s", err, p.errors.String())
	}
}

// beginsOne says whether data is the beginning of a packet that is known.
func beginsOne(known map[string]bool, data []byte) bool {
	for whole := range known {
		if strings.HasPrefix(whole, string(data)) {
			return true
		}
	}
	return false
}

// What is on disk when the process is killed can be read, up to where the file
// ends, and holds no packet that was not there.
func TestSniffKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.pcapng")
	p := startLive(t, "sniff", "-o", "json", "-w", file, "-")
	go io.Copy(io.Discard, p.out) //nolint:errcheck // it ends with the process
	head := firstPackets(t, 12)
	if _, err := p.in.Write(head); err != nil {
		t.Fatal(err)
	}
	for sizeOf(file) < 1<<20 {
		if _, err := p.in.Write(head[24:]); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // says that it was killed
	source, err := capture.Open([]string{file}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	known := map[string]bool{}
	for b := head[24:]; len(b) > 0; {
		n := 16 + int(binary.LittleEndian.Uint32(b[8:]))
		known[string(b[16:n])] = true
		b = b[n:]
	}
	n := 0
	for packet, err := range source.Packets() {
		if err != nil || !known[string(packet.Data)] && !(packet.FileEnds && beginsOne(known, packet.Data)) {
			t.Fatalf("packet %d: %v, %d bytes", packet.Number, err, len(packet.Data))
		}
		n++
	}
	if n < 1000 {
		t.Errorf("%d packets in %d bytes", n, sizeOf(file))
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
