package question

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/git"
	"github.com/quarry-search/quarry/index/impact"
)

// Affected is the exit code of impact when something is.
const Affected = 3

// listTests is what --tests has without a value.
const listTests = "list"

// maxDiff is the most of a diff that is read; the server takes less.
const maxDiff = 32 << 20

// impactAnswer is the response to it.
type impactAnswer struct {
	impact.Answer
	Across *wire.AcrossImpact `json:"across,omitempty"` // of a server with several projects
}

func newImpactCommand() *cobra.Command {
	var o askOptions
	var q wire.ImpactRequest
	var diff, revisions, tests string
	var fromGit, noTests, commands bool
	cmd := &cobra.Command{
		Use:   "impact TARGET | --diff FILE | --range REVISIONS | --git | --files FILES | --edited",
		Short: "Show what a change may affect",
		Long: `Impact shows everything that depends on a target, directly or through others: its
callers, code that uses it as a value or names it in a declaration, and what inherits
from it, nearest first; and the test files among them. Dependents in other projects of
the server follow, with => and the project's name in brackets. It asks the running
server as search does, or uses the index that is kept.

With --diff it reads a unified diff, from a file or with - from standard input, and
shows what depends on the symbols that the diff changes, and the tests to run. The
index may have the files as they were before the diff or as they are after it. With
--range it asks git for the diff: A..B is from one revision to another, A...B what B
has since it left A, C^! a single commit, and one revision alone what has changed
since, in the files as they are now. --git is that since the last commit, or with
--base since another revision: what is not committed, but for files that git does not
track. With --files all of some files may have changed, and with --edited (or
--session) all of those that were edited since the server began to watch them.

` + targets + `
A class stands for its methods, a file for all in it.

With --commands it prints the commands that run these tests, one a line, for a shell in
the root; of which tests it cannot know how to run them, the error output says.

Of constants, fields, variables and macros the places that name them are followed, and
what the diff deletes or renames is looked for in the text. ~> shows what has such a
name, when no more is known, and what depends on that. The error output says what
could not be followed.

Exit codes: 0 nothing is affected beyond what is changed, as far as the answer knows;
1 an error, or no such target; 3 something is affected, or may be: a symbol that is
changed is gone or renamed, is a field or has a name that others have, too, so that not
all of its uses are known, or is in a file that the call graph does not have. Calls by
name alone (~>) of what is still there do not count. Whether the answer is complete is
said on the error output, whatever the code.`,
		Example: `  quarry impact TokenService.validate --depth 5
  git diff main | quarry impact --diff - --tests
  quarry impact --range main...HEAD --tests
  quarry impact --git --commands | sh -x
  quarry impact --files auth/token.go,auth/key.go --tests
  quarry impact Signer.Verify --commands | sh -x
  quarry impact --diff change.patch --json`,
		Args: invocation.AtMostOne("target"),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := 0
			for _, is := range []bool{len(args) == 1, diff != "", revisions != "", fromGit || q.Base != "", len(q.Files) > 0, q.Edited} {
				if is {
					given++
				}
			}
			switch {
			case given > 1:
				return errors.New("only one of a target, --diff, --range, --git, --files and --edited can be given")
			case len(args) == 1 && strings.TrimSpace(args[0]) != "":
				q.Target = args[0]
			case fromGit || q.Base != "": // the same diff for a server as for a kept index
				revisions, q.Base = cmp.Or(q.Base, "HEAD"), ""
			case revisions != "" || len(q.Files) > 0 || q.Edited:
				// The root, whose repository or files it is about, is found later.
			case diff == "":
				return errors.New("a target, --diff, --range, --git, --files or --edited is needed")
			default:
				text, err := readDiff(cmd, diff)
				if err != nil {
					return err
				}
				q.Diff = text
			}
			testsOnly := tests == listTests
			if testsOnly {
				tests = ""
			}
			var err error
			if q.Tests, err = testsOf(tests, noTests); err != nil {
				return err
			}
			q.Commands = commands
			return runImpact(cmd, &o, &q, revisions, testsOnly)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&diff, "diff", "", "read a unified diff from this file; -: standard input")
	fs.StringVar(&revisions, "range", "", "read the diff of these revisions from git, as A..B")
	fs.BoolVar(&fromGit, "git", false, "ask git what has changed in the work tree since the last commit")
	fs.StringVar(&q.Base, "base", "", "the same since this revision")
	fs.StringSliceVar(&q.Files, "files", nil, "all of these files may have changed, at most 100; several with commas")
	fs.BoolVar(&q.Edited, "edited", false, "all of the files that were edited since the server began may have changed")
	fs.BoolVar(&q.Edited, "session", false, "the same as --edited")
	fs.IntVar(&q.Depth, "depth", 0, "steps from the target, 1 to 100 (default all)")
	addScope(fs, &q.Path, &q.Glob, &tests)
	fs.BoolVar(&commands, "commands", false, "print the commands that run the tests, for a shell in the root, and nothing else; with --json add them")
	f := fs.Lookup("tests")
	f.NoOptDefVal = listTests
	f.Usage = "print the paths of the test files to run, and nothing else; as --tests=with, --tests=without or --tests=only: what of test code to list"
	fs.BoolVar(&noTests, "no-tests", false, "the same as --tests=without")
	fs.IntVarP(&q.Limit, "limit", "m", 100, "the most dependents to list, 1 to 1000")
	fs.IntVar(&q.Offset, "offset", 0, "dependents to skip")
	o.addFlags(fs)
	return cmd
}

