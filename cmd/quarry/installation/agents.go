package installation

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/agent"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

// notConfirmed is the exit code when changes were shown and not made: not that of a crash.
const notConfirmed = 3

// options are the flags of install and uninstall.
type options struct {
	scope    string
	yes, dry bool
	asJSON   bool
}

func (o *options) bind(fs *pflag.FlagSet) {
	fs.StringVar(&o.scope, "scope", string(agent.User), "whose configuration: user, or project for a file inside the project's folder")
	fs.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	fs.BoolVar(&o.dry, "dry-run", false, "only show what would change")
	fs.BoolVar(&o.asJSON, "json", false, "print a JSON object; nothing is asked, and nothing written without --yes")
	config.AddFlags(fs, config.RootFlag)
}

// agentArguments accepts names of agents.
func agentArguments(_ *cobra.Command, args []string) error {
	for _, name := range args {
		if _, ok := agent.Find(name); !ok {
			return fmt.Errorf("unknown agent %q: Quarry knows %s", name, strings.Join(agentNames(), ", "))
		}
	}
	return nil
}

func agentNames() []string {
	var names []string
	for _, a := range agent.All() {
		names = append(names, a.Name)
	}
	return names
}

// report is what --json prints.
type report struct {
	Written bool         `json:"written"` // all changes without an error
	Files   []fileReport `json:"files"`
}

type fileReport struct {
	Agent  string `json:"agent"`
	File   string `json:"file"`
	Change string `json:"change"` // create, edit, delete or none
	Diff   string `json:"diff,omitempty"`
	Error  string `json:"error,omitempty"` // why the file is left alone
}

// An run is one run of install or uninstall.
type run struct {
	options
	cmd     *cobra.Command
	places  agent.Places
	ledger  agent.Ledger
	mode    fs.FileMode // of files that are made
	changes []agent.Change
	report  report
	failed  bool
}

// newAgentRun finds out what a run is about.
func (o options) newRun(cmd *cobra.Command) (*run, error) {
	s, err := config.Load(cmd)
	if err != nil {
		return nil, err
	}
	if err := config.OneOf("scope", o.scope, string(agent.User), string(agent.Project)); err != nil {
		return nil, err
	}
	r := &run{options: o, cmd: cmd, ledger: agent.Ledger{Path: filepath.Join(s.DataDir, "agents.json")}, mode: 0o600}
	r.report.Files = []fileReport{}
	if r.places, err = config.AgentPlaces(); err != nil {
		return nil, err
	}
	if agent.Scope(o.scope) == agent.Project {
		r.mode = 0o644 // others who work on the project read it, too
		r.places.Root, err = invocation.ProjectRoot(cmd, s, nil)
	} else if cmd.Flags().Changed("root") {
		err = errors.New("a project's folder is for --scope project: the user's configuration is for all projects")
	}
	return r, err
}

// chosen returns the agents that the arguments name, all of them without any.
func chosen(args []string) []agent.Agent {
	all := agent.All()
	if len(args) == 0 {
		return all
	}
	var some []agent.Agent
	for _, a := range all {
		for _, name := range args {
			if a.Name == name {
				some = append(some, a)
				break
			}
		}
	}
	return some
}

// plan adds a change, which err says is none, and shows it.
func (r *run) plan(c agent.Change, err error) {
	f := fileReport{Agent: c.Agent.Name, File: c.File, Change: "none", Diff: string(c.Diff())}
	if err != nil {
		f.Diff = ""
		f.Error = err.Error()
		r.failed = true
		fmt.Fprintf(r.cmd.ErrOrStderr(), "quarry: %s: %s\n", c.Agent.Title, terminal.Visible(strings.ReplaceAll(f.Error, "\n", "; ")))
	} else if c.Changes() {
		switch {
		case c.Before == nil:
			f.Change = "create"
		case c.After == nil:
			f.Change = "delete"
		default:
			f.Change = "edit"
		}
		r.changes = append(r.changes, c)
	}
	r.report.Files = append(r.report.Files, f)
	if r.asJSON || err != nil {
		return
	}
	if f.Change == "none" {
		fmt.Fprintf(r.cmd.OutOrStdout(), "%s: nothing to change in %s\n", c.Agent.Title, terminal.Visible(c.File))
		return
	}
	fmt.Fprintf(r.cmd.OutOrStdout(), "%s:\n", c.Agent.Title)
	for line := range strings.Lines(f.Diff) {
		fmt.Fprintln(r.cmd.OutOrStdout(), terminal.Visible(strings.TrimRight(line, "\r\n")))
	}
}

// finish asks, writes, and says what was written.
func (r *run) finish() error {
	if len(r.changes) > 0 && !r.dry {
		if err := r.write(); err != nil {
			return err
		}
	}
	if r.asJSON {
		if err := terminal.PrintJSON(r.cmd.OutOrStdout(), r.report); err != nil {
			return err
		}
	}
	if r.failed {
		return invocation.Silent(r.cmd, 1)
	}
	return nil
}

func (r *run) write() error {
	if !r.yes {
		agreed, err := r.ask()
		if err != nil || !agreed {
			if r.asJSON {
				err = errors.Join(terminal.PrintJSON(r.cmd.OutOrStdout(), r.report), err)
			}
			return &invocation.ExitError{Code: notConfirmed, Err: err}
		}
	}
	for _, c := range r.changes {
		if err := c.Apply(r.ledger, r.mode); err != nil {
			r.failed = true
			fmt.Fprintf(r.cmd.ErrOrStderr(), "quarry: %s: %s\n", c.Agent.Title, terminal.Visible(err.Error()))
			for i := range r.report.Files {
				if r.report.Files[i].File == c.File {
					r.report.Files[i].Error = err.Error()
				}
			}
			continue
		}
		if !r.asJSON {
			did := "wrote"
			if c.After == nil {
				did = "deleted"
			}
			fmt.Fprintf(r.cmd.OutOrStdout(), "%s %s\n", did, terminal.Visible(c.File))
		}
	}
	r.report.Written = !r.failed
	return nil
}

// ask asks on a terminal whether to write. The error is a sentence where there is
// nobody to ask, or who was asked declined.
func (r *run) ask() (bool, error) {
	if r.asJSON || !terminal.IsTerminal(r.cmd.InOrStdin()) {
		return false, errors.New("nothing was written: run it with --yes, or on a terminal, where it asks")
	}
	files := "this file"
	if len(r.changes) > 1 {
		files = fmt.Sprintf("these %d files", len(r.changes))
	}
	fmt.Fprintf(r.cmd.ErrOrStderr(), "Change %s? [y/N] ", files)
	answer, _ := bufio.NewReader(r.cmd.InOrStdin()).ReadBytes('\n')
	switch string(bytes.ToLower(bytes.TrimSpace(answer))) {
	case "y", "yes":
		return true, nil
	}
	return false, errors.New("nothing was written")
}
