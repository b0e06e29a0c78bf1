package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/index"
)

// Exit codes of search, those of grep.
const (
	searchNothing = 1
	searchFailed  = 2
)

// The server's limits too.
const (
	maxLimit   = 100
	maxPerFile = 10
)

// searchOptions are the flags of search.
type searchOptions struct {
	limit     int
	path      string
	glob      []string
	lang      []string
	kind      []string
	role      string
	mode      string
	related   string
	minScore  float64
	perFile   int
	maxTokens int
	url       string
	explain   bool
	scores    bool
	compact   bool
	content   bool
	json      bool
}

func (o *searchOptions) addFlags(fs *pflag.FlagSet) {
	fs.IntVarP(&o.limit, "limit", "m", 10, "the most results, 1 to 100")
	fs.StringVar(&o.path, "path", "", "only below this file or folder")
	fs.StringArrayVarP(&o.glob, "glob", "g", nil, "only files that match, such as *.go or src/**/*.ts; with ! in front, files that do not match; may be repeated")
	fs.StringSliceVar(&o.lang, "lang", nil, "only these languages, such as go,python")
	fs.StringSliceVar(&o.kind, "kind", nil, "only symbols of these kinds, such as function,class")
	fs.StringVar(&o.role, "role", "", "only definition, test or config")
	fs.StringVar(&o.mode, "mode", "", "hybrid (the default), lexical, semantic, symbol or regex")
	fs.StringVar(&o.related, "related", "", "show code similar to this place, FILE:LINE, instead of asking a query")
	fs.Float64Var(&o.minScore, "min-score", 0, "only results with at least this score, 0 to 1")
	fs.IntVar(&o.perFile, "per-file", 0, "the most results from one file, 1 to 10 (default 1; with symbol and regex all)")
	fs.IntVar(&o.maxTokens, "max-tokens", 0, "the most tokens that all results may cost, at four characters a token (default any)")
	fs.StringVar(&o.url, "url", "", "ask the server at this address")
	fs.BoolVar(&o.explain, "explain", false, "show the signals that ranked each result")
	fs.BoolVar(&o.scores, "scores", false, "show scores")
	fs.BoolVar(&o.compact, "compact", false, "one line for each result")
	fs.BoolVar(&o.content, "content", false, "show the whole text of each result, not only its first lines")
	fs.BoolVar(&o.json, "json", false, "print a JSON object")
	fs.String("model", "", "folder of another model than the built-in one, for an index in memory (needs onnx)") // read by loadSettings
	config.AddFlags(fs, config.RootFlag|config.TokenFlag)
}

func (o *searchOptions) check() error {
	if o.limit < 1 || o.limit > maxLimit {
		return fmt.Errorf("limit must be 1 to %d, not %d", maxLimit, o.limit)
	}
	if o.perFile < 0 || o.perFile > maxPerFile {
		return fmt.Errorf("per-file must be 1 to %d, not %d", maxPerFile, o.perFile)
	}
	if o.maxTokens < 0 {
		return fmt.Errorf("max-tokens must be 1 or more, not %d", o.maxTokens)
	}
	if !(o.minScore >= 0 && o.minScore <= 1) {
		return fmt.Errorf("min-score must be 0 to 1, not %v", o.minScore)
	}
	for _, kind := range o.kind {
		if err := config.OneOf("kind", kind, index.Kinds()...); err != nil {
			return err
		}
	}
	if o.role != "" {
		if err := config.OneOf("role", o.role, index.RoleDefinition, index.RoleTest, index.RoleConfig); err != nil {
			return err
		}
	}
	if o.mode != "" {
		return config.OneOf("mode", o.mode, string(index.Hybrid), string(index.Lexical), string(index.Semantic), string(index.Symbol), string(index.Regex))
	}
	return nil
}

// request returns what the flags and a query ask for.
func (o *searchOptions) request(query string) (searchRequest, error) {
	q := searchRequest{
		Query: query, Limit: o.limit, Path: o.path, Glob: o.glob, Lang: o.lang, Kind: o.kind, Role: o.role, Mode: index.Mode(o.mode),
		MinScore: o.minScore, PerFile: o.perFile, MaxTokens: o.maxTokens, Explain: o.explain,
	}
	switch {
	case o.related == "" && query == "":
		return q, errors.New("a query is needed")
	case o.related == "":
		return q, nil
	case query != "":
		return q, errors.New("a query and --related cannot both be given")
	case o.mode != "" || o.explain:
		return q, errors.New("--mode and --explain are about queries, not about --related")
	}
	i := strings.LastIndexByte(o.related, ':')
	line, err := strconv.Atoi(o.related[i+1:])
	if i < 1 || err != nil || line < 1 {
		return q, fmt.Errorf("related must be like src/main.go:12, not %q", o.related)
	}
	q.File, q.Line = o.related[:i], line
	return q, nil
}

func newSearchCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Search the code of a project",
		Long: `Search answers a query: words, a name, or a question.

It asks the running server of --root, or otherwise of the nearest folder around
the working folder that has one. Without a server it builds an index of the root
in memory, says so, and drops it afterwards.

--mode chooses how to search. hybrid ranks code by words, symbols and meaning;
lexical and semantic use one side of that. symbol finds all symbols by name: the
exact name, then in another case, then names that begin with it, then words or
capitals in order (gHR finds getHttpResponse). regex finds all lines that match
a regular expression in RE2's syntax, and prints them as grep does.
--related finds code similar to that at a line.

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
  quarry search "token expiry" --explain -m 3`,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := o.run(cmd, strings.TrimSpace(strings.Join(args, " ")))
			if err != nil {
				return &exitError{code: searchFailed, err: err}
			}
			if !found {
				return silent(cmd, searchNothing)
			}
			return nil
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

// foundResults is what --json prints.
type foundResults struct {
	Query     string         `json:"query,omitempty"`
	Related   string         `json:"related,omitempty"` // FILE:LINE, relative to the root
	Root      string         `json:"root"`
	Server    string         `json:"server,omitempty"` // absent: from an index in memory
	Results   []index.Result `json:"results"`
	Matches   int            `json:"matches"`
	Truncated bool           `json:"truncated"`
	Cuts      []index.Cut    `json:"truncated_by,omitempty"`
	Index     index.State    `json:"index"`
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
	q, err := o.request(query)
	if err != nil {
		return false, err
	}
	if err := o.check(); err != nil {
		return false, err
	}
	s, err := config.Load(cmd)
	if err != nil {
		return false, err
	}
	found, err := o.answer(cmd, s, q)
	if err != nil {
		return false, err
	}
	if found.Index.State == index.Indexing {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: the index is still being built (%.0f%%), there may be more\n", 100*found.Index.Progress)
	}
	if note := found.leftOut(q); note != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %s\n", note)
	}
	if n := found.changed(); n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %d of the results are from files that have changed since they were indexed\n", n)
	}
	if found.Results == nil {
		found.Results = []index.Result{}
	}
	if o.json {
		err = printJSON(cmd.OutOrStdout(), found)
	} else {
		err = o.print(cmd.OutOrStdout(), found)
	}
	return len(found.Results) > 0, err
}
