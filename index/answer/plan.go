package answer

import (
	"context"
	"log/slog"
	"sync"
)

// A Plan is what of an index one request has used, in figures: no text, name or path of
// the query or of a file is in it. Zero means not at all.
type Plan struct {
	Mode       string // of the last search
	Searches   int    // also those by line, and those that another question needed
	Bytes      int    // of what was searched for
	Candidates int    // chunks that words, names and vectors have put forward
	Weighed    int    // chunks whose evidence was ranked
	Vectors    int    // chunks whose vectors were there to be compared
	Matches    int    // places: chunks, symbols or lines, before any limit
	Files      int    // whose text a search by line went through
	Read       int    // of them, those that were read; what filters say of the others rules them out
	Nodes      int    // of the call graph that were looked at
	Overlay    string // "kept": there was a copy of the index with it; "made": there was none
}

// LogValue returns the fields that are not zero.
func (p Plan) LogValue() slog.Value {
	var all []slog.Attr
	text := func(name, v string) {
		if v != "" {
			all = append(all, slog.String(name, v))
		}
	}
	count := func(name string, v int) {
		if v != 0 {
			all = append(all, slog.Int(name, v))
		}
	}
	text("mode", p.Mode)
	count("searches", p.Searches)
	count("bytes", p.Bytes)
	count("candidates", p.Candidates)
	count("weighed", p.Weighed)
	count("vectors", p.Vectors)
	count("matches", p.Matches)
	count("files", p.Files)
	count("read", p.Read)
	count("nodes", p.Nodes)
	text("overlay", p.Overlay)
	return slog.GroupValue(all...)
}

// planned is a Plan as it grows.
type planned struct {
	mu   sync.Mutex
	plan Plan
}

type planKey struct{}

// WithPlan returns a context under which the methods of an Index note what they use, and
// the function that says it; it may be called at any time.
func WithPlan(ctx context.Context) (context.Context, func() Plan) {
	p := new(planned)
	return context.WithValue(ctx, planKey{}, p), func() Plan {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.plan
	}
}

// Note has something noted where somebody wants to know it.
func Note(ctx context.Context, add func(p *Plan)) {
	if p, ok := ctx.Value(planKey{}).(*planned); ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		add(&p.plan)
	}
}
