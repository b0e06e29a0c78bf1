package question

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/listing"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/calls"
)

// Exit codes of arch --check.
const (
	Violated = 1
	BadRules = 2
)

// maxRules is the most of a file of rules that is read; the server takes no more.
const maxRules = 64 << 10

func newArchCommand() *cobra.Command {
	var o askOptions
	var q wire.ArchRequest
	var rules, tests string
	var draw listing.Drawing
	var check bool
	cmd := &cobra.Command{
		Use:   "arch [PATH]",
		Short: "Show how the parts of a program depend on each other",
		Long: `Arch shows the modules of a program (its folders, files or packages) in layers, how they
are coupled, cycles with the cheapest dependencies to cut, hubs and god files, what breaks
the rules of the project, what changes together by the log of git, and which functions
nothing calls. It asks the running server as search does, or uses the index that is kept.

Without --section it shows the first entries of each list. --svg is a picture of the
modules that have the most dependencies, --dot and --mermaid are the same in the
languages of Graphviz and Mermaid.

Rules are read from the table [architecture] of the quarry.toml of the root, or from the
file that --rules names; the page architecture-analysis of the documentation has their
form. With --check it lists what breaks them, for CI.

Exit codes: 0 an answer, which may be empty; 1 an error. With --check: 0 nothing breaks the
rules; 1 something does, or an error; 2 there are no rules, or they cannot be used.`,
		Example: `  quarry arch
  quarry arch internal --section cycles --level file --kinds imports
  quarry arch --check --rules layers.toml
  quarry arch --svg > architecture.svg`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Path = args[0]
			}
			var err error
			if q.Draw, err = draw.Form(false); err != nil {
				return err
			}
			switch {
			case check && (q.Draw != "" || q.Section != "" && q.Section != architecture.Violations):
				return fmt.Errorf("--check lists violations, and nothing else")
			case check:
				q.Section = architecture.Violations
			}
			for _, one := range []struct {
				flag, value string
				of          []string
			}{
				{"level", q.Level, []string{architecture.ByFile, architecture.ByFolder, architecture.ByPackage}}, {"section", q.Section, architecture.Sections()},
			} {
				if one.value != "" {
					if err := config.OneOf(one.flag, one.value, one.of...); err != nil {
						return err
					}
				}
			}
			if q.Tests, err = testsOf(tests, false); err != nil {
				return err
			}
			if rules != "" {
				if q.Rules, err = readRules(rules); err != nil {
					return bad(check, err)
				}
			}
			return runArch(cmd, &o, &q, check)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Section, "section", "", "one list: "+strings.Join(architecture.Sections(), ", "))
	fs.StringVar(&q.Level, "level", "", "what a module is: file, folder or package (default folder)")
	fs.IntVar(&q.Depth, "depth", 0, "cut folders to so many names, 1 to 100 (default all)")
	fs.StringSliceVar(&q.Kinds, "kinds", nil, "what makes a dependency: imports, type_imports, types, calls (default imports, and where those do not say all the others)")
	draw.Add(fs, "the modules")
	fs.StringVar(&rules, "rules", "", "read the rules from this file (default quarry.toml of the root)")
	fs.BoolVar(&check, "check", false, "list what breaks the rules, and say so with the exit code")
	invocation.AddGlobFlag(fs, &q.Glob)
	addLang(fs, &q.Lang)
	fs.StringVar(&tests, "tests", "", "dependencies of test code: with, without, or only (default without)")
	fs.IntVarP(&q.Limit, "limit", "m", 0, "the most entries of a list, or modules of a drawing, 1 to 1000 (default 100; 10 of each without --section)")
	fs.IntVar(&q.Offset, "offset", 0, "entries of the list to skip")
	o.addFlags(fs)
	return cmd
}

// bad gives an error the exit code BadRules where rules are to be checked.
func bad(check bool, err error) error {
	if !check {
		return err
	}
	return &invocation.ExitError{Code: BadRules, Err: err}
}

func readRules(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, folder.Reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRules+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %w", name, folder.Reason(err))
	case len(text) > maxRules:
		return "", fmt.Errorf("%s is larger than %d bytes", name, maxRules)
	case strings.TrimSpace(string(text)) == "":
		return "", fmt.Errorf("%s is empty", name)
	}
	return string(text), nil
}

