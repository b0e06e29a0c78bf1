package index

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// filter is what a query's filters ask of files and chunks.
type filter struct {
	path   string
	globs  globs
	langs  []string
	kinds  []string
	role   string
	symbol string
}

// A scope is what a question's filters say. The zero value admits everything.
type scope struct {
	path   string
	glob   []string
	lang   []string
	kind   []string
	role   string
	symbol string
}

// newFilter reads a scope, whose globs checkGlobs has passed.
func newFilter(s scope) filter {
	f := filter{path: strings.TrimSuffix(s.path, "/"), globs: newGlobs(s.glob), kinds: s.kind, role: s.role, symbol: s.symbol}
	if f.path == "." {
		f.path = ""
	}
	for _, lang := range s.lang {
		f.langs = append(f.langs, strings.ToLower(lang))
	}
	return f
}

// file reports whether chunks of the file may be admitted.
func (f *filter) file(r *record) bool {
	return within(r.path, f.path) && (len(f.langs) == 0 || slices.Contains(f.langs, r.lang)) && f.globs.admit(r.path)
}

// piece reports whether role and kind admit a chunk of an admitted file.
func (f *filter) piece(r *record, p *piece) bool {
	if f.role != "" && r.roleOf(p) != f.role {
		return false
	}
	if len(f.kinds) == 0 || p.symbol < 0 {
		return len(f.kinds) == 0
	}
	if f.kind(&r.symbols[p.symbol]) {
		return true
	}
	for _, s := range r.begun(p) {
		if f.kind(s) {
			return true
		}
	}
	return false
}

func (f *filter) kind(s *symbol) bool {
	return len(f.kinds) == 0 || slices.Contains(f.kinds, string(s.kind()))
}

// chunks returns which chunk ids are admitted, nil for all. Every chunk is
// looked at once, here, and not again by each store that asks: half a
// millisecond for 100,000 of them, and thirty for a million, whose files are
// spread over the memory. Agents ask with the same filter again, so the table
// remembers the last ones until a file changes.
func (f *filter) chunks(t *table) func(uint32) bool {
	if f.path == "" && len(f.globs) == 0 && len(f.langs) == 0 && len(f.kinds) == 0 && f.role == "" && f.symbol == "" {
		return nil
	}
	key := fmt.Sprintf("%#v", *f)
	admitted := t.filters.get(key)
	if admitted == nil {
		admitted = f.look(t)
		t.filters.put(key, admitted)
	}
	return admitted.has
}

// look returns the chunks that are admitted.
func (f *filter) look(t *table) bitmap {
	admitted := make(bitmap, (len(t.chunks)+63)/64)
	admit := func(r *record, p *piece) {
		if f.piece(r, p) {
			admitted[p.id/64] |= 1 << (p.id % 64)
		}
	}
	if f.symbol != "" {
		for _, d := range t.define(f.symbol) {
			if n := d.record.pieceOf(&d.record.symbols[d.symbol]); n >= 0 && f.file(d.record) {
				admit(d.record, &d.record.pieces[n])
			}
		}
		return admitted
	}
	for _, r := range t.below(f.path) {
		if !f.file(r) {
			continue
		}
		for i := range r.pieces {
			admit(r, &r.pieces[i])
		}
	}
	return admitted
}

// A bitmap is a set of chunk ids.
type bitmap []uint64

func (b bitmap) has(id uint32) bool { return b[id/64]&(1<<(id%64)) != 0 }

// maxFilters is how many bitmaps a table keeps: of a million chunks, 2 MB.
const maxFilters = 16

// filters remembers what the last filters admitted, until forget. It is safe for
// concurrent use.
type filters struct {
	mu   sync.Mutex
	kept map[string]bitmap
	keys []string // those of kept, the oldest first
}

func (l *filters) get(key string) bitmap {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept[key]
}

func (l *filters) put(key string, b bitmap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = map[string]bitmap{}
	}
	if _, ok := l.kept[key]; ok {
		return // somebody else has looked at the same time
	}
	if len(l.keys) == maxFilters {
		delete(l.kept, l.keys[0])
		l.keys = l.keys[1:]
	}
	l.kept[key] = b
	l.keys = append(l.keys, key)
}

// forget is called by whoever changes the files.
func (l *filters) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept, l.keys = nil, nil
}
