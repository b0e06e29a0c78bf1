package question

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// searchOptions are the flags of search.
type searchOptions struct {
	askOptions
	asked   wire.SearchRequest
	role    string
	tests   string
	mode    string
	related string
	scores  bool
	compact bool
	content bool
}

func (o *searchOptions) addFlags(fs *pflag.FlagSet) {
	q := &o.asked
	fs.StringVar(&o.mode, "mode", "", "hybrid (the default), lexical, semantic, symbol or regex")
	fs.StringVar(&o.related, "related", "", "show code similar to this line (FILE:LINE) or symbol, instead of asking a query")
	fs.Var((*explainFlag)(&q.Explain), "explain", "show the signals that ranked each result, or, with =short, what it has of the query")
	fs.Lookup("explain").NoOptDefVal = string(wire.ExplainSignals)
	fs.BoolVar(&q.Rerank, "rerank", false, "have the first results looked at again by a model, if the index has one")
	o.addRelatedFlags(fs)
}

// addRelatedFlags declares those that make sense without a query, too.
func (o *searchOptions) addRelatedFlags(fs *pflag.FlagSet) {
	q := &o.asked
	fs.IntVarP(&q.Limit, "limit", "m", 10, "the most results, 1 to 100")
	fs.StringVar(&q.Path, "path", "", "only below this file or folder")
	fs.StringArrayVarP(&q.Glob, "glob", "g", nil, "only files that match, such as *.go or src/**/*.ts; with ! in front, files that do not match; may be repeated")
	addLang(fs, &q.Lang)
	addKind(fs, &q.Kind)
	fs.StringVar(&o.role, "role", "", "only definition, test or config")
	fs.StringVar(&o.tests, "tests", "", "test code: with, as it is ranked; without; or only (default with)")
	fs.Float64Var(&q.MinScore, "min-score", 0, "only results with at least this score, 0 to 1")
	fs.IntVar(&q.PerFile, "per-file", 0, "the most results from one file, 1 to 10 (default 1; with symbol and regex all)")
	fs.IntVar(&q.MaxTokens, "max-tokens", 0, "the most tokens that all results may cost, at four characters a token (default any)")
	fs.BoolVar(&o.scores, "scores", false, "show scores")
	fs.BoolVar(&o.compact, "compact", false, "one line for each result")
	fs.BoolVar(&o.content, "content", false, "show the whole text of each result, not only some of its lines")
	fs.String("model", "", "folder of another model than the built-in one, for an index in memory (needs onnx)") // read by config.Load
	o.askOptions.addFlags(fs)
}

func (o *searchOptions) check(w io.Writer) error {
	q := &o.asked
	if err := checkLimit(q.Limit, wire.MaxLimit); err != nil {
		return err
	}
	if q.PerFile < 0 {
		return fmt.Errorf("per-file must be 1 to %d, not %d", wire.MaxPerFile, q.PerFile)
	}
	if q.MaxTokens < 0 {
		return fmt.Errorf("max-tokens must be 1 or more, not %d", q.MaxTokens)
	}
	if !(q.MinScore >= 0 && q.MinScore <= 1) {
		return fmt.Errorf("min-score must be 0 to 1, not %v", q.MinScore)
	}
	if o.role != "" {
		if err := config.OneOf("role", o.role, answer.RoleDefinition, answer.RoleTest, answer.RoleConfig); err != nil {
			return err
		}
	}
	if o.asked.Rerank && (o.mode == string(search.Symbol) || o.mode == string(search.Regex)) {
		return errors.New("--rerank is for the modes hybrid, lexical and semantic, which rank")
	}
	if o.mode != "" {
		if err := config.OneOf("mode", o.mode, string(search.Hybrid), string(search.Lexical), string(search.Semantic), string(search.Symbol), string(search.Regex)); err != nil {
			return err
		}
	}
	q.Role, q.Mode = wire.Role(o.role), wire.Mode(o.mode)
	var err error
	if q.Tests, err = testsOf(o.tests, false); err != nil {
		return err
	}
	return (&question{request: q}).read(w)
}

// An explainFlag is given alone, for the signals, or with a word.
type explainFlag wire.Explain

func (f *explainFlag) String() string { return string(*f) }

func (f *explainFlag) Type() string { return "how" }

func (f *explainFlag) Set(text string) error {
	if text == string(wire.ExplainShort) {
		*f = explainFlag(text)
		return nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("it must be true, false or short")
	}
	if *f = ""; on {
		*f = explainFlag(wire.ExplainSignals)
	}
	return nil
}

// checkLimit accepts a limit from 1. What is above the most that a server takes is lowered to it.
func checkLimit(limit, most int) error {
	if limit < 1 {
		return fmt.Errorf("limit must be 1 to %d, not %d", most, limit)
	}
	return nil
}

