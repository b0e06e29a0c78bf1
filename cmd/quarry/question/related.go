package question

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
)

func newRelatedCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "related TARGET",
		Short: "Find code that is similar to that at a line, or to a symbol",
		Long: `Related finds code similar to that of TARGET, the most similar first, as search
--related does. TARGET is a line (file:line), or a symbol (a name, Type.method or
file:name). It asks the running server as search does, or uses the index that is kept.

Exit codes: 0 at least one result, 1 none, 2 an error.`,
		Example: `  quarry related src/auth/token.go:42
  quarry related Signer.Verify
  quarry related src/auth/token.go:42 --path src/api --compact`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return &invocation.ExitError{Code: invocation.Failed, Err: errors.New("one target is needed, such as src/main.go:12 or a symbol")}
			}
			o.related = args[0]
			return o.answer(cmd, "")
		},
	}
	o.addRelatedFlags(cmd.Flags())
	return cmd
}

// place reads the argument of --related, and reports whether there is one: a line of a file, or with
// line 0 another target.
func (o *searchOptions) place(query string) (at string, line int, err error) {
	switch {
	case o.related == "" && query == "":
		return "", 0, errors.New("a query is needed")
	case o.related == "":
		return "", 0, nil
	case query != "":
		return "", 0, errors.New("a query and --related cannot both be given")
	case o.mode != "" || o.asked.Explain != "" || o.asked.Rerank:
		return "", 0, errors.New("--mode, --explain and --rerank are about queries, not about --related")
	}
	if i := strings.LastIndexByte(o.related, ':'); i > 0 {
		if line, err = strconv.Atoi(o.related[i+1:]); err == nil && line > 0 {
			return o.related[:i], line, nil
		}
	}
	return o.related, 0, nil
}

// similar asks for what is like a line of a file, or with line 0 like another target.
func (o *searchOptions) similar(cmd *cobra.Command, at string, line int) (found foundResults, from source, err error) {
	q := wire.RelatedRequest{
		Line: line, Limit: o.asked.Limit, Path: o.asked.Path, Glob: o.asked.Glob, Lang: o.asked.Lang, Kind: o.asked.Kind,
		Role: o.asked.Role, Tests: o.asked.Tests, MinScore: o.asked.MinScore, PerFile: o.asked.PerFile, MaxTokens: o.asked.MaxTokens,
	}
	written := &q.Target
	if line > 0 {
		written = &q.File
	}
	*written = at
	var r searchReply
	err = o.ask(cmd, &from, question{
		endpoint: "/related", request: &q, scope: &q.Scope, answer: &r,
		within: func(root string) (err error) {
			if line == 0 {
				return targetBelow(&q.Target, &q.Path)(root)
			}
			if err := below(&q.Path)(root); err != nil {
				return err
			}
			q.File, err = invocation.RootPath(root, q.File)
			return err
		},
		vectors: true,
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			file, line := q.File, q.Line
			if line == 0 {
				at, err := x.Extract(ctx, outline.ExtractQuery{Target: q.Target, MaxTokens: 1})
				if err != nil {
					return at.State, nil, err
				}
				if file, line, err = at.Place(q.Target); err != nil {
					return at.State, nil, err
				}
			}
			a, err := x.Related(ctx, file, line, o.query(q.Path))
			state, cuts := r.set(a)
			return state, cuts, err
		},
	})
	related := *written
	if line > 0 {
		related = fmt.Sprintf("%s:%d", q.File, q.Line)
	}
	return foundResults{Related: related, Results: r.Results, Matches: r.Meta.Matches, Truncated: r.Meta.Truncated}, from, err
}
