//go:build linux

package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience of a test with what ought to happen at once.
const soon = 10 * time.Second

// open captures, or skips the test where that is not permitted.
func open(t testing.TB, o Options) *Source {
	t.Helper()
	fd, err := openSocket()
	if errors.Is(err, unix.EPERM) {
		t.Skip("needs CAP_NET_RAW")
	}
	if err != nil {
		t.Skip("no packet sockets here: ", err)
	}
	unix.Close(fd)
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	timeout := time.AfterFunc(soon, s.Stop)
	t.Cleanup(func() { timeout.Stop() })
	return s
}

// talk sends bytes over a connection of loopback, with its port as the server's.
func talk(t testing.TB, l net.Listener, text []byte) {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		c.Write(text) //nolint:errcheck // the other end sees to that
		c.(*net.TCPConn).CloseWrite()
	}()
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(s)
	if err != nil || !bytes.Equal(got, text) {
		t.Fatal(len(got), err)
	}
	s.Close()
}

func listen(t testing.TB) (net.Listener, uint16) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, uint16(l.Addr().(*net.TCPAddr).Port)
}

// Loopback shows each packet once, although it is sent and received there, with
// all bytes of segments that were not cut up; and what came ahead of Stop is given
// out behind it.
func TestLoopback(t *testing.T) {
	for _, names := range [][]string{{"lo"}, {Any}, {"lo", "lo"}} {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			l, port := listen(t)
			s := open(t, Options{Interfaces: names, Filter: Filter{Ports: []uint16{port}}})
			other, _ := listen(t)
			talk(t, other, []byte("not wanted"))
			talk(t, l, bytes.Repeat([]byte("0123456789abcdef"), 20_000))
			s.Stop()
			var payload, last int64
			syns := 0
			for p, err := range s.Packets() {
				if err != nil {
					t.Fatal(err)
				}
				if p.Link != linkEthernet || len(p.Data) != p.OrigLen || p.Time < last || s.Interface(p.Interface) != "lo" {
					t.Errorf("packet %+v", p)
				}
				last = p.Time
				tcp := p.Data[34:]
				if tcp[13]&2 != 0 {
					syns++
				}
				payload += int64(len(tcp) - int(tcp[12]>>4)*4)
			}
			if payload != 320_000 || syns != 2 {
				t.Errorf("%d bytes of payload, %d SYNs", payload, syns)
			}
			st := s.Stats().Files[0]
			if in := st.Interfaces[len(st.Interfaces)-1]; in.Name != "lo" || in.Received != st.Packets || in.OSDropped != 0 {
				t.Errorf("%+v", st.Interfaces)
			}
		})
	}
}

// What finds no room in the ring is counted, and told.
func TestLoss(t *testing.T) {
	l, port := listen(t)
	var news []string
	s := open(t, Options{Interfaces: []string{"lo"}, Buffer: minBlocks * blockSize, Filter: Filter{Ports: []uint16{port}},
		Tell: func(n string) { news = append(news, n) }})
	talk(t, l, make([]byte, 16<<20))
	s.Stop()
	for _, err := range s.Packets() {
		if err != nil {
			t.Error(err)
		}
	}
	if in := s.Stats().Files[0].Interfaces[0]; in.OSDropped == 0 || len(news) != 1 || !strings.Contains(news[0], "packets lost") {
		t.Errorf("%+v, %q", in, news)
	}
}

func TestSnap(t *testing.T) {
	l, port := listen(t)
	s := open(t, Options{Interfaces: []string{"lo"}, Snap: 80, Filter: Filter{Ports: []uint16{port}}})
	talk(t, l, make([]byte, 1000))
	s.Stop()
	long := 0
	for p, err := range s.Packets() {
		if err != nil || len(p.Data) > 80 {
			t.Errorf("%d bytes, %v", len(p.Data), err)
		}
		if p.OrigLen > 1000 {
			long++
		}
	}
	if long != 1 {
		t.Errorf("%d packets of more than 1000 bytes", long)
	}
}

