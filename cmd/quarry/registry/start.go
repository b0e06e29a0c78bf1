package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

// backgroundWait is how long a server may take until it listens that fetches no snapshot.
const backgroundWait = 30 * time.Second

// Start returns the server of a root. If none answers, it starts this program with
// args in a process of its own, and waits until a server listens: that one, or another
// that was first.
func (r Registry) Start(ctx context.Context, root string, args []string) (reg Registration, started bool, err error) {
	if reg, ok := r.Find(ctx, root); ok {
		return reg, false, nil
	}
	failed := func(err error) (Registration, bool, error) {
		return Registration{}, false, fmt.Errorf("start a server: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return failed(err)
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return failed(err)
	}
	said := r.LogFile(root)
	log, err := os.OpenFile(said, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return failed(err)
	}
	defer log.Close()
	child := exec.Command(program, args...) // the command's context must not end it
	child.Stdout, child.Stderr = log, log
	detach(child)
	if err := child.Start(); err != nil {
		return failed(err)
	}
	ended := make(chan error, 1)          // nil: another server was there first
	go func() { ended <- child.Wait() }() // it ends with this process, if not before
	wait := cmp.Or(r.Wait, backgroundWait)
	reg, ok, err := r.Await(ctx, root, wait, ended)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		text, _ := os.ReadFile(said)
		err = fmt.Errorf("the server has ended: %s", invocation.Complaint(string(text)))
	case err == nil && !ok:
		err = fmt.Errorf("no server of %s listens after %v; see %s", root, wait, said)
	}
	return reg, ok && reg.PID == child.Process.Pid, err
}
