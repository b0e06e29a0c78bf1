package references

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxAncestors bounds how many classes above one are looked at.
const maxAncestors = 64

// member says whether a place means the target, which is a member of a class or of another
// type.
func (f *file) member(m *mention.Mention, kind mention.Kind) string {
	if kind == mention.Key {
		if f.places == nil {
			return byName
		}
		switch of, qualifier := f.places.KeyOf(m.Offset); of {
		case f.s.parent:
			if qualifier != "" && f.ir != nil {
				if info := f.importOf(qualifier); info != nil {
					return f.leads(info)
				}
			}
			return f.ofClass()
		case "":
			return byName
		default:
			return ""
		}
	}
	if !m.Member {
		return f.bare(m)
	}
	receiver := mention.Receiver(f.src, m.Offset)
	switch {
	case f.isSelf(receiver):
		return f.inClass(m.Line)
	case receiver == f.s.parent:
		return f.ofClass()
	}
	for _, x := range f.exprs[ir.At(m.Line, m.Column)] {
		e := &f.ir.Exprs[x]
		if e.Op != ir.Attr {
			continue
		}
		switch of, confidence := f.s.nameOf(f.s.typeOf(f, e.A, 0), 0); {
		case of == f.s.parent && confidence == exact:
			return scoped
		case of == f.s.parent && of != "":
			return confidence
		case of != "" && f.s.has(of):
			return "" // another type with a member of the name
		}
	}
	if f.lang == "go" && f.ir != nil && f.importOf(receiver) != nil && len(f.exprs) > 0 && !f.variable(receiver, m.Offset) {
		return "" // of a package
	}
	return byName
}

// variable reports whether a function around a place has a variable of a name.
func (f *file) variable(name string, offset int) bool {
	for i := 1; i < len(f.ir.Vars); i++ {
		if v := &f.ir.Vars[i]; v.Func > 1 && f.ir.String(v.Name) == name {
			if fn := &f.ir.Funcs[v.Func]; int(fn.Start) <= offset && offset < int(fn.End) {
				return true
			}
		}
	}
	return false
}

// ofClass says whether the name of the target's class, as the file has it, means that.
func (f *file) ofClass() string {
	if f.path == f.s.at.Record.Path {
		return scoped
	}
	if c := f.bind(f.s.parent); c == scoped || c == exact {
		return scoped
	}
	return byName
}

// bare says whether a name without a receiver means the target: in the code of its class,
// where the language has it so.
func (f *file) bare(m *mention.Mention) string {
	if m.Offset > 0 && f.src[m.Offset-1] == '@' && f.lang == "ruby" {
		return f.inClass(m.Line)
	}
	if f.local(m) {
		return ""
	}
	switch f.lang {
	case "java", "kotlin", "csharp", "cpp", "scala", "swift", "ruby":
		if c := f.inClass(m.Line); c != byName {
			return c
		}
		if f.ir != nil {
			for i := 1; i < len(f.ir.Imports); i++ {
				if info := &f.ir.Imports[i]; info.Flags&ir.StaticName != 0 {
					if name := f.ir.String(info.Name); (name == m.Name || name == "*") && f.leads(info) == scoped {
						return scoped
					}
				}
			}
		}
		return byName
	case "python": // in the class itself, outside of its functions
		if i := f.innermost(m.Line); i >= 0 && !store.Runs(f.record.Symbols[i].Kind()) && f.path == f.s.at.Record.Path {
			return f.inClass(m.Line)
		}
		return ""
	case "rust":
		if f.ir != nil {
			if info := f.importOf(m.Name); info != nil && strings.HasSuffix(f.ir.String(info.Module), f.s.parent) {
				return scoped
			}
		}
		return ""
	case "go", "javascript", "typescript", "tsx", "vue", "svelte", "php":
		return ""
	}
	return byName
}

// innermost returns the innermost symbol around a line, -1 for none.
func (f *file) innermost(line int) int32 {
	if f.record == nil {
		return -1
	}
	in := store.Enclosing{Record: f.record}
	return in.Line(line)
}