func readDiff(cmd *cobra.Command, name string) (string, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", fmt.Errorf("%s cannot be read: %w", name, folder.Reason(err))
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxDiff+1))
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, folder.Reason(err))
	}
	if len(text) > maxDiff {
		return "", fmt.Errorf("%s is larger than %d bytes", name, maxDiff)
	}
	return string(text), nil
}

func runImpact(cmd *cobra.Command, o *askOptions, q *wire.ImpactRequest, revisions string, testsOnly bool) error {
	if q.Depth < 0 {
		return fmt.Errorf("depth must be 1 to %d, or 0 for all, not %d", wire.MaxImpact, q.Depth)
	}
	if err := checkPage(q.Limit, wire.MaxEdges, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		impactAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/impact", request: q, scope: &q.Scope, answer: &a.impactAnswer,
		within: func(root string) (err error) {
			if revisions != "" {
				if q.Diff, err = git.Changes(cmd.Context(), root, revisions, maxDiff, git.Options{}); err != nil {
					return err
				}
				q.Diff += "\n" // one that is empty is a diff, too
			}
			for i, f := range q.Files {
				if q.Files[i], err = invocation.RootPath(root, f); err != nil {
					return err
				}
			}
			return targetBelow(&q.Target, &q.Path)(root)
		},
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			if q.Edited {
				return answer.State{}, nil, errors.New("which files were edited is what a server has watched, and none runs here: start one with quarry serve")
			}
			for _, f := range q.Files {
				if _, err := x.Resolve(f); err != nil {
					return answer.State{}, nil, err
				}
			}
			found, err := x.Impact(ctx, impact.Query{
				Target: q.Target, Diff: q.Diff, Files: q.Files, Depth: q.Depth, Limit: q.Limit, Offset: q.Offset,
				Runs: q.Commands, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
			})
			a.impactAnswer.Answer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	a.note(stderr, a.Given(), a.Total, "dependents")
	a.also(stderr, q.Target, a.Others)
	completeness(stderr, &a.Completeness, a.Total == 0 && (a.Across == nil || a.Across.Total == 0))
	for _, u := range a.Unfollowed {
		fmt.Fprintf(stderr, "quarry: %s\n", terminal.Visible(notFollowed(&u)))
	}
	for _, f := range a.LeftOut {
		fmt.Fprintf(stderr, "quarry: %s is left out: %s\n", terminal.Visible(f.File), terminal.Visible(f.Reason))
	}
	if a.Across != nil {
		noteAcross(stderr, &a.Across.AcrossMeta, len(a.Across.Callers), "callers")
		if tests := acrossTests(a.Across); testsOnly && len(tests) > 0 {
			fmt.Fprintf(stderr, "quarry: tests of other projects are to be run, too: %s\n", strings.Join(tests, ", "))
		}
	}
	switch {
	case o.json:
		err = terminal.PrintJSON(cmd.OutOrStdout(), a)
	case q.Commands:
		err = printRuns(cmd.OutOrStdout(), stderr, a.Runs)
	case testsOnly:
		err = printTests(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), "", a.Tests)
	default:
		err = printImpact(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.impactAnswer)
	}
	if err == nil && (a.Counts.Callers > 0 || len(a.Unfollowed) > 0 || a.Across != nil && a.Across.Total > 0) {
		return invocation.Silent(cmd, Affected)
	}
	return err
}