// NewSearchCommand returns the command search.
func NewSearchCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Search the code of a project",
		Long: `Search answers a query: words, a name, or a question.

It asks the running server of --root, or otherwise of the nearest folder around
the working folder that has one. Without a server it says so, and answers from the
index that the data folder keeps, which it brings up to date: of the root or, unless
--root names one, of the nearest folder around it of which one is kept. The first
time it builds one.

--mode chooses how to search. hybrid ranks code by words, symbols and meaning;
lexical and semantic use one side of that. symbol finds all symbols by name: the
exact name, then in another case, then names that begin with it, then words or
capitals in order (gHR finds getHttpResponse), then, for a name that no symbol
has, its words in any order and names that are a few letters off. regex finds
all lines that match a regular expression in RE2's syntax, and prints them as
grep does.
--related finds code similar to that at a line, or to a symbol.

Paths are shown relative to the working folder if that is inside the root,
otherwise relative to the root; --path and --related are read in the same way.
Globs are relative to the root; one without a slash matches names in any folder.
With --json paths are relative to the root.

Exit codes: 0 at least one result, 1 none, 2 an error.`,
		Example: `  quarry search "where is the token checked"
  quarry search parseConfig --lang go --role definition -m 3
  quarry search "retry after a failed request" -g '*.ts' -g '!*.test.ts' --max-tokens 2000
  quarry search gHR --mode symbol --kind function,method
  quarry search 'TODO\(\w+\)' --mode regex --path internal -m 100
  quarry search --related src/auth/token.go:42 --compact
  quarry search "token expiry" --explain -m 3
  quarry search "token expiry" --explain=short`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.answer(cmd, strings.TrimSpace(strings.Join(args, " ")))
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

// answer runs the command, and ends it as grep does.
func (o *searchOptions) answer(cmd *cobra.Command, query string) error {
	found, err := o.run(cmd, query)
	if err != nil {
		return &invocation.ExitError{Code: invocation.Failed, Err: err}
	}
	if !found {
		return invocation.Silent(cmd, invocation.NothingFound)
	}
	return nil
}

// foundResults is what --json prints.
type foundResults struct {
	Query     string          `json:"query,omitempty"`
	Related   string          `json:"related,omitempty"` // FILE:LINE, relative to the root, or a symbol
	Root      string          `json:"root"`
	Server    string          `json:"server,omitempty"` // absent: there was none
	Results   []search.Result `json:"results"`
	Matches   int             `json:"matches"`
	Truncated bool            `json:"truncated"`
	Cuts      []answer.Cut    `json:"truncated_by,omitempty"`
	Index     answer.State    `json:"index"`
}

// changed counts the results whose file is no longer what was indexed.
func (f *foundResults) changed() int {
	n := 0
	for i := range f.Results {
		if f.Results[i].Changed {
			n++
		}
	}
	return n
}

// run prints the results and reports whether there were any.
func (o *searchOptions) run(cmd *cobra.Command, query string) (bool, error) {
	at, line, err := o.place(query)
	if err != nil {
		return false, err
	}
	if err := o.check(cmd.ErrOrStderr()); err != nil {
		return false, err
	}
	o.asked.Query = query
	var found foundResults
	var from source
	if at == "" {
		found, from, err = o.search(cmd)
	} else {
		found, from, err = o.similar(cmd, at, line)
	}
	if err != nil {
		return false, err
	}
	found.Root, found.Server, found.Cuts, found.Index = from.Root, from.Server, from.Cuts, from.Index
	from.noteBuilding(cmd.ErrOrStderr())
	if note := found.leftOut(o.complete()); note != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %s\n", note)
	}
	if n := found.changed(); n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %d of the results are from files that have changed since they were indexed\n", n)
	}
	if len(found.Results) == 0 {
		from.nothing(cmd)
		found.Results = []search.Result{}
	}
	if o.json {
		err = terminal.PrintJSON(cmd.OutOrStdout(), found)
	} else {
		err = o.print(cmd.OutOrStdout(), found)
	}
	return len(found.Results) > 0, err
}

// A searchReply is the part of a server's answer that is shown.
type searchReply struct {
	Results []search.Result `json:"results"`
	Meta    struct {
		Matches   int  `json:"matches"`
		Truncated bool `json:"truncated"`
	} `json:"meta"`
}

// set takes over the answer of an index.
func (r *searchReply) set(a search.Answer) (answer.State, []answer.Cut) {
	r.Results, r.Meta.Matches, r.Meta.Truncated = a.Results, a.Matches, a.Truncated
	return a.State, a.Cuts
}

// search asks the query.
func (o *searchOptions) search(cmd *cobra.Command) (found foundResults, from source, err error) {
	q := struct {
		wire.SearchRequest
		Shape string `json:"shape"` // the server may stand in for osgrep's
	}{o.asked, "quarry"}
	var r searchReply
	err = o.ask(cmd, &from, question{
		endpoint: "/search", request: &q, scope: &q.Scope, answer: &r,
		vectors: q.Mode == "" || q.Mode == wire.ModeHybrid || q.Mode == wire.ModeSemantic,
		within:  below(&q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			a, err := x.Search(ctx, o.query(q.Path))
			state, cuts := r.set(a)
			return state, cuts, err
		},
	})
	return foundResults{Query: q.Query, Results: r.Results, Matches: r.Meta.Matches, Truncated: r.Meta.Truncated}, from, err
}

// query is what an index is asked, below a path.
func (o *searchOptions) query(path string) search.Query {
	q := &o.asked
	return search.Query{
		Text: q.Query, Limit: q.Limit, Path: path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, Role: o.role, Tests: string(q.Tests), Mode: search.Mode(o.mode),
		MinScore: q.MinScore, PerFile: q.PerFile, MaxTokens: q.MaxTokens, Rerank: q.Rerank,
		Explain: q.Explain == wire.ExplainSignals, Why: q.Explain == wire.ExplainShort,
	}
}

// complete reports whether what was asked has all results there are, and not the best.
func (o *searchOptions) complete() bool {
	return o.related == "" && (o.mode == string(search.Symbol) || o.mode == string(search.Regex))
}
