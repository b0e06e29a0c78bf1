package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// stopWait is how long a server may take to end: it saves its index.
const stopWait = 30 * time.Second

func newServersCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the running servers of this user",
		Long: `Status lists the servers that this user has started and that answer, with their
roots and addresses. quarry status shows what one of them has indexed.

Exit codes: 0 there is one, 1 there is none.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			all, err := openRegistry(s).all(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), struct {
					Servers []registration `json:"servers"`
				}{all})
			} else {
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				for _, r := range all {
					fmt.Fprintf(w, "%s\t%s\tpid %d\tsince %s\n", r.URL, visible(r.Root), r.PID, r.Started.Local().Format(time.DateTime))
				}
				err = w.Flush()
			}
			if err == nil && len(all) == 0 {
				return silent(cmd, 1)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func newStopCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "stop [ROOT]",
		Short: "End a server, and wait until it has ended",
		Long: `Stop asks the server of ROOT (by default the working folder) to end, and waits until
it has saved its index and ended. A server of several roots ends for all of them; to
remove one, see DELETE /projects. A process is only asked to end if the server at the
registered address says that it is this process.

Exit codes: 0 it has ended, 1 none runs for the root, or an error.`,
		Example: `  quarry serve stop
  quarry serve stop --all`,
		Args: atMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			servers := openRegistry(s)
			var stop []registration
			if all {
				if stop, err = servers.all(cmd.Context()); err != nil {
					return err
				}
			} else {
				root, err := projectRoot(cmd, s, args)
				if err != nil {
					return err
				}
				one, ok := servers.find(cmd.Context(), root)
				if !ok {
					return fmt.Errorf("no server of %s runs", root)
				}
				stop = []registration{one}
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			ended := map[int]bool{} // a server of several roots is registered for each
			for _, one := range stop {
				if ended[one.PID] {
					continue
				}
				ended[one.PID] = true
				if err := servers.stop(cmd.Context(), one, token); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "stopped the server of %s\n", visible(one.Root))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "end all servers of this user")
	config.AddFlags(cmd.Flags(), config.RootFlag|config.TokenFlag)
	return cmd
}

// stop ends a server: with a signal to the process that the server says it is, and
// waits until its lock is free.
func (r registry) stop(ctx context.Context, reg registration, token string) error {
	var who client.Status
	if err := reg.remote(token).ask(ctx, statusTimeout, reg.about("/status"), nil, &who); err != nil {
		return fmt.Errorf("ask the server of %s who it is: %w", reg.Root, err)
	}
	if who.PID != reg.PID || who.Root != reg.Root {
		return fmt.Errorf("the server at %s is not the process %d that serves %s", reg.URL, reg.PID, reg.Root)
	}
	p, err := os.FindProcess(reg.PID)
	if err != nil {
		return fmt.Errorf("stop the server of %s: %w", reg.Root, err)
	}
	if err := p.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the server of %s: %w", reg.Root, err)
	}
	for deadline := time.Now().Add(stopWait); time.Now().Before(deadline); {
		release, free, err := r.lock(reg.Root)
		if err != nil {
			return err
		}
		if free {
			release()
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
	return fmt.Errorf("the server of %s has not ended within %v", reg.Root, stopWait)
}
