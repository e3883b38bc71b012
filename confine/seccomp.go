//go:build linux

package confine

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are the system calls that are refused whatever their arguments: those
// that start programs, reach into other processes or the kernel, or go round the
// list.
var refused = []uint32{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
	unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PROCESS_MADVISE,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_PERSONALITY,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

// processors are those whose calls are known, by GOARCH. Both have the low word
// of an argument first.
var processors = map[string]struct {
	audit   uint32
	refused []uint32 // calls that only this one has
}{
	"amd64": {unix.AUDIT_ARCH_X86_64, []uint32{57, 58}}, // fork, vfork
	"arm64": {unix.AUDIT_ARCH_AARCH64, nil},
}

// Offsets in struct seccomp_data.
const (
	offsetCall     = 0
	offsetAudit    = 4
	offsetArgument = 16 // of the first, 8 bytes each
)

// firstX32 is the first of the calls by which amd64 has the others once more.
const firstX32 = 0x40000000

// typeForUser (TIOCLINUX) pastes text on a console, as TIOCSTI types it on a
// terminal, where a shell would run it.
const typeForUser = 0x541c

// What the kernel does with a call.
var (
	allow  = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	refuse = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	// lacking has who calls take an older call in place of it.
	lacking = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
)

// restrictCalls has the kernel refuse system calls.
func restrictCalls(n Needs) (told string) {
	p, known := processors[runtime.GOARCH]
	if !known {
		return "no seccomp (not made for this processor)"
	}
	raw, err := bpf.Assemble(program(p.audit, append(p.refused, refused...), n.Network))
	if err == nil {
		err = install(raw)
	}
	if err != nil {
		return fmt.Sprintf("no seccomp (%v)", err)
	}
	return "seccomp"
}

// program decides on a call.
func program(audit uint32, calls []uint32, network bool) []bpf.Instruction {
	p := []bpf.Instruction{
		load(offsetAudit), bpf.JumpIf{Val: audit, SkipTrue: 1}, refuse,
		load(offsetCall), bpf.JumpIf{Cond: bpf.JumpLessThan, Val: firstX32, SkipTrue: 1}, refuse,
	}
	for _, c := range calls {
		p = append(p, decide(c, refuse)...)
	}
	p = append(p, decide(unix.SYS_CLONE3, lacking)...)
	p = append(p, decide(unix.SYS_CLONE, argument(0), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_THREAD, SkipTrue: 1}, refuse, allow)...)
	p = append(p, decide(unix.SYS_TGKILL, argument(0), bpf.JumpIf{Val: uint32(os.Getpid()), SkipTrue: 1}, refuse, allow)...)
	p = append(p, decide(unix.SYS_IOCTL, argument(1), bpf.JumpIf{Val: unix.TIOCSTI, SkipTrue: 1}, bpf.JumpIf{Val: typeForUser, SkipFalse: 1}, refuse, allow)...)
	p = append(p, decide(unix.SYS_SOCKET, sockets(network)...)...)
	return append(p, allow)
}

// sockets refuses all of them, or all but TCP and UDP.
func sockets(network bool) []bpf.Instruction {
	if !network {
		return []bpf.Instruction{refuse}
	}
	return []bpf.Instruction{
		argument(0),
		bpf.JumpIf{Val: unix.AF_INET, SkipTrue: 2}, bpf.JumpIf{Val: unix.AF_INET6, SkipTrue: 1}, refuse,
		argument(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf}, // the type without its flags
		bpf.JumpIf{Val: unix.SOCK_STREAM, SkipTrue: 2}, bpf.JumpIf{Val: unix.SOCK_DGRAM, SkipTrue: 1}, refuse,
		allow,
	}
}

// decide is for a call what then says, which does not go on behind it.
func decide(call uint32, then ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Val: call, SkipFalse: uint8(len(then))}}, then...)
}

func load(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }

func argument(n uint32) bpf.Instruction { return load(offsetArgument + 8*n) }

// install puts a program in force for all threads, which may not gain rights by
// then (PR_SET_NO_NEW_PRIVS).
func install(raw []bpf.RawInstruction) error {
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	runtime.LockOSThread() // which the first call is for
	defer runtime.UnlockOSThread()
	p := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&p)))
	if failed != 0 {
		return failed
	}
	return nil
}