// Idle is called while the loop waits, and Stop ends it from anywhere.
func TestIdle(t *testing.T) {
	l, port := listen(t)
	var s *Source
	packets := 0
	s = open(t, Options{Interfaces: []string{"lo"}, Filter: Filter{Ports: []uint16{port}}, Idle: func() {
		if packets > 0 {
			go s.Stop()
		}
	}})
	talk(t, l, []byte("hello"))
	for _, err := range s.Packets() {
		if err != nil {
			t.Error(err)
		}
		packets++
	}
	if packets == 0 {
		t.Error("no packets")
	}
}

func run(t *testing.T, command string) {
	t.Helper()
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Skipf("%s: %v: %s", command, err, out)
	}
}

// pair makes two interfaces that are connected to each other, for one test.
func pair(t *testing.T) (near, far string) {
	t.Helper()
	near, far = fmt.Sprintf("pd%da", os.Getpid()), fmt.Sprintf("pd%db", os.Getpid())
	run(t, "ip link add "+near+" type veth peer name "+far)
	t.Cleanup(func() { exec.Command("ip", "link", "del", near).Run() }) //nolint:errcheck // it may be gone
	run(t, "ip link set "+near+" up && ip link set "+far+" up")
	return near, far
}

// An interface that goes down, comes back and goes is news while others stay; it is
// the end where none is left.
func TestInterfaceNews(t *testing.T) {
	for _, others := range [][]string{{"lo"}, nil} {
		t.Run(strings.Join(others, ","), func(t *testing.T) {
			near, far := pair(t)
			names := append([]string{far}, others...)
			told := make(chan string, 100)
			s := open(t, Options{Interfaces: names, Filter: Filter{Ports: []uint16{1}}, Tell: func(n string) { told <- n }})
			ended := make(chan error, 1)
			go func() {
				var last error
				for _, err := range s.Packets() {
					last = err
				}
				ended <- last
			}()
			for _, step := range []struct{ command, want string }{
				{"ip link set " + far + " down", far + " went down"},
				{"ip link set " + far + " up", far + " is up"},
				{"ip link del " + near, far + " is gone"},
			} {
				run(t, step.command)
				for got := ""; got != step.want; {
					select {
					case got = <-told:
					case <-time.After(soon):
						t.Fatalf("%q is not told", step.want)
					}
				}
			}
			if len(names) > 1 {
				s.Stop()
			}
			if err := <-ended; (err == nil) != (len(names) > 1) {
				t.Error(err)
			}
		})
	}
}

// Tags that the kernel takes out are there again.
func TestTags(t *testing.T) {
	near, far := pair(t)
	tagged := near + ".7"
	run(t, "ip link add link "+near+" name "+tagged+" type vlan id 7 && ip link set "+tagged+" up && ip addr add 192.0.2.1/24 dev "+tagged+" && "+
		"ip neigh replace 192.0.2.2 lladdr 02:00:00:00:00:02 dev "+tagged)
	s := open(t, Options{Interfaces: []string{far}, Filter: Filter{Nets: networks("192.0.2.0/24")}})
	u, err := net.Dial("udp", "192.0.2.2:6650")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if _, err := u.Write([]byte("tagged")); err != nil {
		t.Fatal(err)
	}
	for p, err := range s.Packets() {
		if err != nil {
			t.Fatal(err)
		}
		if string(p.Data[12:18]) == "\x81\x00\x00\x07\x08\x00" {
			return
		}
	}
	t.Error("no packet with the tag")
}

func TestNames(t *testing.T) {
	_, err := Open(Options{Interfaces: []string{"nosuch0"}})
	if err == nil || !strings.Contains(err.Error(), `there is no interface "nosuch0": there are any, lo`) {
		t.Error(err)
	}
}
