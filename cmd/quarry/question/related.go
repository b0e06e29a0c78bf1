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
)

func newRelatedCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "related FILE:LINE",
		Short: "Find code that is similar to that at a line",
		Long: `Related finds code similar to that at a line, the most similar first, as search
--related does. It asks the running server as search does, or uses the index that is kept.

Exit codes: 0 at least one result, 1 none, 2 an error.`,
		Example: `  quarry related src/auth/token.go:42
  quarry related src/auth/token.go:42 --path src/api --compact`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return &invocation.ExitError{Code: invocation.Failed, Err: errors.New("one place is needed, such as src/main.go:12")}
			}
			o.related = args[0]
			return o.answer(cmd, "")
		},
	}
	o.addRelatedFlags(cmd.Flags())
	return cmd
}

// place reads the argument of --related, and reports whether there is one.
func (o *searchOptions) place(query string) (file string, line int, err error) {
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
	i := strings.LastIndexByte(o.related, ':')
	line, err = strconv.Atoi(o.related[i+1:])
	if i < 1 || err != nil || line < 1 {
		return "", 0, fmt.Errorf("related must be like src/main.go:12, not %q", o.related)
	}
	return o.related[:i], line, nil
}

// similar asks for what is like a place.
func (o *searchOptions) similar(cmd *cobra.Command, file string, line int) (found foundResults, from source, err error) {
	q := wire.RelatedRequest{
		File: file, Line: line, Limit: o.asked.Limit, Path: o.asked.Path, Glob: o.asked.Glob, Lang: o.asked.Lang, Kind: o.asked.Kind,
		Role: o.asked.Role, Tests: o.asked.Tests, MinScore: o.asked.MinScore, PerFile: o.asked.PerFile, MaxTokens: o.asked.MaxTokens,
	}
	var r searchReply
	err = o.ask(cmd, &from, question{
		endpoint: "/related", request: &q, scope: &q.Scope, answer: &r,
		within: func(root string) (err error) {
			if q.Path, err = invocation.RootPath(root, q.Path); err != nil {
				return err
			}
			q.File, err = invocation.RootPath(root, q.File)
			return err
		},
		vectors: true,
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			a, err := x.Related(ctx, q.File, q.Line, o.query(q.Path))
			state, cuts := r.set(a)
			return state, cuts, err
		},
	})
	related := fmt.Sprintf("%s:%d", q.File, q.Line)
	return foundResults{Related: related, Results: r.Results, Matches: r.Meta.Matches, Truncated: r.Meta.Truncated}, from, err
}
