package index

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Phases of an index, as State.State reports them.
const (
	Indexing = "indexing" // the first build runs; answers come from what is there
	Ready    = "ready"    // everything known to have changed is in
	Stale    = "stale"    // changes are known that are not in yet
	Failed   = "error"    // the last build or update failed; what was there still answers
)

// Freshness of an answer.
const (
	Fresh   = "FRESH"
	Dated   = "STALE"
	Unknown = "UNKNOWN"
)

// State says how current the index is. It is taken without waiting for anyone.
type State struct {
	State      string  `json:"state"`
	Generation uint64  `json:"generation"`       // grows with every commit
	Progress   float64 `json:"progress"`         // of the running build, 0..1; 1 when none runs
	Vectors    float64 `json:"vectors"`          // share of the chunks that have their vector, 0..1
	Freshness  string  `json:"freshness"`        // FRESH, STALE or UNKNOWN
	Pending    int     `json:"pending"`          // changed paths not in yet, and what is read again since it could not be read
	Paused     string  `json:"paused,omitempty"` // why what is pending, or the call graph, does not go on now
	Root       string  `json:"root"`
	Files      int     `json:"files"`
	Chunks     int     `json:"chunks"`
	GraphOld   bool    `json:"-"` // the call graph lacks the latest changes
	Unread     int     `json:"-"` // of Pending, what is read again: see Coverage.Pending
	GraphLag   uint64  `json:"-"` // generations by which it is behind, or less; 0: none
	Restored   bool    `json:"-"` // from a snapshot that has not been compared with the root yet

	IndexedAt time.Time `json:"-"` // of the last commit; zero: none yet
}

// Work is what an Index has done since it was opened.
type Work struct {
	Parsed   uint64 // files that were read and parsed
	Lowered  uint64 // files that were parsed again, for the call graph only
	Embedded uint64 // chunks whose vector was computed
	Reused   uint64 // files that were taken over: from a snapshot, what other roots keep, or a file of the same text
	Rebuilt  uint64 // files that were left out of a snapshot, because it had another text of them than was indexed

	// What requests found as they needed it, and what had to be made for them.
	OverlaysFound, OverlaysMade uint64 // copies of the index with an overlay
	LinesFound, LinesMade       uint64 // lines about files and folders
}

// Add returns the sum of two.
func (w Work) Add(o Work) Work {
	return Work{
		w.Parsed + o.Parsed, w.Lowered + o.Lowered, w.Embedded + o.Embedded, w.Reused + o.Reused, w.Rebuilt + o.Rebuilt,
		w.OverlaysFound + o.OverlaysFound, w.OverlaysMade + o.OverlaysMade,
		w.LinesFound + o.LinesFound, w.LinesMade + o.LinesMade,
	}
}

// Work returns what has been done so far, without taking a lock.
func (x *Index) Work() Work {
	c := &x.state
	return Work{
		Parsed: c.parsed.Load(), Lowered: c.lowered.Load(), Embedded: c.computed.Load(), Reused: c.reused.Load(), Rebuilt: c.rebuilt.Load(),
		OverlaysFound: x.drafts.found.Load(), OverlaysMade: x.drafts.made.Load(),
		LinesFound: x.lines.found.Load(), LinesMade: x.lines.made.Load(),
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

// A SkippedFile is one file that is not in the index.
type SkippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
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

// State returns the state without taking a lock.
func (x *Index) State() State {
	if x.draft != nil {
		return x.draft.state()
	}
	c := &x.state
	s := State{
		State:      Ready,
		Generation: c.generation.Load(),
		Progress:   1,
		Freshness:  Fresh,
		Pending:    int(c.updating.Load()) + int(c.queued.Load()),
		Unread:     int(x.retries.size.Load()),
		Root:       x.tree.Root(),
		Files:      int(c.files.Load()),
		Chunks:     int(c.chunks.Load()),
	}
	embedded := c.embedded.Load()
	switch {
	case x.dim == 0:
	case s.Chunks > 0:
		s.Vectors = min(float64(embedded)/float64(s.Chunks), 1)
	case c.built.Load():
		s.Vectors = 1
	}
	if at := c.indexedAt.Load(); at != 0 {
		s.IndexedAt = time.Unix(0, at).UTC()
	}
	if todo := c.todo.Load(); todo > 0 {
		// Parsing is most of the work, vectors the rest.
		s.Progress = min(float64(c.done.Load())/float64(todo), 1) * (0.85 + 0.15*s.Vectors)
		s.Progress = min(s.Progress, 0.999)
		if x.dim == 0 {
			s.Progress = min(float64(c.done.Load())/float64(todo), 0.999)
		}
		s.Pending += max(int(todo-c.done.Load()), 1)
	}
	s.Pending += s.Unread
	if s.GraphOld = x.calls.behind(); s.GraphOld {
		s.GraphLag = max(s.Generation-min(x.calls.since.Load(), s.Generation), 1)
	}
	if s.Restored = c.restored.Load(); s.Restored {
		s.Pending = max(s.Pending, 1)
	}
	if s.Pending > 0 || s.GraphOld {
		s.Paused = x.opt.Throttle.Paused()
	}
	switch {
	case c.failure.Load() != nil:
		s.State, s.Freshness = Failed, Unknown
	case !c.built.Load():
		s.State, s.Freshness = Indexing, Unknown
		if c.todo.Load() == 0 {
			s.Progress = 0
		}
	case s.Pending > 0:
		s.State, s.Freshness = Stale, Dated
	}
	return s
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
			Pending: int(x.retries.size.Load()),
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
