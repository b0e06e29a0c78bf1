package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/index"
)

// answer asks the server that is responsible, or an index in memory.
func (o *searchOptions) answer(cmd *cobra.Command, s config.Settings, q searchRequest) (foundResults, error) {
	ctx := cmd.Context()
	token, err := s.Token()
	if err != nil {
		return foundResults{}, err
	}
	if o.url != "" {
		base, err := checkURL(o.url)
		if err != nil {
			return foundResults{}, err
		}
		h, err := newClient(base, pin{File: s.Server.TLSCert}).with(token).health(ctx)
		if err != nil {
			return foundResults{}, err
		}
		return ask(ctx, registration{URL: base, Root: h.Root, pin: pin{File: s.Server.TLSCert}}, token, q)
	}
	root, err := projectRoot(cmd, s, nil)
	if err != nil {
		return foundResults{}, err
	}
	if reg, ok := openRegistry(s).containing(ctx, root); ok {
		return ask(ctx, reg, token, q)
	}
	if err := q.within(root); err != nil {
		return foundResults{}, err
	}
	return searchInMemory(cmd, s, root, q)
}

// ask has a server answer the query.
func ask(ctx context.Context, reg registration, token string, q searchRequest) (foundResults, error) {
	if err := q.within(reg.Root); err != nil {
		return foundResults{}, err
	}
	r, err := newClient(reg.URL, reg.pin).with(token).of(reg.Root).search(ctx, q)
	if err != nil {
		return foundResults{}, err
	}
	return foundResults{
		Query: q.Query, Related: q.place(), Root: reg.Root, Server: reg.URL,
		Results: r.Results, Matches: r.Meta.Matches, Truncated: r.Meta.Truncated, Cuts: r.Meta.Cuts, Index: r.Index,
	}, nil
}

// within makes the paths of a request relative to the root.
func (q *searchRequest) within(root string) error {
	for _, path := range []*string{&q.Path, &q.File} {
		var err error
		if *path, err = rootPath(root, *path); err != nil {
			return err
		}
	}
	return nil
}

// place returns what --related names, "" for nothing.
func (q *searchRequest) place() string {
	if q.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", q.File, q.Line)
}

// searchInMemory builds an index, asks it once and drops it.
func searchInMemory(cmd *cobra.Command, s config.Settings, root string, q searchRequest) (found foundResults, err error) {
	vectors := q.Mode == "" || q.Mode == index.Hybrid || q.Mode == index.Semantic
	err = inMemory(cmd, s, root, vectors, func(x *index.Index) error {
		a, err := q.answer(cmd.Context(), x)
		found = foundResults{
			Query: q.Query, Related: q.place(), Root: x.Root(), Results: a.Results,
			Matches: a.Matches, Truncated: a.Truncated, Cuts: a.Cuts, Index: a.State,
		}
		return err
	})
	return found, err
}

// inMemory builds an index, with vectors or without, and drops it after use.
func inMemory(cmd *cobra.Command, s config.Settings, root string, vectors bool, use func(*index.Index) error) (err error) {
	fmt.Fprintf(cmd.ErrOrStderr(), "quarry: no server is running for %s, building an index in memory\n", root)
	x, _, closeIndex, err := openIndex(s, root, vectors, index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeIndex()) }()

	bar := newProgress(cmd.ErrOrStderr(), isTerminal(cmd.ErrOrStderr()), "")
	_, err = x.BuildOnce(cmd.Context(), bar.Update)
	bar.End()
	if err != nil {
		return interrupted(cmd, err)
	}
	return use(x)
}

// notBuilt opens an index for what needs its model only, and drops it after use.
func notBuilt(cmd *cobra.Command, s config.Settings, root string, vectors bool, use func(*index.Index) error) (err error) {
	x, _, closeIndex, err := openIndex(s, root, vectors, index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeIndex()) }()
	return use(x)
}

// answer asks an index.
func (q *searchRequest) answer(ctx context.Context, x *index.Index) (index.Answer, error) {
	asked := index.Query{
		Text: q.Query, Limit: q.Limit, Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, Role: q.Role, Mode: q.Mode,
		MinScore: q.MinScore, PerFile: q.PerFile, MaxTokens: q.MaxTokens, Explain: q.Explain,
	}
	if q.File != "" {
		return x.Related(ctx, q.File, q.Line, asked)
	}
	return x.Search(ctx, asked)
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
	rel, ok := folder.Inside(root, path)
	if !ok {
		return "", fmt.Errorf("%s is outside %s", path, root)
	}
	return rel, nil
}

// workingFolder returns the working folder, if it is inside root.
func workingFolder(root string) (string, bool) {
	wd, err := folder.Real(".")
	if err != nil {
		return "", false
	}
	_, ok := folder.Inside(root, wd)
	return wd, ok
}
