package index

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/facts"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Work returns what has been done so far, without taking a lock.
func (x *Index) Work() answer.Work {
	c := &x.Counters
	return answer.Work{
		Parsed: c.Parsed.Load(), Lowered: c.Lowered.Load(), Embedded: c.Computed.Load(), Refined: c.Refined.Load(), Reused: c.Reused.Load(), Rebuilt: c.Rebuilt.Load(),
		OverlaysFound: x.drafts.found.Load(), OverlaysMade: x.drafts.made.Load(),
		LinesFound: c.LinesFound.Load(), LinesMade: c.LinesMade.Load(),
	}
}

// Coverage says what is in the index and what is not. Every file that the
// ignore rules admit is counted exactly once, as indexed or as skipped.
type Coverage struct {
	Indexed   int                  `json:"indexed"`
	Skipped   int                  `json:"skipped"`
	Reasons   map[string]int       `json:"reasons"`        // skipped files by reason
	Files     []answer.SkippedFile `json:"files"`          // at most Status's limit, by path
	Truncated bool                 `json:"truncated"`      // Files is not all
	Pending   int                  `json:"pending"`        // files and folders that cannot be read now and are read again until they can: of those that were indexed, what was read last stays
	Languages map[string]int       `json:"languages"`      // indexed files by language; "text" where none is known
	NoGrammar int                  `json:"no_grammar"`     // indexed without a syntax tree
	Errors    int                  `json:"parse_errors"`   // indexed, with errors in the syntax tree
	Unparsed  map[string]int       `json:"unparsed"`       // indexed as text, since there was no syntax tree to be had, by reason
	Texts     []answer.SkippedFile `json:"unparsed_files"` // those, at most Status's limit, by path
	Source    string               `json:"source"`         // who decided what is ignored: "git" or "gitignore files"
	// SourceReason says why it was not git although there is a repository, or which
	// repositories in the root git was not asked about; "": neither.
	SourceReason string `json:"source_reason,omitempty"`
}

// Status is everything that the index knows about itself.
type Status struct {
	answer.State
	Symbols       int            `json:"symbols"`
	References    int            `json:"references"`
	Terms         int            `json:"terms"`
	SourceBytes   int64          `json:"source_bytes"`
	LastIndexedAt *time.Time     `json:"last_indexed_at"`       // null before the first commit
	LastCommit    string         `json:"last_commit,omitempty"` // of the git work tree, at the last build or update
	LastError     string         `json:"last_error,omitempty"`
	BuildSeconds  float64        `json:"build_seconds"` // of the last whole build
	Coverage      Coverage       `json:"coverage"`
	Memory        answer.Memory  `json:"memory_bytes"`
	Snapshot      *answer.Origin `json:"snapshot"`   // that the index began with; nil: none
	SCIPFiles     int            `json:"scip_files"` // of which SCIP indexes say what is named there: those that have not changed since
	Model         *embed.Info    `json:"-"`          // nil: no vectors
}

// Status returns everything, with at most skipped entries in Coverage.Files.
// It is safe for concurrent use and may wait for a commit in progress.
func (x *Index) Status(skipped int) Status {
	known := facts.Now(x.View)
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	t := x.Table
	ignores, why := x.Tree.Source()
	s := Status{
		State: x.State(), Symbols: t.Symbols, References: t.Refs, Terms: t.Words.Terms(), SourceBytes: t.Bytes,
		BuildSeconds: time.Duration(x.Counters.Seconds.Load()).Seconds(), Memory: x.Memory(), Snapshot: x.Origin(),
		Coverage: Coverage{
			Indexed: len(t.Files), Skipped: len(t.Skips), Source: ignores, SourceReason: why,
			Pending: int(x.Counters.Unread.Load()),
			Reasons: map[string]int{}, Languages: map[string]int{}, Files: []answer.SkippedFile{},
			Unparsed: map[string]int{}, Texts: []answer.SkippedFile{},
		},
	}
	s.SCIPFiles = known.Files()
	if at := x.Counters.IndexedAt.Load(); at != 0 {
		when := time.Unix(0, at).UTC()
		s.LastIndexedAt = &when
	}
	if commit := x.Counters.Commit.Load(); commit != nil {
		s.LastCommit = *commit
	}
	if failure := x.Counters.Failure.Load(); failure != nil {
		s.LastError = *failure
	}
	if x.Opt.Embedder != nil {
		info := x.Opt.Embedder.Info()
		s.Model = &info
	}
	for _, r := range t.Files {
		s.Coverage.Languages[cmp.Or(r.Lang, "text")]++
		if !r.Grammar {
			s.Coverage.NoGrammar++
		}
		if r.Errors {
			s.Coverage.Errors++
		}
	}
	s.Coverage.Texts = unparsed(t, s.Coverage.Unparsed, skipped)
	for _, skip := range t.Skips {
		s.Coverage.Reasons[string(skip.Reason)]++
	}
	paths := slices.Sorted(maps.Keys(t.Skips))
	s.Coverage.Truncated = len(paths) > skipped
	for _, p := range paths[:min(max(skipped, 0), len(paths))] {
		skip := t.Skips[p]
		s.Coverage.Files = append(s.Coverage.Files, answer.SkippedFile{Path: p, Reason: string(skip.Reason), Detail: skip.Detail})
	}
	return s
}

// unparsed lists the files that have no syntax tree for a fault of their parser, at most
// some of them, and counts all by the reason.
func unparsed(t *store.Table, reasons map[string]int, most int) []answer.SkippedFile {
	files := []answer.SkippedFile{}
	for path, r := range t.Files {
		if r.Fault != syntax.NoFault {
			reasons[r.Fault.String()]++
			files = append(files, answer.SkippedFile{Path: path, Reason: r.Fault.String()})
		}
	}
	slices.SortFunc(files, func(a, b answer.SkippedFile) int { return cmp.Compare(a.Path, b.Path) })
	return files[:min(max(most, 0), len(files))]
}
