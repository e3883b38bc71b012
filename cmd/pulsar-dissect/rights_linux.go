package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"

	"pulsar-dissect/confine"
)

// giveUpRights makes root an ordinary user, takes from every user the rights that
// the program's file gave, and confines the process to what it needs. What is open
// stays open. told says what is in force.
func (s *sniffing) giveUpRights(n confine.Needs) (told string, err error) {
	if os.Geteuid() == 0 {
		err = become(s.user)
	}
	if err != nil && (!errors.Is(err, syscall.EPERM) || s.userChosen) {
		return "", err
	}
	words := []string{"no new rights"}
	if s.user != root { // where root may not become anybody else, as in a container, it can be a powerless one
		if err := dropCapabilities(); err != nil {
			return "", err
		}
		words = append(words, "no capabilities")
	}
	if err := forbidNewRights(); err != nil {
		return "", err
	}
	return strings.Join(append(words, confine.Process(n)), ", "), nil
}

// root keeps its rights if the user says so.
const root = "root"

// become takes the identity of a user, in all threads, without any further
// group.
func become(name string) error {
	if name == root {
		return nil
	}
	uid, gid, err := identity(name)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		err  error
	}{
		{"groups", syscall.Setgroups(nil)},
		{"group", syscall.Setresgid(gid, gid, gid)},
		{"user", syscall.Setresuid(uid, uid, uid)},
	} {
		if step.err != nil {
			return fmt.Errorf("root cannot become %s: %s: %w; choose another with --user, or stay with --user root", name, step.name, step.err)
		}
	}
	return nil
}

// identity looks a user up. The numbers of nobody are the same everywhere, also
// where there is no list of users, as in small containers.
func identity(name string) (uid, gid int, err error) {
	u, err := user.Lookup(name)
	if err != nil {
		if name == defaultUser {
			return nobody, nobody, nil
		}
		return 0, 0, wrongUse("Name one with --user, or stay with --user root.", "there is no user %q", name)
	}
	if uid, err = strconv.Atoi(u.Uid); err == nil {
		gid, err = strconv.Atoi(u.Gid)
	}
	return uid, gid, err
}

const nobody = 65534

// dropCapabilities gives up all of them (capabilities(7)), in all threads.
func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return inAllThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&none[0])), 0)
}

// forbidNewRights has no program that this one might start gain any
// (PR_SET_NO_NEW_PRIVS).
func forbidNewRights() error { return inAllThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0) }

// inAllThreads makes a system call in each of them, also where the program is
// linked with C code, in which the Go runtime refuses to.
func inAllThreads(call, a, b, c uintptr) error {
	if _, _, failed := psx.Syscall6(call, a, b, c, 0, 0, 0); failed != 0 {
		return failed
	}
	return nil
}

// mayRead says whether a file can be read.
func mayRead(path string) error { return unix.Access(path, unix.R_OK) }

// mayWrite says whether files can be made in a folder.
func mayWrite(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }
