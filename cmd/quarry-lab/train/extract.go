package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// mostOf a repository are the pairs that are taken of each kind, so that a few
// large repositories do not drown the others. Which ones is decided by a hash.
var mostOf = [kinds]int{DocComment: 12000, RemarkPair: 5000, CommitPair: 8000, FilePair: 3000, NamePair: 5000, QuestionPair: 5000}

// sameQuery is how often the same question may come in a repository, commits
// apart: "Returns a new instance" has no one answer.
const sameQuery = 4

// Extraction says where pairs come from and where they are kept.
type Extraction struct {
	Clones       string       // a folder with a clone of each repository: see Extract
	Repositories []Repository // in the order in which their pairs are trained
	LeftOut      int          // those that were taken off the list, which the card tells
	Questions    fs.FS        // a file owner+name.tsv for each repository with questions of its own, see ReadQuestions; nil: none
	Excluded     []string     // "owner/name" of those that are refused, in any case
	Cache        string       // a folder; what is there already is not extracted again
	Workers      int          // repositories at a time; default 1
	Log          func(format string, args ...any)
}

// A source is where pairs of a repository come from. Each has a file of its own
// in the cache.
type source struct {
	name    string
	version int // of what becomes a pair; files of another version are made again
	pairs   func(g git, ctx context.Context, r Repository, add func(Pair)) error
}

// sources are those of one repository.
func (e *Extraction) sources(r Repository) ([]source, error) {
	list := []source{{"files", 1, git.files}, {"history", 1, git.history}, {"names", 1, git.names}}
	s, ok, err := questions(e.Questions, r)
	if ok {
		list = append(list, s)
	}
	return list, err
}

// flat is the name of a repository as that of a file.
func flat(name string) string { return strings.ReplaceAll(name, "/", "+") }

// file is the name of the file with the pairs of a source.
func (s *source) file(r Repository) string {
	return fmt.Sprintf("%s-%.12s-%s.v%d.pairs", flat(r.Name), r.Revision, s.name, s.version)
}

// Extract makes the pairs of all repositories and returns the files that hold
// them, one from each source for each repository. The clone of owner/name is
// Clones/owner+name or Clones/owner/name, with .git or /repo behind it or not.
// The pairs depend on nothing but the revisions (and the version of git, should
// it ever print another diff).
func Extract(ctx context.Context, e Extraction) ([][]string, error) {
	if err := refuse(e.Repositories, e.Excluded); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(e.Cache, 0o755); err != nil {
		return nil, fmt.Errorf("make the cache: %w", err)
	}
	files := make([][]string, len(e.Repositories))
	sources := make([][]source, len(e.Repositories))
	clones := make([]git, len(e.Repositories))
	var missing []int
	var wrong []error // all that is wrong with the clones is said before the work begins
	for i, r := range e.Repositories {
		there := true
		var err error
		if sources[i], err = e.sources(r); err != nil {
			return nil, err
		}
		for k, s := range sources[i] {
			files[i] = append(files[i], filepath.Join(e.Cache, s.file(r)))
			if _, err := os.Stat(files[i][k]); err != nil {
				there = false
			}
		}
		if there {
			continue
		}
		missing = append(missing, i)
		dir, err := locate(e.Clones, r)
		if err == nil {
			clones[i] = git{dir}
			err = clones[i].check(ctx, r)
		}
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	e.Log("extract: %d repositories, %d of them in the cache", len(files), len(files)-len(missing))
	// A clone that fails does not stop the others: they are in the cache then,
	// and one run names all that is wrong.
	var group errgroup.Group
	group.SetLimit(max(1, e.Workers))
	failed := make([]error, len(e.Repositories))
	var done atomic.Int32
	for _, i := range missing {
		group.Go(func() error {
			began := time.Now()
			n, err := clones[i].extract(ctx, e.Repositories[i], sources[i], files[i])
			if err != nil {
				failed[i] = fmt.Errorf("extract %s: %w", e.Repositories[i].Name, err)
				return nil
			}
			e.Log("extract: %d/%d %s: %d doc, %d remark, %d commit, %d file, %d name, %d question, %.1f s", done.Add(1), len(missing), e.Repositories[i].Name,
				n[DocComment], n[RemarkPair], n[CommitPair], n[FilePair], n[NamePair], n[QuestionPair], time.Since(began).Seconds())
			return nil
		})
	}
	group.Wait() // its functions return no errors
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return files, errors.Join(failed...)
}

// extract writes those files of a repository that are not there, and returns
// how many pairs of each kind are in them.
func (g git) extract(ctx context.Context, r Repository, sources []source, files []string) (n [kinds]int, err error) {
	for k := range sources {
		if _, err := os.Stat(files[k]); err == nil {
			continue
		}
		var s sample
		if err := sources[k].pairs(g, ctx, r, s.add); err != nil {
			return n, err
		}
		pairs := s.taken()
		if err := writePairs(files[k], pairs); err != nil {
			return n, err
		}
		for _, p := range pairs {
			n[p.Kind]++
		}
	}
	return n, nil
}

// sample keeps the pairs of a repository, each once.
type sample struct {
	pairs   []Pair
	hashes  []uint64
	seen    map[uint64]bool
	queries map[string]int
}

func (s *sample) add(p Pair) {
	if s.seen == nil {
		s.seen, s.queries = map[uint64]bool{}, map[string]int{}
	}
	// Without the path: a copied file asks the same question again.
	h := hash(Kinds[p.Kind], p.Query, stem(p.Path), p.Names, p.Text)
	if s.seen[h] {
		return
	}
	s.seen[h] = true
	if p.Kind != CommitPair {
		if s.queries[p.Query]++; s.queries[p.Query] > sameQuery {
			return
		}
	}
	s.pairs, s.hashes = append(s.pairs, p), append(s.hashes, h)
}

// taken returns at most mostOf pairs of each kind, in the order they came.
func (s *sample) taken() []Pair {
	order := make([]int, len(s.pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.hashes[a], s.hashes[b]) })
	left := mostOf
	var chosen []int
	for _, i := range order {
		if k := s.pairs[i].Kind; left[k] > 0 {
			left[k]--
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	out := make([]Pair, len(chosen))
	for n, i := range chosen {
		out[n] = s.pairs[i]
	}
	return out
}

// hash is the same on every machine and in every run.
func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
