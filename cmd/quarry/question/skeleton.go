package question

import (
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
