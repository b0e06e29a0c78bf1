package brief

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/summary/code"
)

// members are what belongs to the types of a file, by the types' qualified names.
type members map[string][]*store.Symbol

// membersIn gathers them. Those that are written elsewhere, as methods of Go may be, are
// found by the folder's other files; see gather.
func membersIn(r *store.Record) members {
	m := members{}
	m.gather(r)
	return m
}

// gather adds the symbols of a file that are in others.
func (m members) gather(r *store.Record) {
	for i := range r.Symbols {
		if s := &r.Symbols[i]; s.Parent != "" {
			m[s.Parent] = append(m[s.Parent], s)
		}
	}
}

// factsOf returns what is known of a symbol from its file. bases are those of the types
// of the file, by line; calls are what it calls in the project, where that is known.
func factsOf(r *store.Record, i int32, m members, bases map[int][]string, calls []string) code.Facts {
	s := &r.Symbols[i]
	f := code.Facts{
		Name: s.Name, Owner: s.Parent, Kind: string(s.Kind()), Lang: r.Lang, Signature: r.SignatureOf(s), Doc: docOf(r, i),
		Calls: calls, Test: r.Traits.Test,
	}
	switch s.Kind() {
	case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type, syntax.Module, syntax.Namespace:
		f.Text = string(r.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+2*store.MaxSignature)))
		f.Bases = bases[int(s.NameLine)]
		f.Fields, f.Methods = m.of(s)
		f.Fields = slices.DeleteFunc(f.Fields, func(name string) bool { return slices.Contains(f.Bases, name) }) // as a field of Go that is embedded
	default:
		text := withoutDocs(r, i)
		if at, ok := source.LineAt(text, int(s.NameLine-s.Line)); ok {
			text = text[at:] // without decorators
		}
		f.Text = string(text)
	}
	return f
}

// docOf returns the doc comment of a symbol that says something, or else that of a
// neighbour of the same name: of several signatures often one has it.
func docOf(r *store.Record, i int32) string {
	s := &r.Symbols[i]
	doc := r.DocOf(s)
	if code.Sentence(doc, s.Name) != "" {
		return doc
	}
	for _, n := range []int32{i - 1, i - 2, i + 1} {
		if n < 0 || int(n) >= len(r.Symbols) {
			continue
		}
		if o := &r.Symbols[n]; o.Name == s.Name && o.Parent == s.Parent && o.Kind() == s.Kind() {
			if other := r.DocOf(o); code.Sentence(other, o.Name) != "" {
				return other
			}
		}
	}
	return doc
}

// withoutDocs returns the text of a symbol without the doc comments and docstrings in it,
// its own and those of what is in it: they do not say what its code does.
func withoutDocs(r *store.Record, i int32) []byte {
	s := &r.Symbols[i]
	text := r.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+maxBody))
	out := text[:0]
	at := s.Start
	for n := int(i); n < len(r.Symbols) && r.Symbols[n].Start < s.Start+uint32(len(text)); n++ {
		from, to := r.Symbols[n].DocAt, min(r.Symbols[n].DocTo, s.Start+uint32(len(text)))
		if from >= at && to > from {
			out = append(out, text[at-s.Start:from-s.Start]...)
			at = to
		}
	}
	return append(out, text[at-s.Start:]...)
}

// maxBody is how much of a symbol's text counts for its line, in bytes.
const maxBody = 6 << 10

// usual are the methods that many types have: they say nothing of one.
var usual = map[string]bool{
	"constructor": true, "initialize": true, "Equals": true, "GetHashCode": true, "ToString": true, "equals": true, "hashCode": true,
	"toString": true, "inspect": true, "fmt": true,
}

// of returns the names of what a type holds, and of what can be done with it: what is
// exported first, then what is longer.
func (m members) of(s *store.Symbol) (fields, methods []string) {
	var does []*store.Symbol
	for _, in := range m[s.Qualified()] {
		switch {
		case in.Kind() == syntax.Constructor || in.Name == s.Name || strings.HasPrefix(in.Name, "__") || usual[in.Name] || !unicode.IsLetter([]rune(in.Name + "_")[0]) && in.Name[0] != '_' && in.Name[0] != '#':
		case store.Runs(in.Kind()) || in.Kind() == syntax.Class || in.Kind() == syntax.Struct || in.Kind() == syntax.Module:
			does = append(does, in)
		default:
			if !slices.Contains(fields, in.Name) {
				fields = append(fields, in.Name)
			}
		}
	}
	slices.SortStableFunc(does, func(a, b *store.Symbol) int {
		return cmp.Or(-compareBool(a.Exported, b.Exported), cmp.Compare(weightOf(b), weightOf(a)))
	})
	for _, in := range does {
		if !slices.Contains(methods, in.Name) {
			methods = append(methods, in.Name)
		}
	}
	return fields, methods
}

// span is how many lines of a file a symbol and its members have.
func (m members) span(s *store.Symbol) int {
	n := int(s.Last - s.Line)
	for _, in := range m[s.Qualified()] {
		if in.Start < s.Start || in.Start >= s.End {
			n += int(in.Last-in.Line) + 1
		}
	}
	return n
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
func weightOf(s *store.Symbol) int { return min(int(s.Last-s.Line)+1, 40) }

// inherited returns the bases of a file's types, by the line of the type's name.
func inherited(r *store.Record, file *syntax.File) map[int][]string {
	bases := map[int][]string{}
	for _, ref := range file.Refs {
		if ref.Kind != syntax.Inherit {
			continue
		}
		best := int32(-1)
		for i := range r.Symbols {
			s := &r.Symbols[i]
			if int(s.Line) > ref.Line {
				break
			}
			if !store.Runs(s.Kind()) && s.Kind() != syntax.Field && int(s.Start) <= ref.Offset && ref.Offset < int(s.End) {
				best = int32(i)
			}
		}
		if best >= 0 && !slices.Contains(bases[int(r.Symbols[best].NameLine)], ref.Name) && ref.Name != r.Symbols[best].Name {
			line := int(r.Symbols[best].NameLine)
			bases[line] = append(bases[line], strings.TrimSpace(ref.Name))
		}
	}
	return bases
}

// worth reports whether a symbol is worth a line of its own.
func worth(s *store.Symbol) bool {
	switch s.Kind() {
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
