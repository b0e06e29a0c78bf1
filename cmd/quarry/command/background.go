package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// backgroundWait is how long a server in the background may take until it listens: a
// large snapshot takes a second or two.
const backgroundWait = 30 * time.Second

// background starts the same command without its flag in a process of its own, and
// returns once that listens, or has found the server that does.
func background(cmd *cobra.Command, s settings, root string) error {
	ctx, servers, out := cmd.Context(), openRegistry(s), cmd.ErrOrStderr()
	if reg, ok := servers.find(ctx, root); ok {
		fmt.Fprintf(out, "quarry: %s is already served at %s\n", root, reg.URL)
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	if err := os.MkdirAll(servers.dir, 0o700); err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	said := servers.file(root) + ".log"
	log, err := os.OpenFile(said, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	defer log.Close()
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name == "--background"
	})
	// The command's context must not end it.
	child := exec.Command(program, args...)
	child.Stdout, child.Stderr = log, log
	detach(child)
	if err := child.Start(); err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }() // it ends with this process, if not before
	return listens(ctx, servers, root, ended, said, out)
}

// listens waits until a server of the root answers, or the one that was started has
// ended.
func listens(ctx context.Context, servers registry, root string, ended <-chan error, said string, out io.Writer) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for deadline := time.Now().Add(backgroundWait); time.Now().Before(deadline); {
		if reg, ok := servers.find(ctx, root); ok {
			fmt.Fprintf(out, "quarry: serving %s at %s (pid %d, log %s)\n", root, reg.URL, reg.PID, said)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			if err == nil { // another one was there first
				ended = nil
				continue
			}
			text, _ := os.ReadFile(said)
			return fmt.Errorf("the server has ended: %s", strings.TrimPrefix(lastLine(string(text)), "quarry: "))
		case <-tick.C:
		}
	}
	return fmt.Errorf("no server of %s listens after %v; see %s", root, backgroundWait, filepath.Base(said))
}

// lastLine returns the last line that is not empty.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
