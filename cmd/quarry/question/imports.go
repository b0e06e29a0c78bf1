package question

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
)

const importLines = `Each line shows where an import is, what is imported as it is written, the name that is
picked out of it and the one that it has here, and after -> the files of the project that
it leads to, where the call graph knows them.`

func newImportsCommand() *cobra.Command {
	var o askOptions
	var q wire.ImportsRequest
	cmd := &cobra.Command{
		Use:   "imports [PATH]",
		Short: "List what files import",
		Long: `Imports lists the imports of a file, or of all files below a folder. It asks the
running server as search does, or uses the index that is kept. importers asks the other way
round.

` + importLines + `

Exit codes: 0 an answer, which may be empty; 1 an error.`,
		Example: `  quarry imports internal/auth/token.go
  quarry imports internal --lang go --json`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Path = args[0]
			}
			return runImports(cmd, &o, &q)
		},
	}
	cmd.Flags().BoolVar(&q.Head, "head", false, "only imports before a file's first definition")
	addImportFlags(cmd, &o, &q)
	return cmd
}

func newImportersCommand() *cobra.Command {
	var o askOptions
	var q wire.ImportsRequest
	cmd := &cobra.Command{
		Use:   "importers MODULE",
		Short: "List the files that import something",
		Long: `Importers lists the files that import a module: the end of an import's path by whole
names, a name picked out of one, or the path of a file that an import leads to. It asks
the running server as search does, or uses the index that is kept.

` + importLines + `

Exit codes: 0 an answer, which may be empty; 1 an error.`,
		Example: `  quarry importers net/http
  quarry importers src/auth/jwt.ts --path src/api
  quarry importers flask.globals --lang python`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || strings.TrimSpace(args[0]) == "" {
				return errors.New("one module is needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Module = args[0]
			return runImports(cmd, &o, &q)
		},
	}
	cmd.Flags().StringVar(&q.Path, "path", "", "only importers below this file or folder")
	addImportFlags(cmd, &o, &q)
	return cmd
}

func addImportFlags(cmd *cobra.Command, o *askOptions, q *wire.ImportsRequest) {
	fs := cmd.Flags()
	fs.IntVarP(&q.Limit, "limit", "m", 500, "the most files, 1 to 5000")
	fs.IntVar(&q.Offset, "offset", 0, "files to skip")
	invocation.AddGlobFlag(fs, &q.Glob)
	addLang(fs, &q.Lang)
	o.addFlags(fs)
}

func runImports(cmd *cobra.Command, o *askOptions, q *wire.ImportsRequest) error {
	if err := checkPage(q.Limit, wire.MaxFiles, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		outline.ImportsAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/imports", request: q, scope: &q.Scope, answer: &a.ImportsAnswer,
		within: func(root string) (err error) {
			if q.Module != "" {
				if q.Module, err = invocation.TargetPath(root, q.Module, false); err != nil {
					return err
				}
			}
			return below(&q.Path)(root)
		},
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Imports(ctx, outline.ImportsQuery{
				Path: q.Path, Glob: q.Glob, Lang: q.Lang, Module: q.Module, Head: q.Head, Limit: q.Limit, Offset: q.Offset,
			})
			a.ImportsAnswer = found
			if err == nil && found.Total == 0 {
				err = knownBelow(x, q.Path)
			}
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	a.note(cmd.ErrOrStderr(), len(a.Files), a.Total, "files")
	if len(a.Files) == 0 {
		a.nothing(cmd)
	}
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	w := terminal.NewPlaces(cmd.OutOrStdout())
	shown := invocation.ShownFrom(a.Root)
	for i := range a.Files {
		printImports(w, shown, &a.Files[i])
	}
	return w.Flush()
}

// printImports writes a line for each import of a file.
func printImports(w io.Writer, shown func(string) string, f *outline.FileImports) {
	name := terminal.Visible(shown(f.File))
	for _, i := range f.Imports {
		fmt.Fprintf(w, "%s:%d %s", name, i.Line, terminal.Visible(i.Path))
		if i.Name != "" && i.Name != i.Path {
			fmt.Fprintf(w, " %s", terminal.Visible(i.Name))
		}
		if i.Alias != "" {
			fmt.Fprintf(w, " as %s", terminal.Visible(i.Alias))
		}
		for n, to := range i.Files {
			sep := ","
			if n == 0 {
				sep = " ->"
			}
			fmt.Fprintf(w, "%s %s", sep, terminal.Visible(shown(to)))
		}
		fmt.Fprintln(w)
	}
	if f.Omitted > 0 {
		fmt.Fprintf(w, "%s and %d more\n", name, f.Omitted)
	}
}
