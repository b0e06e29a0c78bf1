package architecture

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/git"
	"github.com/quarry-search/quarry/index/internal/store"
)

const (
	// maxCommits is how far back commits are read.
	maxCommits = 2000
	// maxChanged is how many of the files that are looked at a commit may have changed to count:
	// one that changes many, as a renaming does, says nothing of any two.
	maxChanged = 30
	// minSupport and minConfidence are what a pair has at least.
	minSupport    = 3
	minConfidence = 0.5
)

// A Pair is two modules that change together.
type Pair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Commits    int     `json:"commits"`    // that changed both: 3 at least
	CommitsA   int     `json:"commits_a"`  // that changed a
	CommitsB   int     `json:"commits_b"`  // that changed b
	Confidence float64 `json:"confidence"` // commits / the lesser of commits_a and commits_b, in hundredths: 0.5 at least
	Depends    bool    `json:"depends"`    // one of them depends on the other directly
}

// A history is what the commits of a root changed, the newest first.
type history struct {
	mu      sync.Mutex
	head    string
	commits [][]string
}

// read returns the files that commits have changed, or why there is no telling.
func (h *history) read(ctx context.Context, x *store.View) (commits [][]string, why string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	client := git.New(git.Options{Scratch: x.Opt.CacheDir})
	defer func() { err = errors.Join(err, client.Close()) }()
	repository, err := client.Around(ctx, x.Root())
	head := ""
	if err == nil {
		head, err = repository.Head()
	}
	if err == nil && head != "" && head == h.head {
		return h.commits, "", nil
	}
	text := ""
	if err == nil {
		text, err = repository.Log(ctx, x.Root(), maxCommits)
	}
	switch {
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case errors.Is(err, git.ErrNone):
		return nil, "there is no git repository", nil
	case err != nil:
		return nil, err.Error(), nil
	}
	h.head, h.commits = head, nil
	for record := range strings.SplitSeq(text, "\x01") {
		var files []string
		for _, f := range strings.Split(record, "\x00")[1:] {
			if f = strings.TrimPrefix(f, "\n"); f != "" {
				files = append(files, f)
			}
		}
		if len(files) > 0 {
			h.commits = append(h.commits, files)
		}
	}
	return h.commits, "", nil
}

// Commits returns the files that each of the last 2,000 commits of the root changed, the newest first, or
// why there is no telling.
func Commits(ctx context.Context, x *store.View) (commits [][]string, why string, err error) {
	if x.Tree.Sealed() {
		return nil, "a snapshot has no history", nil
	}
	at := x
	if x.Over != nil {
		at = x.Over.Base
	}
	return store.Kept[history](at).read(ctx, x)
}

// togetherIn lists the modules that change together, those first that most often do.
func togetherIn(ctx context.Context, x *store.View, s *system) (all []Pair, why string, err error) {
	commits, why, err := Commits(ctx, x)
	if why != "" || err != nil {
		return nil, why, err
	}
	number := map[string]int32{}
	for _, i := range s.files {
		number[s.program.files[i].path] = i
	}
	changed, both := make([]int, len(s.names)), map[[2]int32]int{}
	for _, files := range commits {
		count := 0
		var in []int32
		for _, f := range files {
			if i, ok := number[f]; ok {
				in = append(in, s.of[i])
				count++
			}
		}
		if count > maxChanged {
			continue
		}
		slices.Sort(in)
		in = slices.Compact(in)
		for i, a := range in {
			changed[a]++
			for _, b := range in[i+1:] {
				both[[2]int32{a, b}]++
			}
		}
	}
	all = []Pair{}
	for pair, n := range both {
		a, b := pair[0], pair[1]
		less := min(changed[a], changed[b])
		if n < minSupport || float64(n) < minConfidence*float64(less) {
			continue
		}
		all = append(all, Pair{
			A: s.names[a], B: s.names[b], Commits: n, CommitsA: changed[a], CommitsB: changed[b],
			Confidence: float64((100*n+less/2)/less) / 100, Depends: s.direct(a, b) || s.direct(b, a),
		})
	}
	slices.SortFunc(all, func(a, b Pair) int {
		return cmp.Or(b.Commits-a.Commits, cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return all, "", nil
}

// direct reports whether a module depends on another.
func (s *system) direct(from, to int32) bool {
	return slices.ContainsFunc(s.edges[from], func(e *edge) bool { return e.to == to && e.depends > 0 })
}