// inClass says whether the instance that code on a line belongs to has the target.
func (f *file) inClass(line int) string {
	for i := f.innermost(line); i >= 0; i = f.record.Around(i) {
		t := &f.record.Symbols[i]
		name := lastPart(t.Parent)
		if store.Runs(t.Kind()) && name == f.s.parent {
			return f.ofClass()
		}
		if !types[string(t.Kind())] {
			continue
		}
		if t.Name == f.s.parent {
			return f.ofClass()
		}
		if f.s.has(t.Name) {
			return ""
		}
		for _, id := range f.s.G.Named(f.path, t.Name, int(t.NameLine)) {
			if f.s.class != 0 && f.descends(id) {
				return scoped
			}
		}
		return byName
	}
	return byName
}

// inModule says whether self, on a line of Ruby, is the module that the target is in, or may be.
func (f *file) inModule(line int) string {
	for i := f.innermost(line); i >= 0; i = f.record.Around(i) {
		switch t := &f.record.Symbols[i]; {
		case store.Runs(t.Kind()):
		case t.Qualified() == f.s.at.Sym().Parent:
			return scoped
		case f.s.has(t.Name):
			return ""
		case types[string(t.Kind())] || t.Kind() == syntax.Module:
			return byName
		}
	}
	return ""
}

// classAt returns the name of the class or the type that code on a line is a member of.
func (f *file) classAt(line int) string {
	for i := f.innermost(line); i >= 0; i = f.record.Around(i) {
		switch t := &f.record.Symbols[i]; {
		case types[string(t.Kind())]:
			return t.Name
		case store.Runs(t.Kind()) && t.Parent != "" && f.record.Around(i) < 0:
			return lastPart(t.Parent) // a method that is written outside of its type
		}
	}
	return ""
}

// types are the kinds of symbols that have members.
var types = map[string]bool{"class": true, "struct": true, "interface": true, "trait": true, "enum": true, "type": true}

// descends reports whether a class inherits from the target's.
func (f *file) descends(id graph.ID) bool {
	seen := map[graph.ID]bool{id: true}
	next := []graph.ID{id}
	for len(next) > 0 && len(seen) < maxAncestors {
		id, next = next[0], next[1:]
		if id == f.s.class {
			return true
		}
		f.s.G.Out(id, func(e graph.Edge) bool {
			if (e.Kind == graph.Inherits || e.Kind == graph.Implements) && !seen[e.To] {
				seen[e.To] = true
				next = append(next, e.To)
			}
			return true
		})
	}
	return false
}

// text says whether a string, or a word of a configuration file, names the target: as a whole,
// or at the end of a path with what the target is in.
func (f *file) text(m *mention.Mention) string {
	start, end := m.Offset, m.Offset+len(m.Name)
	for start > 0 && inPath(f.src[start-1]) {
		start--
	}
	if end < len(f.src) && inPath(f.src[end]) {
		return ""
	}
	quoted := start > 0 && end < len(f.src) && isQuote(f.src[start-1]) && isQuote(f.src[end])
	if !quoted && !f.traits.Config && !(f.lang == "ruby" && start < m.Offset) {
		return "" // one word of many
	}
	before := strings.TrimRight(string(f.src[start:m.Offset]), ".:/#")
	if before != "" && len(before) < m.Offset-start {
		last := before[strings.LastIndexAny(before, ".:/#")+1:]
		if home := f.s.at.Record.Path; last == f.s.parent && last != "" || last == stem(home) || last == lastDir(home) {
			return byName
		}
		return ""
	}
	if f.traits.Config || before != "" {
		return ""
	}
	switch store.CrossFamily(f.lang) {
	case "python", "javascript", "php":
		return byName
	}
	if f.lang == "ruby" || f.lang == "lua" {
		return byName
	}
	return ""
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// inPath reports whether a byte is of a path of names.
func inPath(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c == ':' || c == '/' || c == '#' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

func lastDir(p string) string {
	parts := strings.Split(p, "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2]
}
