package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// backgroundWait is how long a server in the background may take until it listens: a
// large snapshot takes a second or two.
const backgroundWait = 30 * time.Second

// serveBehind starts the same command without its flag in the background, and says
// where the server listens.
func serveBehind(cmd *cobra.Command, s config.Settings, roots []string) error {
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name == "--background"
	})
	servers := openRegistry(s)
	for i, root := range roots {
		reg, started, err := background(cmd.Context(), servers, root, args)
		switch {
		case err != nil:
			return err
		case started:
			fmt.Fprintf(cmd.ErrOrStderr(), "quarry: serving %s at %s (pid %d, log %s)\n", root, reg.URL, reg.PID, servers.logFile(root))
			for _, other := range roots[i+1:] { // the same process
				if reg, ok, err := servers.await(cmd.Context(), other, backgroundWait, nil); err == nil && ok {
					fmt.Fprintf(cmd.ErrOrStderr(), "quarry: serving %s at %s (pid %d)\n", other, reg.URL, reg.PID)
				} else {
					return errors.Join(fmt.Errorf("no server of %s listens; see %s", other, servers.logFile(root)), err)
				}
			}
			return nil
		default:
			fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %s is already served at %s\n", root, reg.URL)
		}
	}
	return nil
}

// background returns the server of a root. If none answers, it starts this program with
// args in a process of its own, and waits until a server listens: that one, or another
// that was first.
func background(ctx context.Context, servers registry, root string, args []string) (reg registration, started bool, err error) {
	if reg, ok := servers.find(ctx, root); ok {
		return reg, false, nil
	}
	failed := func(err error) (registration, bool, error) {
		return registration{}, false, fmt.Errorf("start a server: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return failed(err)
	}
	if err := os.MkdirAll(servers.dir, 0o700); err != nil {
		return failed(err)
	}
	said := servers.logFile(root)
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
	reg, ok, err := servers.await(ctx, root, backgroundWait, ended)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		text, _ := os.ReadFile(said)
		err = fmt.Errorf("the server has ended: %s", strings.TrimPrefix(lastLine(string(text)), "quarry: "))
	case err == nil && !ok:
		err = fmt.Errorf("no server of %s listens after %v; see %s", root, backgroundWait, said)
	}
	return reg, ok && reg.PID == child.Process.Pid, err
}

// startedIdle is how long nobody may ask a server that a program has started, before it
// ends: its user may not know of it.
const startedIdle = 30 * time.Minute

// serveArgs are the arguments that start a server for the roots in args with the settings
// that a command was given. What the environment and the file say, the server reads there.
func serveArgs(cmd *cobra.Command, s *config.Settings, args []string) []string {
	flags := newServeCommand().Flags()
	config.AddCommonFlags(flags)
	out := []string{"serve"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "root" && flags.Lookup(f.Name) != nil {
			out = append(out, "--"+f.Name+"="+f.Value.String())
		}
	})
	if s.Server.IdleTimeout == 0 && !cmd.Flags().Changed("idle-timeout") {
		out = append(out, "--idle-timeout="+startedIdle.String())
	}
	return append(append(out, "--"), writtenRoots(*s, args)[0])
}

// lastLine returns the last line that is not empty.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
