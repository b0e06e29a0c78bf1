package question

import (
	"bufio"
	"cmp"
	"context"
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

func newStructureCommand() *cobra.Command {
	var o askOptions
	var q wire.StructureRequest
	cmd := &cobra.Command{
		Use:   "structure [PATH]",
		Short: "List files with their symbols",
		Long: `Structure lists the files at or below a path with what they define, by line. It
asks the running server as search does, or uses the index that is kept.

Exit codes: 0 there are files, 1 an error.`,
		Example: `  quarry structure
  quarry structure internal/auth --depth 1
  quarry structure --kind class,interface --lang typescript --json`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Path = args[0]
			}
			return runStructure(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.IntVarP(&q.Limit, "limit", "m", 500, "the most files, 1 to 5000")
	fs.IntVar(&q.Offset, "offset", 0, "files to skip")
	fs.IntVar(&q.Depth, "depth", 0, "1: only top-level symbols, 2: also those directly in them (default all)")
	invocation.AddGlobFlag(fs, &q.Glob)
	addLang(fs, &q.Lang)
	addKind(fs, &q.Kind)
	o.addFlags(fs)
	return cmd
}

func runStructure(cmd *cobra.Command, o *askOptions, q *wire.StructureRequest) error {
	if err := checkLimit(q.Limit, wire.MaxFiles); err != nil {
		return err
	}
	if min(q.Offset, q.Depth) < 0 {
		return fmt.Errorf("offset and depth must be 0 or more, not %d", min(q.Offset, q.Depth))
	}
	var a struct {
		source
		outline.StructureAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/structure", request: q, scope: &q.Scope, answer: &a.StructureAnswer,
		within: below(&q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Structure(ctx, outline.StructureQuery{
				Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, Limit: q.Limit, Offset: q.Offset, Depth: q.Depth,
			})
			a.StructureAnswer = found
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
	w := bufio.NewWriter(cmd.OutOrStdout())
	shown := invocation.ShownFrom(a.Root)
	for _, f := range a.Files {
		printStructure(w, shown(f.File), &f)
	}
	return w.Flush()
}

// printStructure writes a file's symbols for people, those in others below them.
func printStructure(w io.Writer, name string, f *outline.FileStructure) {
	fmt.Fprintf(w, "%s (%s, %d lines)\n", terminal.Visible(name), cmp.Or(f.Lang, "text"), f.Lines)
	for _, s := range f.Symbols {
		depth := 0
		if s.Parent != "" {
			depth = strings.Count(s.Parent, ".") + 1
		}
		fmt.Fprintf(w, "%6d  %s%s\n", s.Line, strings.Repeat("  ", depth), terminal.Visible(s.Signature))
	}
	if f.Omitted > 0 {
		fmt.Fprintf(w, "%6s  and %d more\n", "", f.Omitted)
	}
}

func newSkeletonCommand() *cobra.Command {
	var o askOptions
	q := wire.SkeletonRequest{Target: "."}
	var noDocs bool
	cmd := &cobra.Command{
		Use:   "skeleton [TARGET]",
		Short: "Show code without function bodies",
		Long: `Skeleton shows a file, the files of a folder or a symbol as they are written, with
"..." in place of function bodies. It asks the running server as search does, or
uses the index that is kept.

A target is a path, PATH:LINE, PATH:NAME or a name, as extract reads it.

Exit codes: 0 something is shown, 1 an error, or nothing to show.`,
		Example: `  quarry skeleton internal/auth/token.go -n
  quarry skeleton internal/auth --max-tokens 4000
  quarry skeleton TokenService --no-docs`,
		Args: invocation.AtMostOne("target"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Target = args[0]
			}
			docs := !noDocs
			q.Docs = &docs
			return runSkeleton(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.IntVarP(&q.Limit, "limit", "m", 20, "the most files, 1 to 100")
	fs.IntVar(&q.Offset, "offset", 0, "files to skip")
	fs.BoolVar(&noDocs, "no-docs", false, "leave out comments and docstrings")
	fs.BoolVarP(&q.Lines, "lines", "n", false, "start each line with its number")
	fs.IntVar(&q.MaxTokens, "max-tokens", 0, "the most tokens that all skeletons may cost, at four characters a token (default any)")
	invocation.AddGlobFlag(fs, &q.Glob)
	addLang(fs, &q.Lang)
	o.addFlags(fs)
	return cmd
}

func runSkeleton(cmd *cobra.Command, o *askOptions, q *wire.SkeletonRequest) error {
	if err := checkLimit(q.Limit, wire.MaxLimit); err != nil {
		return err
	}
	if min(q.Offset, q.MaxTokens) < 0 {
		return fmt.Errorf("offset and max-tokens must be 0 or more, not %d", min(q.Offset, q.MaxTokens))
	}
	var a struct {
		source
		outline.Skeletons
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/skeleton", request: q, scope: &q.Scope, answer: &a.Skeletons,
		within: target(&q.Target, true),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Skeleton(ctx, outline.SkeletonQuery{
				Path: q.Target, Glob: q.Glob, Lang: q.Lang, Limit: q.Limit, Offset: q.Offset,
				NoDocs: !*q.Docs, Lines: q.Lines, MaxTokens: q.MaxTokens,
			})
			a.Skeletons = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	a.note(stderr, len(a.Files), a.Total, "files")
	a.also(stderr, q.Target, a.Others)
	if n := len(a.LeftOut); n > 0 {
		fmt.Fprintf(stderr, "quarry: %d files have no skeleton, such as %s: %s\n", n+a.LeftOutMore, terminal.Visible(a.LeftOut[0].File), terminal.Visible(a.LeftOut[0].Reason))
	}
	if o.json {
		if err := terminal.PrintJSON(cmd.OutOrStdout(), a); err != nil {
			return err
		}
	} else if err := printSkeletons(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), a.Files); err != nil {
		return err
	}
	if len(a.Files) == 0 {
		a.nothing(cmd)
		return invocation.Silent(cmd, 1)
	}
	return nil
}

// printSkeletons writes skeletons for people, several below their files' names.
func printSkeletons(w io.Writer, shown func(string) string, files []outline.FileSkeleton) error {
	var b strings.Builder
	for i, f := range files {
		if len(files) > 1 {
			if i > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "==> %s\n", terminal.Visible(shown(f.File)))
		}
		for line := range strings.Lines(f.Skeleton) {
			b.WriteString(terminal.Visible(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