// notFollowed says why what depends on something is not known by edges.
func notFollowed(u *impact.Lost) string {
	at := fmt.Sprintf("%s:%d", u.File, u.Line)
	switch u.Reason {
	case impact.ReasonDeleted:
		if u.Symbol == "" {
			return fmt.Sprintf("%s is gone from its place; what names it by its path is not looked for", u.File)
		}
		return fmt.Sprintf("%s (%s) is gone; places that still name it: %d", u.Symbol, at, u.Mentions)
	case impact.ReasonNoEdges:
		return fmt.Sprintf("%s (%s) is a %s, and what uses it may not all be known; places that may mean it: %d", u.Symbol, at, u.Kind, u.Mentions)
	case impact.ReasonNoGraph:
		return fmt.Sprintf("functions in %s are changed, and there is no call graph for its language", u.File)
	case impact.ReasonNotIndexed:
		return fmt.Sprintf("%s is changed, and is not in the index", u.File)
	}
	return fmt.Sprintf("%s is in the index as it is neither before nor after the diff", u.File)
}

func printImpact(out io.Writer, shown func(string) string, a *impactAnswer) error {
	w := terminal.NewPlaces(out)
	for _, c := range a.Changed {
		fmt.Fprintf(w, "%s %s:%d %s\n", c.Change, terminal.Visible(shown(c.File)), c.Line, topLevel(c.Symbol))
	}
	for _, c := range a.Callers {
		printCaller(w, shown, "->", &c)
	}
	for _, c := range a.Ambiguous {
		printCaller(w, shown, "~>", &c)
	}
	var others []string
	if a.Across != nil {
		printAcrossImpact(w, a.Across)
		others = acrossTests(a.Across)
	}
	if len(a.Tests)+len(others) > 0 {
		fmt.Fprintln(w, "tests")
		if err := printTests(w, shown, "  ", a.Tests); err != nil {
			return err
		}
		for _, test := range others {
			fmt.Fprintf(w, "  %s\n", test)
		}
	}
	return w.Flush()
}

// printRuns writes a command a line, and to the error output what has none.
func printRuns(w, stderr io.Writer, runs []impact.Run) error {
	for _, r := range runs {
		if r.Unknown != "" {
			fmt.Fprintf(stderr, "quarry: how to run %s is not known: %s\n", terminal.Visible(few(r.Files)), r.Unknown)
			continue
		}
		if _, err := fmt.Fprintln(w, r.Command); err != nil {
			return err
		}
	}
	return nil
}

// few names the first of some files, and says how many more there are.
func few(files []string) string {
	const most = 3
	if len(files) <= most+1 {
		return strings.Join(files, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
}

func printTests(w io.Writer, shown func(string) string, indent string, tests []string) error {
	for _, file := range tests {
		if _, err := fmt.Fprintf(w, "%s%s\n", indent, terminal.Visible(shown(file))); err != nil {
			return err
		}
	}
	return nil
}

// printCaller writes who depends on what, deeper ones further to the right.
func printCaller(w io.Writer, shown func(string) string, arrow string, c *impact.Caller) {
	fmt.Fprintf(w, "%s%s:%d %s %s %s", strings.Repeat("  ", c.Depth-1), terminal.Visible(shown(c.File)), c.Line, topLevel(c.Symbol), arrow, topLevel(c.Via.Symbol))
	writeSites(w, c.CallSites, c.Kind, c.Confidence)
}

// lines names lines.
func lines(sites []int) string {
	word := "line"
	if len(sites) > 1 {
		word = "lines"
	}
	return word + " " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(sites)), ", "), "[]")
}

// writeSites ends a line with where it is so, and how sure that is.
func writeSites(w io.Writer, sites []int, kind, confidence string) {
	fmt.Fprintf(w, " (%s", lines(sites))
	if kind != "calls" {
		fmt.Fprintf(w, ", %s", kind)
	}
	if confidence != "exact" {
		fmt.Fprintf(w, ", %s", confidence)
	}
	fmt.Fprintln(w, ")")
}
