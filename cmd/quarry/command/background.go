package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// serveBehind starts the same command without its flag in the background, and says
// where the server listens.
func serveBehind(cmd *cobra.Command, s config.Settings, roots []string) error {
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name == "--background"
	})
	if f := cmd.Flags().Lookup("yes"); f.Value.String() == "true" {
		args = append([]string{"--yes"}, args...) // it was asked for here
	}
	servers := registry.Open(s)
	for i, root := range roots {
		reg, started, err := servers.Start(cmd.Context(), root, args)
		switch {
		case err != nil:
			return err
		case started:
			fmt.Fprintf(cmd.ErrOrStderr(), "quarry: serving %s at %s (pid %d, log %s)\n", root, reg.URL, reg.PID, servers.LogFile(root))
			for _, other := range roots[i+1:] { // the same process
				if reg, ok, err := servers.Await(cmd.Context(), other, servers.Wait, nil); err == nil && ok {
					fmt.Fprintf(cmd.ErrOrStderr(), "quarry: serving %s at %s (pid %d)\n", other, reg.URL, reg.PID)
				} else {
					return errors.Join(fmt.Errorf("no server of %s listens; see %s", other, servers.LogFile(root)), err)
				}
			}
			return nil
		default:
			fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %s is already served at %s\n", root, reg.URL)
		}
	}
	return nil
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
	return append(append(out, "--"), invocation.WrittenRoots(*s, args)[0])
}
