//go:build unix

package cataloguetest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
)

// other is the user as whom the server runs where the test is root's: it refuses to be that.
func other(t testing.TB) (uid, gid int, needed bool) {
	t.Helper()
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			t.Skip("PostgreSQL does not run as root, and there is no other user")
		}
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid, true
}

func own(t testing.TB, dir string) {
	t.Helper()
	if uid, gid, needed := other(t); needed {
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
}

func unprivileged(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if uid, gid, needed := other(t); needed {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
