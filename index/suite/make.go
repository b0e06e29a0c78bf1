package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/source"
)

// Categories of the questions that Make makes.
const (
	FromComment = "comment" // the first sentence of a doc comment; the file of what it documents answers it
	FromCommit  = "commit"  // the subject of a commit; the files that it changed answer it
	FromSymbol  = "symbol"  // a name that is defined once; its definition answers it
)

// Options say which questions Make makes. The zero value works.
type Options struct {
	Questions int          // at most; 0: 150
	Seed      uint64       // another seed picks others
	Logger    *slog.Logger // nil: nothing is logged
}

// Make makes questions from the repository in a folder: a third of them each from doc
// comments, from subjects of commits and from names, if there are enough; the other kinds
// make up for one that lacks some. Tests, examples, documents and vendored code are no
// targets. A question that more than three files would answer is left out.
//
// Questions from comments are easy: their words are in the index. Those from
// commits are noisy, since a subject does not always say what its files do.
//
// The same tree, history and Options give the same questions, and a small
// change of them changes few: each question is drawn by a hash of its own.
func Make(ctx context.Context, dir string, opt Options) (Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Repository{}, fmt.Errorf("suite: %w", err)
	}
	log := opt.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	tree, err := source.Open(dir, source.Options{})
	if err != nil {
		return Repository{}, fmt.Errorf("suite: %w", err)
	}
	defer tree.Close()
	code, err := read(ctx, tree)
	if err != nil {
		return Repository{}, fmt.Errorf("suite: %s: %w", dir, err)
	}
	history, err := commits(ctx, tree.Root())
	if errors.Is(err, errNoHistory) {
		log.Warn("no questions are made from commits", "folder", dir, "why", err)
	} else if err != nil {
		return Repository{}, fmt.Errorf("suite: %s: %w", dir, err)
	}
	revision, err := tree.HeadCommit(ctx)
	if err != nil {
		return Repository{}, fmt.Errorf("suite: %s: %w", dir, err)
	}
	made := draw(cmp.Or(opt.Questions, 150), opt.Seed, commentQuestions(code), commitQuestions(code, history), symbolQuestions(code))
	if len(made) == 0 {
		return Repository{}, fmt.Errorf("suite: %s: it has no doc comments, names or commits to make questions from", dir)
	}
	return Repository{
		Name:     filepath.Base(tree.Root()),
		Language: language(code),
		Revision: revision,
		Queries:  made,
	}, nil
}

// draw takes n questions from the kinds in turn, each kind in the order of its
// hashes, and returns them by kind and text.
func draw(n int, seed uint64, kinds ...[]Query) []Query {
	for _, kind := range kinds {
		slices.SortFunc(kind, func(a, b Query) int {
			return cmp.Or(cmp.Compare(place(seed, a), place(seed, b)), cmp.Compare(a.Text, b.Text))
		})
	}
	var drawn []Query
	for i := 0; ; i++ {
		left := false
		for _, kind := range kinds {
			if i < len(kind) && len(drawn) < n {
				drawn = append(drawn, kind[i])
				left = true
			}
		}
		if !left {
			break
		}
	}
	slices.SortFunc(drawn, func(a, b Query) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Text, b.Text))
	})
	return drawn
}

func place(seed uint64, q Query) uint64 {
	d := xxhash.NewWithSeed(seed)
	io.WriteString(d, q.Category+"\x00"+q.Text)
	return d.Sum64()
}

// gather makes one question of each text: pairs with equal texts, whatever
// their case, are one question with several targets, unless they are too many.
type gather struct {
	category string
	order    []string
	queries  map[string]*Query
}

func (g *gather) add(text string, targets ...Target) {
	key := strings.ToLower(text)
	q := g.queries[key]
	if q == nil {
		q = &Query{Text: text, Category: g.category}
		if g.queries == nil {
			g.queries = map[string]*Query{}
		}
		g.queries[key] = q
		g.order = append(g.order, key)
	}
	for _, t := range targets {
		if !slices.Contains(q.Targets, t) {
			q.Targets = append(q.Targets, t)
		}
	}
}

// take returns the questions that have at most the given number of targets.
func (g *gather) take(most int) []Query {
	var all []Query
	for _, key := range g.order {
		if q := g.queries[key]; len(q.Targets) <= most {
			all = append(all, *q)
		}
	}
	return all
}

func commitQuestions(code []file, history []commit) []Query {
	g := gather{category: FromCommit}
	known := map[string]bool{}
	for _, f := range code {
		known[f.path] = true
	}
	for _, c := range history {
		text, ok := question(c.subject)
		if !ok {
			continue
		}
		var targets []Target
		gone := 0
		for _, name := range c.files {
			switch {
			case known[name]:
				targets = append(targets, Target{Path: name})
			case isCode(name):
				gone++ // deleted or renamed since; what is left is not the answer
			}
		}
		if gone == 0 && len(targets) > 0 && len(targets) <= maxChanged {
			g.add(text, targets...)
		}
	}
	return g.take(maxChanged)
}
