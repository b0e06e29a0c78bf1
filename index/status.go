package index

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Work returns what has been done so far, without taking a lock.
func (x *Index) Work() Work {
	c := &x.state
	return Work{
		Parsed: c.parsed.Load(), Lowered: c.lowered.Load(), Embedded: c.computed.Load(), Reused: c.reused.Load(), Rebuilt: c.rebuilt.Load(),
		OverlaysFound: x.drafts.found.Load(), OverlaysMade: x.drafts.made.Load(),
		LinesFound: c.linesFound.Load(), LinesMade: c.linesMade.Load(),
	}
}

// Coverage says what is in the index and what is not. Every file that the
// ignore rules admit is counted exactly once, as indexed or as skipped.
type Coverage struct {
	Indexed   int            `json:"indexed"`
	Skipped   int            `json:"skipped"`
	Reasons   map[string]int `json:"reasons"`        // skipped files by reason
	Files     []SkippedFile  `json:"files"`          // at most Status's limit, by path
	Truncated bool           `json:"truncated"`      // Files is not all
	Pending   int            `json:"pending"`        // files and folders that cannot be read now and are read again until they can: of those that were indexed, what was read last stays
	Languages map[string]int `json:"languages"`      // indexed files by language; "text" where none is known
	NoGrammar int            `json:"no_grammar"`     // indexed without a syntax tree
	Errors    int            `json:"parse_errors"`   // indexed, with errors in the syntax tree
	Unparsed  map[string]int `json:"unparsed"`       // indexed as text, since there was no syntax tree to be had, by reason
	Texts     []SkippedFile  `json:"unparsed_files"` // those, at most Status's limit, by path
	Source    string         `json:"source"`         // who decided what is ignored: "git" or "gitignore files"
	// SourceReason says why it was not git although there is a repository, or which
	// repositories in the root git was not asked about; "": neither.
	SourceReason string `json:"source_reason,omitempty"`
}

// Status is everything that the index knows about itself.
type Status struct {
	State
	Symbols       int         `json:"symbols"`
	References    int         `json:"references"`
	Terms         int         `json:"terms"`
	SourceBytes   int64       `json:"source_bytes"`
	LastIndexedAt *time.Time  `json:"last_indexed_at"`       // null before the first commit
	LastCommit    string      `json:"last_commit,omitempty"` // of the git work tree, at the last build or update
	LastError     string      `json:"last_error,omitempty"`
	BuildSeconds  float64     `json:"build_seconds"` // of the last whole build
	Coverage      Coverage    `json:"coverage"`
	Memory        Memory      `json:"memory_bytes"`
	Snapshot      *Origin     `json:"snapshot"` // that the index began with; nil: none
	Model         *embed.Info `json:"-"`        // nil: no vectors
}

// Status returns everything, with at most skipped entries in Coverage.Files.
// It is safe for concurrent use and may wait for a commit in progress.
func (x *Index) Status(skipped int) Status {
	x.mu.RLock()
	defer x.mu.RUnlock()
	t := x.table
	ignores, why := x.tree.Source()
	s := Status{
		State: x.State(), Symbols: t.symbols, References: t.refs, Terms: t.words.Terms(), SourceBytes: t.bytes,
		BuildSeconds: time.Duration(x.state.seconds.Load()).Seconds(), Memory: x.Memory(), Snapshot: x.Origin(),
		Coverage: Coverage{
			Indexed: len(t.files), Skipped: len(t.skips), Source: ignores, SourceReason: why,
			Pending: int(x.state.unread.Load()),
			Reasons: map[string]int{}, Languages: map[string]int{}, Files: []SkippedFile{},
			Unparsed: map[string]int{}, Texts: []SkippedFile{},
		},
	}
	if at := x.state.indexedAt.Load(); at != 0 {
		when := time.Unix(0, at).UTC()
		s.LastIndexedAt = &when
	}
	if commit := x.state.commit.Load(); commit != nil {
		s.LastCommit = *commit
	}
	if failure := x.state.failure.Load(); failure != nil {
		s.LastError = *failure
	}
	if x.opt.Embedder != nil {
		info := x.opt.Embedder.Info()
		s.Model = &info
	}
	for _, r := range t.files {
		s.Coverage.Languages[cmp.Or(r.lang, "text")]++
		if !r.grammar {
			s.Coverage.NoGrammar++
		}
		if r.errors {
			s.Coverage.Errors++
		}
	}
	s.Coverage.Texts = t.unparsed(s.Coverage.Unparsed, skipped)
	for _, skip := range t.skips {
		s.Coverage.Reasons[string(skip.Reason)]++
	}
	paths := slices.Sorted(maps.Keys(t.skips))
	s.Coverage.Truncated = len(paths) > skipped
	for _, p := range paths[:min(max(skipped, 0), len(paths))] {
		skip := t.skips[p]
		s.Coverage.Files = append(s.Coverage.Files, SkippedFile{p, string(skip.Reason), skip.Detail})
	}
	return s
}

// unparsed lists the files that have no syntax tree for a fault of their parser, at most
// some of them, and counts all by the reason.
func (t *table) unparsed(reasons map[string]int, most int) []SkippedFile {
	files := []SkippedFile{}
	for path, r := range t.files {
		if r.fault != syntax.NoFault {
			reasons[r.fault.String()]++
			files = append(files, SkippedFile{Path: path, Reason: r.fault.String()})
		}
	}
	slices.SortFunc(files, func(a, b SkippedFile) int { return cmp.Compare(a.Path, b.Path) })
	return files[:min(max(most, 0), len(files))]
}
