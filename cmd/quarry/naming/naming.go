// Package naming has the command that says what a place of a file names.
package naming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/question"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/references"
)

// Commands returns it.
func Commands() []*cobra.Command {
	cmd := newDefinitionCommand()
	question.OnScreen(cmd)
	return []*cobra.Command{cmd}
}

// place is where a name stands: a file, a line, and a column or none.
var place = regexp.MustCompile(`^(.+?):([0-9]+)(?::([0-9]+))?$`)

func newDefinitionCommand() *cobra.Command {
	var o question.Asking
	var q wire.DefinitionRequest
	cmd := &cobra.Command{
		Use:   "definition FILE:LINE[:COLUMN] [NAME]",
		Short: "Show what a place of a file names",
		Long: `Definition shows where what a place names is defined: a symbol, or a variable or parameter
of the function that it is in. The place has a column, in bytes from 1, or it is the first
one of the line that has a name in code. It asks the running server as search does, or uses the index
that is kept.

Each line shows where a symbol is defined, its kind and its name. -> is one that the call
graph, or the scoping and the imports of the file, know to be meant; ~> one that has the
name, and no more is known. Standard error says whether the answer is complete.

Exit codes: 0 something is shown; 1 nothing is known to be named there, or an error.`,
		Example: `  quarry definition internal/auth/token.go:42:17
  quarry definition internal/auth/token.go:42 Verify --types
  quarry definition internal/auth/token.go:42 claims --uses --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a place is needed, such as src/main.go:12:8")
			}
			if len(args) > 2 {
				return fmt.Errorf("only a place and a name can be given, not %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := read(&q, args); err != nil {
				return err
			}
			return runDefinition(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&q.Uses, "uses", false, "of a local variable, list its uses, too")
	fs.BoolVar(&q.Types, "types", false, "list the types and methods above and below it, too")
	fs.BoolVar(&q.TypeOf, "type-of", false, "list the types of its value or its results, too")
	o.AddFlags(fs)
	return cmd
}

// read reads the arguments.
func read(q *wire.DefinitionRequest, args []string) error {
	at := place.FindStringSubmatch(args[0])
	if at == nil {
		return fmt.Errorf("%q is no place such as src/main.go:12:8", args[0])
	}
	var err error
	q.Path = at[1]
	if q.Line, err = strconv.Atoi(at[2]); err != nil || q.Line < 1 {
		return fmt.Errorf("there is no line %s", at[2])
	}
	if at[3] != "" {
		if q.Column, err = strconv.Atoi(at[3]); err != nil || q.Column < 1 {
			return fmt.Errorf("there is no column %s", at[3])
		}
	}
	if len(args) == 2 {
		q.Name = args[1]
	}
	return nil
}

func runDefinition(cmd *cobra.Command, o *question.Asking, q *wire.DefinitionRequest) error {
	var a struct {
		question.Source
		references.Meaning
	}
	err := o.Ask(cmd, &a.Source, question.Question{
		Endpoint: "/definition", Request: q, Scope: &q.Scope, Answer: &a.Meaning,
		Within: func(root string) (err error) {
			q.Path, err = invocation.RootPath(root, q.Path)
			return err
		},
		Local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.NamedAt(ctx, references.PlaceQuery{File: q.Path, Line: q.Line, Column: q.Column, Name: q.Name, Uses: q.Uses, Types: q.Types, TypeOf: q.TypeOf})
			a.Meaning = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	a.Tell(stderr, a.Given(), a.Total, "definitions", &a.Completeness, "", nil)
	if o.JSON() {
		err = terminal.PrintJSON(cmd.OutOrStdout(), a)
	} else {
		w := terminal.NewPlaces(cmd.OutOrStdout())
		write(w, invocation.ShownFrom(a.Root), &a.Meaning)
		err = w.Flush()
	}
	switch {
	case err != nil:
		return err
	case a.Name == "":
		fmt.Fprintln(stderr, "quarry: there is no name at this place")
	case a.Local == nil && a.Given() == 0:
		fmt.Fprintf(stderr, "quarry: nothing is known to be named by %s\n", terminal.Visible(a.Name))
	default:
		return nil
	}
	return invocation.Silent(cmd, 1)
}

// write writes a line for each symbol, and one for each use of a variable.
func write(w io.Writer, shown func(string) string, a *references.Meaning) {
	symbol := func(how string, d *references.Defined) {
		fmt.Fprintf(w, "%s:%d", terminal.Visible(shown(d.File)), d.NameLine)
		if d.Column > 0 {
			fmt.Fprintf(w, ":%d", d.Column)
		}
		fmt.Fprintf(w, " %s %s %s", how, d.Kind, terminal.Visible(d.Symbol))
		if d.Confidence != "exact" {
			fmt.Fprintf(w, " (%s)", d.Confidence)
		}
		fmt.Fprintln(w)
	}
	if l := a.Local; l != nil {
		file := terminal.Visible(shown(a.File))
		fmt.Fprintf(w, "%s:%d:%d -> variable %s\n", file, l.Line, l.Column, terminal.Visible(a.Name))
		for _, u := range l.Uses {
			how := "read"
			if u.Write {
				how = "write"
			}
			fmt.Fprintf(w, "%s:%d:%d %s\n", file, u.Line, u.Column, how)
		}
	}
	for i := range a.Definitions {
		symbol("->", &a.Definitions[i])
	}
	for i := range a.Ambiguous {
		symbol("~>", &a.Ambiguous[i])
	}
	for i := range a.Above {
		symbol("above", &a.Above[i].Defined)
	}
	for i := range a.Below {
		symbol("below", &a.Below[i].Defined)
	}
	for i := range a.TypeOf {
		symbol("type", &a.TypeOf[i])
	}
}
