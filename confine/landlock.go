//go:build linux

package confine

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	kernel "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// makeFiles is the right to make regular files in a folder, and to remove them.
const makeFiles = kernel.AccessFSWriteFile | kernel.AccessFSReadFile | kernel.AccessFSTruncate | kernel.AccessFSMakeReg | kernel.AccessFSRemoveFile

// Where connections find names of hosts, and the certificates that they trust.
var (
	networkFiles   = []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services"}
	networkFolders = []string{"/run/systemd/resolve", "/etc/ssl", "/etc/pki", "/usr/share/ca-certificates"}
)

// restrictFiles has the kernel refuse all files, and without Network all TCP
// connections, but for what is needed.
func restrictFiles(n Needs) (told string) {
	version, err := kernel.LandlockGetABIVersion()
	if err != nil {
		return fmt.Sprintf("no landlock (%v)", err)
	}
	rules := []landlock.Rule{
		landlock.PathAccess(makeFiles, n.Write...),
		landlock.PathAccess(kernel.AccessFSReadFile, n.Read...),
		landlock.RWFiles(n.Devices...).WithIoctlDev().IgnoreIfMissing(),
	}
	all := landlock.V5.BestEffort()
	restrict := all.Restrict
	if n.Network {
		restrict = all.RestrictPaths
		rules = append(rules, landlock.ROFiles(networkFiles...).IgnoreIfMissing(), landlock.RODirs(networkFolders...).IgnoreIfMissing())
	}
	if err := restrict(rules...); err != nil {
		return fmt.Sprintf("no landlock (%v)", err)
	}
	return fmt.Sprintf("landlock %d", version)
}
