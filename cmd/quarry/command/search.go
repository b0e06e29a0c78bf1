package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/index"
)

// Exit codes of search, those of grep.
const (
	searchNothing = 1
	searchFailed  = 2
)

// maxLimit is the server's limit too.
const maxLimit = 100

// searchOptions are the flags of search.
type searchOptions struct {
	limit   int
	path    string
	lang    []string
	role    string
	mode    string
	url     string
	scores  bool
	compact bool
	content bool
	json    bool
}

func (o *searchOptions) addFlags(fs *pflag.FlagSet) {
	fs.IntVarP(&o.limit, "limit", "m", 10, "results at most, 1 to 100")
	fs.StringVar(&o.path, "path", "", "only below this file or folder")
	fs.StringSliceVar(&o.lang, "lang", nil, "only these languages, such as go or python")
	fs.StringVar(&o.role, "role", "", "only definition, test or config")
	fs.StringVar(&o.mode, "mode", "", "hybrid (the default), lexical or semantic")
	fs.StringVar(&o.url, "url", "", "ask the server at this address")
	fs.BoolVar(&o.scores, "scores", false, "show scores")
	fs.BoolVar(&o.compact, "compact", false, "one line for each result")
	fs.BoolVar(&o.content, "content", false, "show all of each result's text, not its first lines")
	fs.BoolVar(&o.json, "json", false, "print a JSON object")
	addFlags(fs, rootFlag|tokenFlag)
}

func (o *searchOptions) check() error {
	if o.limit < 1 || o.limit > maxLimit {
		return fmt.Errorf("limit must be 1 to %d, not %d", maxLimit, o.limit)
	}
	if o.role != "" {
		if err := oneOf("role", o.role, index.RoleDefinition, index.RoleTest, index.RoleConfig); err != nil {
			return err
		}
	}
	if o.mode != "" {
		return oneOf("mode", o.mode, string(index.Hybrid), string(index.Lexical), string(index.Semantic))
	}
	return nil
}

func newSearchCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Search the code of a project",
		Long: `Search answers a query: words, a name, or a question.

It asks the running server of --root, or else of the nearest folder around the
working folder that has one. Without a server it builds an index of the root in
memory, says so, and forgets it.

Paths are shown relative to the working folder when that is inside the root,
else relative to the root; --path is read in the same way. With --json they are
relative to the root.

Exit codes: 0 at least one result, 1 none, 2 an error.`,
		Example: `  quarry search "where is the token checked"
  quarry search parseConfig --lang go --role definition -m 3
  quarry search "retry after a failed request" --path internal --json`,
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
	Query     string         `json:"query"`
	Root      string         `json:"root"`
	Server    string         `json:"server,omitempty"` // absent: from an index in memory
	Results   []index.Result `json:"results"`
	Matches   int            `json:"matches"`
	Truncated bool           `json:"truncated"`
	Index     index.State    `json:"index"`
}

// run prints the results and reports whether there were any.
func (o *searchOptions) run(cmd *cobra.Command, query string) (bool, error) {
	if query == "" {
		return false, errors.New("a query is needed")
	}
	if err := o.check(); err != nil {
		return false, err
	}
	s, err := loadSettings(cmd)
	if err != nil {
		return false, err
	}
	q := searchRequest{
		Query: query, Limit: o.limit, Path: o.path,
		Lang: o.lang, Role: o.role, Mode: index.Mode(o.mode),
	}
	found, err := o.answer(cmd, s, q)
	if err != nil {
		return false, err
	}
	if found.Index.State == index.Indexing {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: the index is still being built (%.0f%%), there may be more\n", 100*found.Index.Progress)
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

// answer asks the server that is responsible, or an index in memory.
func (o *searchOptions) answer(cmd *cobra.Command, s settings, q searchRequest) (foundResults, error) {
	ctx := cmd.Context()
	token, err := s.token()
	if err != nil {
		return foundResults{}, err
	}
	if o.url != "" {
		base, err := checkURL(o.url)
		if err != nil {
			return foundResults{}, err
		}
		h, err := newClient(base).health(ctx)
		if err != nil {
			return foundResults{}, err
		}
		return ask(ctx, registration{URL: base, Root: h.Root}, token, q)
	}
	root, err := projectRoot(cmd, s, nil)
	if err != nil {
		return foundResults{}, err
	}
	if reg, ok := openRegistry(s).containing(ctx, root); ok {
		return ask(ctx, reg, token, q)
	}
	if q.Path, err = rootPath(root, q.Path); err != nil {
		return foundResults{}, err
	}
	return searchInMemory(cmd, s, root, q)
}

// ask has a server answer the query.
func ask(ctx context.Context, reg registration, token string, q searchRequest) (foundResults, error) {
	var err error
	if q.Path, err = rootPath(reg.Root, q.Path); err != nil {
		return foundResults{}, err
	}
	r, err := newClient(reg.URL).with(token).search(ctx, q)
	if err != nil {
		return foundResults{}, err
	}
	return foundResults{
		Query: q.Query, Root: reg.Root, Server: reg.URL,
		Results: r.Results, Matches: r.Meta.Matches, Truncated: r.Meta.Truncated, Index: r.Index,
	}, nil
}

// searchInMemory builds an index, asks it once and drops it.
func searchInMemory(cmd *cobra.Command, s settings, root string, q searchRequest) (found foundResults, err error) {
	fmt.Fprintf(cmd.ErrOrStderr(), "quarry: no server is running for %s, building an index in memory\n", root)
	x, _, closeIndex, err := openIndex(s, root, q.Mode != index.Lexical, index.Options{})
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, closeIndex()) }()

	bar := newProgress(cmd.ErrOrStderr(), isTerminal(cmd.ErrOrStderr()))
	_, err = x.Build(cmd.Context(), bar.update)
	bar.end()
	if err != nil {
		return found, interrupted(cmd, err)
	}
	a, err := x.Search(cmd.Context(), index.Query{
		Text: q.Query, Limit: q.Limit, Path: q.Path,
		Lang: q.Lang, Role: q.Role, Mode: q.Mode,
	})
	if err != nil {
		return found, err
	}
	return foundResults{
		Query: q.Query, Root: x.Root(), Results: a.Results,
		Matches: a.Matches, Truncated: a.Truncated, Index: a.State,
	}, nil
}

// rootPath turns a path as the user wrote it into one relative to the root:
// relative to the working folder where that is inside the root, else to the
// root already.
func rootPath(root, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if !filepath.IsAbs(path) {
		base := root
		if wd, ok := workingFolder(root); ok {
			base = wd
		}
		path = filepath.Join(base, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	rel, ok := inside(root, path)
	if !ok {
		return "", fmt.Errorf("%s is outside %s", path, root)
	}
	return rel, nil
}

// workingFolder returns the working folder, if it is inside root.
func workingFolder(root string) (string, bool) {
	wd, err := realPath(".")
	if err != nil {
		return "", false
	}
	_, ok := inside(root, wd)
	return wd, ok
}
