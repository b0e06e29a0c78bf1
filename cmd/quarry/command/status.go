package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

func newStatusCommand() *cobra.Command {
	var asJSON bool
	var address string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what the running server has indexed",
		Long: `Status asks the running server how current its index is, what it covers, which
model it uses and how it follows changes. It finds the server as ping does.

Exit codes: 0 a server answered, 1 none did.`,
		Example: `  quarry status
  quarry status --root ~/src/project --json | jq .index.state`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), registry.ProbeTimeout)
			reg, err := registry.Locate(ctx, cmd, s, address)
			cancel()
			if err != nil {
				return err
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			var st client.Status
			var text json.RawMessage
			if err := reg.Remote(token).Ask(cmd.Context(), registry.StatusTimeout, reg.About("/status"), nil, &st, &text); err != nil {
				return err
			}
			if asJSON {
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, bytes.TrimSpace(text), "", "  "); err != nil {
					return err
				}
				_, err := fmt.Fprintln(cmd.OutOrStdout(), pretty.String())
				return err
			}
			return printStatus(cmd.OutOrStdout(), &st)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the server's answer unchanged")
	registry.AddURLFlag(cmd.Flags(), &address)
	config.AddFlags(cmd.Flags(), config.RootFlag|config.TokenFlag)
	return cmd
}

// printStatus writes what people want to know of a status.
func printStatus(out io.Writer, s *client.Status) error {
	w := bufio.NewWriter(out)
	x := &s.Index
	fmt.Fprintf(w, "server     %s, version %s, process %d, up %s\n", s.URL, s.Version, s.PID, time.Duration(s.UptimeSeconds)*time.Second)
	fmt.Fprintf(w, "root       %s\n", terminal.Visible(x.Root))
	fmt.Fprintf(w, "state      %s, %s, generation %d", x.State, x.Freshness, x.Generation)
	if x.Progress < 1 {
		fmt.Fprintf(w, ", %.0f%% done", 100*x.Progress)
	}
	if x.Pending > 0 {
		fmt.Fprintf(w, ", %d files pending", x.Pending)
	}
	fmt.Fprintf(w, "\nindexed    %d files, %d chunks, %d symbols, %.2f MB; %.0f%% of the chunks have vectors\n",
		x.Files, x.Chunks, x.Symbols, float64(x.SourceBytes)/1e6, 100*x.Vectors)
	if x.Refined != nil && (*x.Refined < 1 || x.RefineError != "") {
		fmt.Fprintf(w, "refined    the vectors of %d%% of the chunks so far", int(100**x.Refined))
		if x.RefineError != "" {
			fmt.Fprintf(w, ", no more until the next build: %s", terminal.Visible(x.RefineError))
		}
		fmt.Fprintln(w)
	}
	if !x.LastIndexedAt.IsZero() {
		fmt.Fprintf(w, "updated    %s", x.LastIndexedAt.Local().Format(time.DateTime))
		if x.BuildSeconds > 0 {
			fmt.Fprintf(w, ", last whole build %.2f s", x.BuildSeconds)
		}
		fmt.Fprintln(w)
	}
	if x.LastCommit != "" {
		fmt.Fprintf(w, "commit     %s\n", terminal.Visible(x.LastCommit))
	}
	if x.SCIPFiles > 0 {
		fmt.Fprintf(w, "scip       says what is named in %d files\n", x.SCIPFiles)
	}
	if x.Snapshot != nil {
		fmt.Fprintf(w, "snapshot   %s\n", terminal.Visible(described(x.Snapshot)))
	}
	fmt.Fprintf(w, "left out   %d files", s.Coverage.Skipped)
	if len(s.Coverage.Reasons) > 0 {
		fmt.Fprintf(w, " (%s)", terminal.Counts(s.Coverage.Reasons))
	}
	fmt.Fprintln(w)
	if n := s.Coverage.Pending; n > 0 {
		fmt.Fprintf(w, "read again %d files or folders, which the system cannot read now\n", n)
	}
	if s.Coverage.SourceReason != "" {
		fmt.Fprintf(w, "ignores    by %s: %s\n", s.Coverage.Source, terminal.Visible(s.Coverage.SourceReason))
	}
	if s.Model != nil {
		fmt.Fprintf(w, "model      %s by %s: %s\n", s.Model.Name, s.Model.Backend, terminal.Visible(s.Model.Reason))
	} else {
		fmt.Fprintf(w, "model      none: %s\n", terminal.Visible(s.NoModel))
	}
	if s.Watcher != nil {
		fmt.Fprintf(w, "watcher    %s, %d folders watched, %d polled, %d events",
			s.Watcher.Mode, s.Watcher.Watches, s.Watcher.Polled, s.Watcher.Events)
		if s.Watcher.Reason != "" {
			fmt.Fprintf(w, ": %s", terminal.Visible(s.Watcher.Reason))
		}
		fmt.Fprintln(w)
	}
	if x.LastError != "" {
		fmt.Fprintf(w, "error      %s\n", terminal.Visible(x.LastError))
	}
	return w.Flush()
}

// described says whose snapshot an index began with, and what of it was proved.
func described(o *client.IndexSnapshot) string {
	text := "made"
	if !o.MadeAt.IsZero() {
		text += " " + o.MadeAt.Local().Format(time.DateTime)
	}
	text += " by " + cmp.Or(o.MadeBy, o.Program, "nobody who says so")
	if o.Root != "" {
		text += " of " + o.Root
	}
	if o.SignedBy == "" {
		text += ", unsigned"
	} else {
		text += ", signed by " + o.SignedBy
	}
	text += fmt.Sprintf(", %d of %d texts verified", o.Proved, o.Texts)
	if o.NRebuilt > 0 {
		text += fmt.Sprintf(", %d files indexed again", o.NRebuilt)
	}
	return text
}