func runArch(cmd *cobra.Command, o *askOptions, q *wire.ArchRequest, check bool) error {
	if q.Limit != 0 {
		if err := checkLimit(q.Limit, wire.MaxEdges); err != nil {
			return err
		}
	}
	var a struct {
		source
		architecture.Answer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/arch", request: q, scope: &q.Scope, answer: &a.Answer,
		within: below(&q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Architecture(ctx, architecture.Query{
				Level: q.Level, Depth: q.Depth, Section: q.Section, Kinds: q.Kinds, Draw: q.Draw, Rules: q.Rules, Limit: q.Limit, Offset: q.Offset, Lang: q.Lang,
				Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
			})
			a.Answer = found
			if err == nil && found.Totals.Files == 0 {
				err = knownBelow(x, q.Path)
			}
			return found.State, found.Cuts, err
		},
	})
	switch {
	case err != nil && strings.Contains(err.Error(), architecture.RulesOf):
		return bad(check, err)
	case err != nil:
		return err
	}
	stderr := cmd.ErrOrStderr()
	if given := a.Given(); q.Draw != "" {
		a.note(stderr, min(a.Next, a.Total), a.Total, "modules")
	} else {
		a.note(stderr, given, a.Total, "entries")
	}
	completeness(stderr, &a.Completeness, false)
	for _, why := range a.NotLookedAt {
		fmt.Fprintf(stderr, "quarry: not looked at: %s\n", terminal.Visible(why))
	}
	if check && a.Totals.Violations == nil {
		return bad(true, fmt.Errorf("there are no rules: neither --rules nor a table [architecture] in the quarry.toml of %s", a.Root))
	}
	if o.json {
		err = terminal.PrintJSON(cmd.OutOrStdout(), a)
	} else {
		err = printArch(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.Answer)
	}
	if err == nil && check && *a.Totals.Violations > 0 {
		return invocation.Silent(cmd, Violated)
	}
	return err
}

// printArch writes a heading for each list, and a line for each of its entries.
func printArch(out io.Writer, shown func(string) string, a *architecture.Answer) error {
	if a.Drawing != "" {
		_, err := io.WriteString(out, a.Drawing)
		return err
	}
	w := terminal.NewPlaces(out)
	list(w, "layers", a.Layers, func(l *architecture.Layer) string {
		text := fmt.Sprintf("%d %s", l.Rank, strings.Join(l.Modules, " "))
		if l.Omitted > 0 {
			text += fmt.Sprintf(" and %d more", l.Omitted)
		}
		return text
	})
	list(w, "modules", a.Modules, func(m *architecture.Module) string {
		return fmt.Sprintf("%s %s (in %d, out %d, instability %.2f, files %d, lines %d)", m.Name, m.Layer, m.Afferent, m.Efferent, m.Instability, m.Files, m.Lines)
	})
	cell := func(c *architecture.Cell) string {
		return fmt.Sprintf("%s:%d %s -> %s (imports %d, type imports %d, types %d, calls %d)", shown(c.File), c.Line, c.From, c.To, c.Imports, c.TypeImports, c.Types, c.Calls)
	}
	list(w, "matrix", a.Matrix, cell)
	list(w, "cycles", a.Cycles, func(c *architecture.Cycle) string {
		text := fmt.Sprintf("%d modules: %s -> %s", len(c.Modules), strings.Join(c.Path, " -> "), c.Path[0])
		if c.TypeOnly {
			text += ", by types alone"
		}
		if c.TestOnly {
			text += ", by tests alone"
		}
		for i := range c.Cut {
			text += "\n    cut " + cell(&c.Cut[i])
		}
		return text
	})
	list(w, "hubs", a.Hubs, func(h *architecture.Hub) string { return fmt.Sprintf("%s (in %d, out %d)", h.Name, h.FanIn, h.FanOut) })
	list(w, "god files", a.GodFiles, func(g *architecture.GodFile) string {
		return fmt.Sprintf("%s (lines %d, symbols %d, in %d, out %d)", shown(g.File), g.Lines, g.Symbols, g.FanIn, g.FanOut)
	})
	list(w, "violations", a.Violations, func(v *architecture.Violation) string {
		return fmt.Sprintf("%s:%d %s -> %s (%s): %s", shown(v.File), v.Line, v.From, v.To, v.Kind, v.Text)
	})
	list(w, "together", a.Together, func(p *architecture.Pair) string {
		text := fmt.Sprintf("%s %s (commits %d, confidence %.2f)", p.A, p.B, p.Commits, p.Confidence)
		if !p.Depends {
			text += ", neither depends on the other"
		}
		return text
	})
	list(w, "functions", a.Functions, func(f *architecture.Function) string {
		return fmt.Sprintf("%s:%d %s %s (called %d, calls %d)", shown(f.File), f.Line, f.Symbol, f.Layer, f.CallsIn, f.CallsOut)
	})
	return w.Flush()
}

// list writes the entries of a list below its name; nothing for none.
func list[T any](w io.Writer, name string, entries []T, line func(*T) string) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintln(w, name)
	for i := range entries {
		for text := range strings.SplitSeq(line(&entries[i]), "\n") {
			fmt.Fprintf(w, "  %s\n", terminal.Visible(text))
		}
	}
}
