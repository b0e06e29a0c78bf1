package fitting

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/fit"
	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/contextual"
	"github.com/quarry-search/quarry/embed/onnx"
	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// A searcher answers questions about one repository.
type searcher interface {
	Search(ctx context.Context, q search.Query) (search.Answer, error)
}

// An engine makes searchers of folders. Tests have one of their own.
type engine struct {
	signals   []string // that explanations can have
	model     string   // the sha256 of a model that is not the built-in one
	noEncoder bool     // vectors are those of words alone
	open      func(ctx context.Context, folder string) (s searcher, stop func() error, err error)
}

// builtinEngine returns one that indexes folders with the built-in model, or with the one of
// words in a folder that is named, and with the built-in encoder where ONNX Runtime is found;
// where it is not, the weights say so. The encoder stays open until the process ends.
func builtinEngine(dir, kept string) (*engine, error) {
	e := &engine{signals: search.Signals()}
	words, err := static.New()
	if dir != "" {
		if words, err = static.Open(dir); err == nil {
			e.model = words.Info().SHA256
		}
	}
	if err != nil {
		return nil, err
	}
	var model embed.Embedder = words
	library, _, err := onnx.FindLibrary(onnx.LibraryOptions{})
	if e.noEncoder = err != nil; !e.noEncoder {
		encoder, err := onnx.OpenEncoder(library, contextual.ONNX())
		if err != nil {
			return nil, err
		}
		if model, err = contextual.New(words, encoder, "onnxruntime", library); err != nil {
			return nil, errors.Join(err, encoder.Close())
		}
	}
	e.open = func(ctx context.Context, folder string) (searcher, func() error, error) {
		x, err := index.Open(folder, index.Options{Embedder: model, Refine: true})
		if err != nil {
			return nil, nil, err
		}
		saved := ""
		if kept != "" {
			saved = filepath.Join(kept, fmt.Sprintf("%x.index", sha256.Sum256([]byte(folder))))
		}
		restored := saved != "" && x.Restore(saved) == nil // what is not there or of another model is made again
		_, err = x.Build(ctx, nil)
		if err == nil && saved != "" && !restored {
			err = x.Save(ctx, saved, false)
		}
		if err != nil {
			return nil, nil, errors.Join(err, x.Close())
		}
		return x, x.Close, nil
	}
	return e, nil
}

// fittingOptions are the flags that the two fits share.
type fittingOptions struct {
	suites  []string
	corpus  string
	out     string
	exclude string
	model   string // a folder; "": the built-in one
	kept    string // a folder; "": indexes are not kept
	weights []string
	l2      float64
	folds   int

	engine *engine // nil: builtinEngine
}

func (o *fittingOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.suites, "suite", nil, "a suite, a JSON `file`; may be repeated")
	f.StringVar(&o.corpus, "corpus", "", "the `folder` that holds the suites' repositories")
	f.StringVar(&o.out, "out", "", "the `file` of weights; its other block is kept")
	f.StringVar(&o.model, "model", "", "the `folder` of the model to index with, as \"quarry-lab train model\" writes it (default: the built-in one)")
	f.StringVar(&o.kept, "kept", "", "a `folder` that keeps the indexes, so that the next fit with the same model starts from them")
	f.StringVar(&o.exclude, "exclude", "", "a `list` of owner/name that must not be used, a line each (default: the benchmark's)")
	f.StringArrayVar(&o.weights, "weight", nil, "what a question of a suite counts, as `suite=0.5` with the file's name without .json; may be repeated (default: 1)")
	f.Float64Var(&o.l2, "l2", o.l2, "the penalty on squared weights")
	f.IntVar(&o.folds, "folds", o.folds, "parts of the cross-validation")
	require(cmd, "suite", "corpus", "out")
}

// A source is a suite file.
type source struct {
	name      string // the file's name without .json
	weight    float64
	questions int
	repos     map[string]bool
}

// An asked is a repository of one or several suite files with their questions.
type asked struct {
	suite.Repository
	weights []float64 // of each query
}

