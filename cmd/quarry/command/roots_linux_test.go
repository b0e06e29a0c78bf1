package command

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

// TestUnreadableRoot is a folder that may not be read. The superuser reads all,
// so for root one thread goes to the file system as somebody else.
func TestUnreadableRoot(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // the way to it is open
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(dir, "closed")
	write(t, filepath.Join(root, "a.go"), "package a\n")
	if err := os.Chmod(root, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(root, 0o755); err != nil { // else it cannot be removed
			t.Error(err)
		}
	})
	failed := make(chan error)
	go func() {
		if os.Getuid() == 0 {
			runtime.LockOSThread() // and never unlocked: the thread ends with this
			if err := unix.Setfsuid(65534); err != nil {
				failed <- err
				return
			}
		}
		_, err := invocation.ProjectRoot(New(), config.Settings{}, []string{root})
		failed <- err
	}()
	if err := <-failed; err == nil || err.Error() != root+" cannot be read: permission denied" {
		t.Errorf("%v", err)
	}
}
