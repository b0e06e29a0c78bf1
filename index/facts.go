package index

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/summary/code"
)

// members are what belongs to the types of a file, by the types' qualified names.
type members map[string][]*symbol

// members gathers them. Those that are written elsewhere, as methods of Go may be, are
// found by the folder's other files; see gather.
func (r *record) members() members {
	m := members{}
	m.gather(r)
	return m
}

// gather adds the symbols of a file that are in others.
func (m members) gather(r *record) {
	for i := range r.symbols {
		if s := &r.symbols[i]; s.parent != "" {
			m[s.parent] = append(m[s.parent], s)
		}
	}
}

// factsOf returns what is known of a symbol from its file. bases are those of the types
// of the file, by line; calls are what it calls in the project, where that is known.
func (r *record) factsOf(i int32, m members, bases map[int][]string, calls []string) code.Facts {
	s := &r.symbols[i]
	f := code.Facts{
		Name: s.name, Owner: s.parent, Kind: string(s.kind()), Lang: r.lang, Signature: r.signatureOf(s), Doc: r.docOf(s),
		Calls: calls, Test: r.traits.Test,
	}
	switch s.kind() {
	case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type, syntax.Module, syntax.Namespace:
		f.Text = string(r.text.slice(int(s.start), min(int(s.end), int(s.start)+2*maxSignature)))
		f.Bases = bases[int(s.nameLine)]
		f.Fields, f.Methods = m.of(s)
	default:
		text := r.withoutDocs(i)
		if at, ok := lineAt(text, int(s.nameLine-s.line)); ok {
			text = text[at:] // without decorators
		}
		f.Text = string(text)
	}
	return f
}

// withoutDocs returns the text of a symbol without the doc comments and docstrings in it,
// its own and those of what is in it: they do not say what its code does.
func (r *record) withoutDocs(i int32) []byte {
	s := &r.symbols[i]
	text := r.text.slice(int(s.start), min(int(s.end), int(s.start)+maxBody))
	out := text[:0]
	at := s.start
	for n := int(i); n < len(r.symbols) && r.symbols[n].start < s.start+uint32(len(text)); n++ {
		from, to := r.symbols[n].docAt, min(r.symbols[n].docTo, s.start+uint32(len(text)))
		if from >= at && to > from {
			out = append(out, text[at-s.start:from-s.start]...)
			at = to
		}
	}
	return append(out, text[at-s.start:]...)
}

// maxBody is how much of a symbol's text counts for its line, in bytes.
const maxBody = 6 << 10

// of returns the names of what a type holds, and of what can be done with it: what is
// exported first, then what is longer.
func (m members) of(s *symbol) (fields, methods []string) {
	var does []*symbol
	for _, in := range m[s.qualified()] {
		switch {
		case in.kind() == syntax.Constructor || in.name == s.name || strings.HasPrefix(in.name, "__") || in.name == "constructor" || in.name == "initialize":
		case runs(in.kind()) || in.kind() == syntax.Class || in.kind() == syntax.Struct || in.kind() == syntax.Module:
			does = append(does, in)
		default:
			if !slices.Contains(fields, in.name) {
				fields = append(fields, in.name)
			}
		}
	}
	slices.SortStableFunc(does, func(a, b *symbol) int {
		return cmp.Or(-compareBool(a.exported, b.exported), cmp.Compare(weightOf(b), weightOf(a)))
	})
	for _, in := range does {
		if !slices.Contains(methods, in.name) {
			methods = append(methods, in.name)
		}
	}
	return fields, methods
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// weightOf is how much a symbol matters by its size: lines, of which the first count
// more than the hundredth.
func weightOf(s *symbol) int { return min(int(s.last-s.line)+1, 40) }

// inherited returns the bases of a file's types, by the line of the type's name.
func (r *record) inherited(file *syntax.File) map[int][]string {
	bases := map[int][]string{}
	for _, ref := range file.Refs {
		if ref.Kind != syntax.Inherit {
			continue
		}
		best := int32(-1)
		for i := range r.symbols {
			s := &r.symbols[i]
			if int(s.line) > ref.Line {
				break
			}
			if !runs(s.kind()) && s.kind() != syntax.Field && int(s.start) <= ref.Offset && ref.Offset < int(s.end) {
				best = int32(i)
			}
		}
		if best >= 0 && !slices.Contains(bases[int(r.symbols[best].nameLine)], ref.Name) && ref.Name != r.symbols[best].name {
			line := int(r.symbols[best].nameLine)
			bases[line] = append(bases[line], strings.TrimSpace(ref.Name))
		}
	}
	return bases
}

// worth reports whether a symbol is worth a line of its own.
func (s *symbol) worth() bool {
	switch s.kind() {
	case syntax.Function, syntax.Method, syntax.Constructor, syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type,
		syntax.Module, syntax.Macro:
		return true
	}
	return false
}

// stem is the name of a file without its extensions.
func stem(name string) string {
	base := path.Base(name)
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}
