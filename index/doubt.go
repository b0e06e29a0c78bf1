package index

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// doubts notes why callers of some nodes may not be known that the graph has no open call
// for. at is what was asked for, or nil.
func (w *walk) doubts(ctx context.Context, at *target, ids []graph.ID, l *gaps) {
	if at != nil && at.symbol >= 0 {
		r := at.record
		src := r.text.all()
		for _, i := range r.group(at.symbol) {
			if name := r.decorated(src, i); name != "" {
				l.because("%s is decorated by %s, which may have it called", r.symbols[i].qualified(), name)
				break
			}
		}
		if n := r.overloads(at.symbol); n > 1 {
			l.because("%s is one of %d overloads, and a call may be taken for one of another", nameOf(at), n)
		}
	}
	w.witness(ctx, at, ids, l)
}

// function returns the symbol of a target that is a function, or nil.
func (t *target) function() *symbol {
	if t == nil || t.symbol < 0 || !runs(t.sym().kind()) {
		return nil
	}
	return t.sym()
}

// same returns the functions of a file with the name and the container of one, itself
// included.
func (r *record) same(i int32) (all []int32) {
	s := &r.symbols[i]
	if !runs(s.kind()) {
		return []int32{i}
	}
	for j := range r.symbols {
		if t := &r.symbols[j]; t.name == s.name && t.parent == s.parent && runs(t.kind()) {
			all = append(all, int32(j))
		}
	}
	return all
}

// group returns the symbols that are the same function as one: its overload signatures and
// its implementation, where a language writes them apart.
func (r *record) group(i int32) []int32 {
	if !oneFunction(r.lang) {
		return []int32{i}
	}
	return r.same(i)
}

// overloads counts the functions that calls of a symbol can be taken for.
func (r *record) overloads(i int32) int {
	switch r.lang {
	case "java", "kotlin", "csharp", "cpp", "scala", "swift":
		return len(r.same(i))
	}
	return 1
}

// decorator finds the names of decorators and annotations at the beginning of lines.
var decorator = regexp.MustCompile(`(?m)^[ \t]*(?:@|#?\[)([\pL_][\pL\pN_.]*)`)

// decorated returns the name of a decorator or an annotation of a symbol that may have it
// called, or put something else in its place; "" for none. src is the record's text.
func (r *record) decorated(src []byte, i int32) string {
	switch r.lang {
	case "python", "java", "kotlin", "typescript", "tsx", "javascript", "vue", "svelte", "csharp", "php", "scala":
	default:
		return ""
	}
	s := &r.symbols[i]
	from := bytes.LastIndexByte(src[:s.start], '\n') + 1
	to := from
	for n := s.line; n < s.nameLine; n++ {
		end := bytes.IndexByte(src[to:], '\n')
		if end < 0 {
			break
		}
		to += end + 1
	}
	if end := bytes.IndexByte(src[to:], '\n'); end >= 0 {
		to += end
	} else {
		to = len(src)
	}
	for from > 0 { // those that the symbol does not count as its own
		up := bytes.LastIndexByte(src[:from-1], '\n') + 1
		if line := bytes.TrimSpace(src[up : from-1]); !bytes.HasPrefix(line, []byte("@")) {
			break
		}
		from = up
	}
	for _, m := range decorator.FindAllSubmatch(src[from:to], -1) {
		if name := string(m[1]); !harmless[name[strings.LastIndexByte(name, '.')+1:]] {
			return name
		}
	}
	return ""
}

// harmless are decorators and annotations that neither have what they are written at
// called nor put something else in its place.
var harmless = map[string]bool{
	// Python
	"staticmethod": true, "classmethod": true, "abstractmethod": true, "overload": true, "override": true, "final": true,
	"wraps": true, "cache": true, "lru_cache": true, "contextmanager": true, "asynccontextmanager": true, "deprecated": true,
	"property": true, "setter": true, "getter": true, "deleter": true, "runtime_checkable": true, "dataclass": true, "total_ordering": true, "no_type_check": true,
	// Java and Kotlin
	"Override": true, "Deprecated": true, "SuppressWarnings": true, "SafeVarargs": true, "FunctionalInterface": true,
	"Nullable": true, "NonNull": true, "Nonnull": true, "NotNull": true, "VisibleForTesting": true, "CheckReturnValue": true,
	"CanIgnoreReturnValue": true, "JvmStatic": true, "JvmOverloads": true, "JvmField": true, "Suppress": true, "Throws": true,
	"interface": true,
	// C# and PHP
	"Obsolete": true, "MethodImpl": true, "Pure": true, "NotNullWhen": true, "ReturnTypeWillChange": true, "Serializable": true,
	"Flags": true, "DebuggerStepThrough": true, "ExcludeFromCodeCoverage": true, "EditorBrowsable": true,
}

// relatives adds to the nodes of a symbol those of its other signatures and, in C and C++,
// of its declarations and its definition in other files.
func (w *walk) relatives(at *target, add func(graph.ID)) {
	r := at.record
	if group := r.group(at.symbol); len(group) > 1 {
		named := w.g.NamedIn(r.path) // a file may have thousands
		for _, i := range group {
			if s := &r.symbols[i]; i != at.symbol {
				for _, id := range named[graph.Spot{Name: s.name, Line: int(s.nameLine)}] {
					add(id)
				}
			}
		}
	}
	s := at.sym()
	if r.lang != "c" && r.lang != "cpp" || !runs(s.kind()) || r.overloads(at.symbol) > 1 {
		return
	}
	own := w.g.Named(r.path, s.name, int(s.nameLine))
	if !slices.ContainsFunc(own, func(id graph.ID) bool { return w.node(id).Flags&ir.Prototype != 0 }) {
		own = nil
	}
	for _, d := range w.index.definitions(s.name) {
		t := &d.record.symbols[d.symbol]
		if d.record == r || t.parent != s.parent || !runs(t.kind()) || !graph.SameFamily(d.record.lang, r.lang) {
			continue
		}
		for _, id := range w.g.Named(d.record.path, t.name, int(t.nameLine)) {
			flags := w.node(id).Flags
			if flags&ir.Prototype != 0 || len(own) > 0 && flags&ir.Private == 0 {
				add(id)
			}
		}
	}
}
