package store

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
)

// Filter is what a query's filters ask of files and chunks.
type Filter struct {
	Path   string
	Globs  Globs
	Langs  []string
	Kinds  []string
	Role   string
	Tests  string
	Symbol string
}

// A Scope is what a question's filters say. The zero value admits everything.
type Scope struct {
	Path   string
	Glob   []string
	Lang   []string
	Kind   []string
	Role   string
	Tests  string // answer.WithoutTests or OnlyTests; else all code
	Symbol string
}

// NewFilter reads a scope, whose globs checkGlobs has passed.
func NewFilter(s Scope) Filter {
	f := Filter{Path: strings.TrimSuffix(s.Path, "/"), Globs: NewGlobs(s.Glob), Kinds: s.Kind, Role: s.Role, Tests: s.Tests, Symbol: s.Symbol}
	if f.Path == "." {
		f.Path = ""
	}
	for _, lang := range s.Lang {
		f.Langs = append(f.Langs, strings.ToLower(lang))
	}
	return f
}

// Admits reports whether chunks of the file may be admitted.
func (f *Filter) Admits(r *Record) bool {
	return source.Within(r.Path, f.Path) && (len(f.Langs) == 0 || slices.Contains(f.Langs, r.Lang)) && f.Globs.Admit(r.Path)
}

// Line reports whether a line of an admitted file is admitted for being test code or not.
func (f *Filter) Line(r *Record, line uint32) bool {
	switch f.Tests {
	case answer.WithoutTests:
		return !r.tests(line)
	case answer.OnlyTests:
		return r.tests(line)
	}
	return true
}

// Holds reports whether a file is admitted by its path.
func (f *Filter) Holds(path string) bool {
	if f.Tests != "" && f.Tests != answer.WithTests && (source.RoleOf(path) == source.Test) != (f.Tests == answer.OnlyTests) {
		return false
	}
	return source.Within(path, f.Path) && f.Globs.Admit(path)
}

// Count is how many of some files are admitted.
func (f *Filter) Count(files []*Record) (n int) {
	if f.Path == "" && len(f.Globs) == 0 && len(f.Langs) == 0 {
		return len(files)
	}
	for _, r := range files {
		if f.Admits(r) {
			n++
		}
	}
	return n
}

// piece reports whether role and kind admit a chunk of an admitted file.
func (f *Filter) piece(r *Record, p *Chunk) bool {
	if f.Role != "" && r.RoleOf(p) != f.Role || !f.Line(r, r.begins(p)) {
		return false
	}
	if len(f.Kinds) == 0 || p.Symbol < 0 {
		return len(f.Kinds) == 0
	}
	if f.Kind(&r.Symbols[p.Symbol]) {
		return true
	}
	for _, s := range r.Begun(p) {
		if f.Kind(s) {
			return true
		}
	}
	return false
}

func (f *Filter) Kind(s *Symbol) bool {
	return len(f.Kinds) == 0 || slices.Contains(f.Kinds, string(s.Kind()))
}

// Chunks returns which chunk ids are admitted, nil for all. Every chunk is
// looked at once, here, and not again by each store that asks: half a
// millisecond for 100,000 of them, and thirty for a million, whose files are
// spread over the memory. Agents ask with the same filter again, so the table
// remembers the last ones until a file changes.
func (f *Filter) Chunks(t *Table) func(uint32) bool {
	if f.Path == "" && len(f.Globs) == 0 && len(f.Langs) == 0 && len(f.Kinds) == 0 && f.Role == "" && f.Tests == "" && f.Symbol == "" {
		return nil
	}
	key := fmt.Sprintf("%#v", *f)
	admitted := t.Filters.get(key)
	if admitted == nil {
		admitted = f.look(t)
		t.Filters.put(key, admitted)
	}
	return admitted.has
}

// look returns the chunks that are admitted.
func (f *Filter) look(t *Table) bitmap {
	admitted := make(bitmap, (len(t.Chunks)+63)/64)
	admit := func(r *Record, p *Chunk) {
		if f.piece(r, p) {
			admitted[p.ID/64] |= 1 << (p.ID % 64)
		}
	}
	if f.Symbol != "" {
		for _, d := range t.Define(f.Symbol) {
			if n := d.Record.PieceOf(&d.Record.Symbols[d.Symbol]); n >= 0 && f.Admits(d.Record) {
				admit(d.Record, &d.Record.Chunks[n])
			}
		}
		return admitted
	}
	for _, r := range t.Below(f.Path) {
		if !f.Admits(r) {
			continue
		}
		for i := range r.Chunks {
			admit(r, &r.Chunks[i])
		}
	}
	return admitted
}

// A bitmap is a set of chunk ids.
type bitmap []uint64

func (b bitmap) has(id uint32) bool { return b[id/64]&(1<<(id%64)) != 0 }

// MaxFilters is how many bitmaps a table keeps: of a million chunks, 2 MB.
const MaxFilters = 16

// filters remembers what the last filters admitted, until forget. It is safe for
// concurrent use.
type filters struct {
	mu   sync.Mutex
	Kept map[string]bitmap
	keys []string // those of kept, the oldest first
}

func (l *filters) get(key string) bitmap {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Kept[key]
}

func (l *filters) put(key string, b bitmap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Kept == nil {
		l.Kept = map[string]bitmap{}
	}
	if _, ok := l.Kept[key]; ok {
		return // somebody else has looked at the same time
	}
	if len(l.keys) == MaxFilters {
		delete(l.Kept, l.keys[0])
		l.keys = l.keys[1:]
	}
	l.Kept[key] = b
	l.keys = append(l.keys, key)
}

// forget is called by whoever changes the files.
func (l *filters) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Kept, l.keys = nil, nil
}
