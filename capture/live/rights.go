//go:build linux

package live

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// explain says what is missing where a packet socket is refused, and how to get it.
func explain(err error, names []string) error {
	on := strings.Join(names, ", ")
	switch {
	case !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EACCES):
		return fmt.Errorf("no packets can be captured on %s: this kernel gives no packet socket: %w", on, err)
	case hasRawCapability():
		return fmt.Errorf("no packets may be captured on %s: this process has the right CAP_NET_RAW, but a security policy (seccomp, a user namespace, SELinux or AppArmor) denies packet sockets", on)
	case os.Geteuid() == 0:
		return fmt.Errorf("no packets may be captured on %s: the right CAP_NET_RAW is missing, although this is root; "+
			"give it to the container: docker run --cap-add NET_RAW, or in Kubernetes securityContext.capabilities.add: [NET_RAW]", on)
	}
	return fmt.Errorf("no packets may be captured on %s: the right CAP_NET_RAW is missing; run it as root, or grant the right once:\n  sudo setcap cap_net_raw+ep %s", on, ownPath())
}

// ownPath is the path of this program's file.
func ownPath() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// hasRawCapability tells whether CAP_NET_RAW is in force (capabilities(7)).
func hasRawCapability() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	err := unix.Capget(&head, &data[0])
	return err == nil && data[0].Effective&(1<<unix.CAP_NET_RAW) != 0
}

func explainRing(err error, size int) error {
	if errors.Is(err, unix.ENOMEM) {
		return fmt.Errorf("the kernel has no memory for a ring of %d bytes: choose less with --buffer: %w", size, err)
	}
	return fmt.Errorf("a ring of %d bytes: %w", size, err)
}

func explainFilter(err error, size int) error {
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("the filter takes %d instructions, more than the kernel allows: name fewer addresses and ports", size)
	}
	return fmt.Errorf("the filter: %w", err)
}