// load reads the suites. A repository that is in several of them is there once.
// It also makes the engine, unless there is one.
func (o *fittingOptions) load() ([]asked, []source, error) {
	if o.engine == nil {
		var err error
		if o.engine, err = builtinEngine(o.model, o.kept); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case !(o.l2 >= 0):
		return nil, nil, fmt.Errorf("--l2 must not be negative: %g", o.l2)
	case o.folds < 2:
		return nil, nil, fmt.Errorf("--folds must be at least 2, not %d", o.folds)
	}
	all, err := suite.Read(o.suites...) // that they fit together
	if err != nil {
		return nil, nil, err
	}
	if err := o.refuse(all); err != nil {
		return nil, nil, err
	}
	var sources []source
	for _, file := range o.suites {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if slices.ContainsFunc(sources, func(s source) bool { return s.name == name }) {
			return nil, nil, fmt.Errorf("two suites have the name %s", name)
		}
		sources = append(sources, source{name, 1, 0, map[string]bool{}})
	}
	for _, w := range o.weights {
		name, value, _ := strings.Cut(w, "=")
		i := slices.IndexFunc(sources, func(s source) bool { return s.name == name })
		weight, err := strconv.ParseFloat(value, 64)
		if i < 0 || err != nil || !(weight >= 0) || math.IsInf(weight, 0) {
			return nil, nil, fmt.Errorf("--weight %s is not of the form suite=0.5 with the name of one of the suites", w)
		}
		sources[i].weight = weight
	}
	var list []asked
	for i := range sources {
		s, err := suite.Read(o.suites[i])
		if err != nil {
			return nil, nil, err
		}
		for _, r := range s {
			at := slices.IndexFunc(list, func(a asked) bool { return a.Name == r.Name })
			if at < 0 {
				at = len(list)
				list = append(list, asked{Repository: r})
				list[at].Queries = nil
			}
			list[at].Queries = append(list[at].Queries, r.Queries...)
			list[at].weights = append(list[at].weights, slices.Repeat([]float64{sources[i].weight}, len(r.Queries))...)
			sources[i].questions += len(r.Queries)
			sources[i].repos[r.Name] = true
		}
	}
	// In whatever order the suites were named, the same sums are made.
	slices.SortFunc(list, func(a, b asked) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(sources, func(a, b source) int { return cmp.Compare(a.name, b.name) })
	return list, sources, nil
}

// refuse returns an error when a repository is excluded: by where it comes
// from or, where the suite does not say, by its folder's name.
func (o *fittingOptions) refuse(all suite.Suite) error {
	list, err := open(o.exclude, benchmark)
	if err != nil {
		return fmt.Errorf("cannot read the list of excluded repositories: %w", err)
	}
	defer list.Close()
	excluded, err := train.ReadExcluded(list)
	if err != nil {
		return fmt.Errorf("the list of excluded repositories is malformed: %w", err)
	}
	for _, r := range all {
		for _, name := range excluded {
			if strings.EqualFold(cmp.Or(r.Origin, r.Name), name) || r.Origin == "" && strings.EqualFold(path.Base(r.Name), path.Base(name)) {
				return fmt.Errorf("the ranking is measured on %s: nothing may be fitted on %s; take it out of the suite", name, r.Name)
			}
		}
	}
	return nil
}

// visit opens each repository in turn, shows it to see, and closes it.
func (o *fittingOptions) visit(cmd *cobra.Command, list []asked, see func(ctx context.Context, s searcher, r asked) error) error {
	one := func(ctx context.Context, r asked) (err error) {
		folder := filepath.Join(o.corpus, filepath.FromSlash(r.Name), filepath.FromSlash(r.Root))
		if _, err := os.Stat(folder); err != nil {
			return fmt.Errorf("it is not in the corpus (quarry-lab train checkout puts it there): %w", err)
		}
		s, stop, err := o.engine.open(ctx, folder)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
		return see(ctx, s, r)
	}
	for i, r := range list {
		cmd.PrintErrf("quarry-lab: %d of %d: %s\n", i+1, len(list), r.Name)
		if err := one(cmd.Context(), r); err != nil {
			if cmd.Context().Err() != nil {
				return errors.New("interrupted")
			}
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return nil
}

// toHits makes the files relative to the repository instead of its root.
func toHits(r suite.Repository, results []search.Result) []measure.Hit {
	hits := make([]measure.Hit, len(results))
	for i, found := range results {
		hits[i] = measure.Hit{File: path.Join(r.Root, found.File), Line: found.Line, End: found.EndLine, Score: found.Score}
	}
	return hits
}

// change reads the file of weights, if it is there, and writes it with what
// alter did to it.
func (o *fittingOptions) change(alter func(*fit.Weights)) error {
	var weights fit.Weights
	old, err := os.Open(o.out)
	if err == nil {
		weights, err = fit.ReadWeights(old)
		err = errors.Join(err, old.Close())
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.out, err)
	}
	alter(&weights)
	// A file that is half written would not build; the whole takes its place.
	f, err := os.CreateTemp(filepath.Dir(o.out), ".weights-*")
	if err != nil {
		return fmt.Errorf("cannot write the weights: %w", err)
	}
	err = errors.Join(weights.Write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), o.out)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot write the weights: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// describe says what a fit was made of, for the comment above the weights. A
// model is told by its sum: a folder's name says nothing on another machine.
func (o *fittingOptions) describe(sources []source) []string {
	var lines []string
	for _, s := range sources {
		line := fmt.Sprintf("  %s: %d questions about %d repositories", s.name, s.questions, len(s.repos))
		if s.weight != 1 {
			line += fmt.Sprintf(", each counting %g", s.weight)
		}
		lines = append(lines, line)
	}
	if o.engine.model != "" {
		lines = append(lines, fmt.Sprintf("  indexed with another model than the built-in one, its sha256 %.12s", o.engine.model))
	}
	if o.engine.noEncoder {
		lines = append(lines, "  indexed without the encoder, for want of ONNX Runtime")
	}
	return lines
}
