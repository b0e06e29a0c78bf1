package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/scip"
)

// scipFile is the name that tools of SCIP give an index.
const scipFile = "index.scip"

func newExportCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export --scip [FILE|-]",
		Short: "Write definitions and references for other tools, in the format SCIP",
		Long: `Export builds the index of a project in memory, as quarry index does, and writes what
it knows of definitions and references as a SCIP index, which code hosts, editors and
other tools of code intelligence read. FILE is index.scip in the working folder, unless
another one is given; - is standard output. The same tree gives the same file.

A SCIP index has one meaning for each place. References that may mean one of several
symbols, and names in strings, are left out, and so are files that are not in the call
graph; how many there are is printed on standard error. docs/scip.md says more.

Exit codes: 0 the file is written, 1 an error; then there is no file, or the old one.`,
		Example: `  quarry export --scip
  quarry export --scip /tmp/project.scip --root ~/src/project
  quarry export --scip - | scip stats /dev/stdin`,
		Args: invocation.AtMostOne("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return errors.New("export needs the format to write: --scip")
			}
			if len(args) == 1 {
				if file != scipFile {
					return fmt.Errorf("only one file can be given, not %s and %s", file, args[0])
				}
				file = args[0]
			}
			s, root, err := invocation.Load(cmd, nil)
			if err != nil {
				return err
			}
			if err := invocation.Confirm(cmd, root); err != nil {
				return err
			}
			return invocation.Interrupted(cmd, exportSCIP(cmd, s, root, file))
		},
	}
	cmd.Flags().StringVar(&file, "scip", "", "write a SCIP index to this file, - is standard output")
	cmd.Flags().Lookup("scip").NoOptDefVal = scipFile
	invocation.AddYesFlag(cmd.Flags())
	config.AddFlags(cmd.Flags(), config.RootFlag|config.IndexFlags)
	return cmd
}

func exportSCIP(cmd *cobra.Command, s config.Settings, root, file string) error {
	return engine.Use(s, root, false, func(x *index.Index) error {
		if _, err := terminal.Build(cmd.Context(), x, cmd.ErrOrStderr()); err != nil {
			return err
		}
		if st := x.Status(0); st.Files == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "quarry: "+terminal.NothingIndexed(st))
		}
		var done scip.Export
		write := func(ctx context.Context, w io.Writer) (err error) {
			b := bufio.NewWriterSize(w, 1<<16)
			if done, err = x.ExportSCIP(ctx, b, version.Release); err != nil {
				return err
			}
			return b.Flush()
		}
		if file == "-" {
			if err := write(cmd.Context(), cmd.OutOrStdout()); err != nil {
				return err
			}
		} else {
			if err := replace(cmd.Context(), file, write); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d documents, %d symbols, %d definitions, %d references\n",
				terminal.Visible(file), done.Documents, done.Symbols, done.Definitions, done.References)
		}
		leftOut(cmd.ErrOrStderr(), &done)
		return nil
	})
}

// replace writes a file in place of what has its name, which stays where that fails.
func replace(ctx context.Context, file string, write func(context.Context, io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".quarry-*")
	if err != nil {
		return err
	}
	err = write(ctx, tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// leftOut says what is not in the SCIP index.
func leftOut(w io.Writer, e *scip.Export) {
	count := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(w, "quarry: left out %d %s\n", n, what)
		}
	}
	outside, n := map[string]int{}, 0
	for lang, k := range e.Outside {
		if lang == "" {
			lang = "text"
		}
		outside[lang] += k
		n += k
	}
	if n > 0 {
		fmt.Fprintf(w, "quarry: left out %d files that are not in the call graph (%s)\n", n, terminal.Counts(outside))
	}
	count(e.Ambiguous, "places that have the name of a symbol, and may mean another one")
	count(e.Strings, "places in strings")
	count(e.Unplaced, "symbols whose name does not stand where they are defined")
	count(e.Unnamed, "symbols without references: their name is not one word")
	if e.State.GraphOld {
		fmt.Fprintln(w, "quarry: the call graph could not be made, and references are incomplete")
	}
}
