//go:build linux

package confine_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pulsar-dissect/confine"
)

// asked tells this binary that it is the process to be confined: what it needs,
// as JSON.
const asked = "CONFINE_TEST"

func TestMain(m *testing.M) {
	if needs := os.Getenv(asked); needs != "" {
		var n confine.Needs
		if err := json.Unmarshal([]byte(needs), &n); err != nil {
			panic(err)
		}
		confined(n)
		return
	}
	os.Exit(m.Run())
}

// attempts are what a confined process tries, by name.
var attempts = []struct {
	name string
	try  func(place string) error
}{
	{"write beside", func(place string) error { return os.WriteFile(filepath.Join(place, "beside"), nil, 0o600) }},
	{"write over", func(place string) error { return os.WriteFile(filepath.Join(place, "secret"), nil, 0o600) }},
	{"remove", func(place string) error { return os.Remove(filepath.Join(place, "secret")) }},
	{"read", func(place string) error { _, err := os.ReadFile(filepath.Join(place, "secret")); return err }},
	{"list", func(place string) error { _, err := os.ReadDir(place); return err }},
	{"link into the folder", func(place string) error {
		return os.Link(filepath.Join(place, "secret"), filepath.Join(place, "out", "link"))
	}},
	{"run", func(string) error { return unix.Exec("/proc/self/exe", []string{"x"}, nil) }},
	{"start", func(string) error { return exec.Command("/bin/true").Run() }},
	{"packet socket", func(string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW) }},
	{"raw socket", func(string) error { return socket(unix.AF_INET, unix.SOCK_RAW) }},
	{"netlink", func(string) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW) }},
	{"local socket", func(string) error { return socket(unix.AF_UNIX, unix.SOCK_STREAM) }},
	{"trace", func(string) error { return unix.PtraceSeize(os.Getppid()) }},
	{"read memory", func(string) error {
		b := make([]byte, 8)
		v := []unix.Iovec{{Base: &b[0], Len: 8}}
		_, err := unix.ProcessVMReadv(os.Getppid(), v, []unix.RemoteIovec{{Base: 4096, Len: 8}}, 0)
		return err
	}},
	{"signal", func(string) error { return unix.Kill(os.Getppid(), unix.SIGURG) }},
	{"signal to a thread", func(string) error { return unix.Tgkill(os.Getppid(), os.Getppid(), unix.SIGURG) }},
	{"user namespace", func(string) error { return unix.Unshare(unix.CLONE_NEWUSER) }},
	{"type into a terminal", func(string) error { return unix.IoctlSetInt(0, unix.TIOCSTI, 0) }},
	{"io_uring", func(string) error {
		_, _, err := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		return err
	}},
}

// needed are what a confined process goes on to do.
var needed = []struct {
	name string
	try  func(place string) error
}{
	{"make and remove", func(place string) error {
		path := filepath.Join(place, "out", "file")
		return errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.WriteFile(path, nil, 0o600), os.Remove(path))
	}},
	{"keys", func(place string) error { _, err := os.ReadFile(filepath.Join(place, "keys", "log")); return err }},
	{"threads", func(string) error {
		done := make(chan bool)
		for range 50 {
			go func() {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil) // each in a thread of its own
				done <- true
			}()
		}
		for range 50 {
			<-done
		}
		return nil
	}},
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// confined tells what is in force, the address of a server that it goes on to
// run, and one line for each attempt; then it waits for the end of its input.
func confined(n confine.Needs) {
	place := filepath.Dir(n.Write[0])
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, http.NotFoundHandler()) //nolint:errcheck // it ends with the process
	fmt.Println(confine.Process(n))
	fmt.Println(l.Addr())
	for _, a := range attempts {
		fmt.Printf("%s: %v\n", a.name, a.try(place))
	}
	for _, a := range needed {
		fmt.Printf("%s: %v\n", a.name, a.try(place))
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err == nil {
		c.Close()
	}
	fmt.Printf("connect: %v\n", err)
	io.Copy(io.Discard, os.Stdin) //nolint:errcheck // it ends
}

// start runs the process and gives what it did: by name, what came of it.
func start(t *testing.T, network bool) (told, address string, came map[string]string) {
	t.Helper()
	place := t.TempDir()
	for name, text := range map[string]string{"secret": "x", "keys/log": "x", "out/other": ""} {
		path := filepath.Join(place, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	needs, err := json.Marshal(confine.Needs{Write: []string{filepath.Join(place, "out")}, Read: []string{filepath.Join(place, "keys")}, Network: network})
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asked+"="+string(needs))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	out := bufio.NewReader(pipe)
	line := func() string {
		text, err := out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(text)
	}
	told, address = line(), line()
	came = map[string]string{}
	for range len(attempts) + len(needed) + 1 {
		name, what, _ := strings.Cut(line(), ": ")
		came[name] = what
	}
	return told, address, came
}

// Nothing gets out of a confined process, and what it needs goes on.
func TestConfined(t *testing.T) {
	told, address, came := start(t, false)
	if !strings.HasPrefix(told, "landlock ") || !strings.HasSuffix(told, ", seccomp") {
		t.Skip("this kernel does not have it all: ", told)
	}
	for _, a := range attempts {
		if text := came[a.name]; !strings.Contains(text, "permission denied") && !strings.Contains(text, "not permitted") && !strings.Contains(text, "cross-device") {
			t.Errorf("%s: %s", a.name, text)
		}
	}
	for _, a := range needed {
		if text := came[a.name]; text != "<nil>" {
			t.Errorf("%s: %s", a.name, text)
		}
	}
	if came["connect"] == "<nil>" {
		t.Error("it could connect")
	}
	r, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal("its server does not go on: ", err)
	}
	r.Body.Close()
}

// Who asks for connections to others gets TCP and UDP, and no other socket.
func TestNetwork(t *testing.T) {
	told, _, came := start(t, true)
	if !strings.HasSuffix(told, ", seccomp") {
		t.Skip("this kernel does not have it all: ", told)
	}
	if came["connect"] != "<nil>" {
		t.Errorf("connect: %s", came["connect"])
	}
	for _, name := range []string{"packet socket", "raw socket", "netlink", "local socket", "run", "write beside"} {
		if text := came[name]; text == "<nil>" || text == "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}
