package calls

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

const maxHead = 2000 // bytes of a class or a method before its body

// calledBack returns what is outside of the index and may call a method: an interface that
// its class implements, a class that it inherits from, or what all objects are passed to.
// It is "" for a function that only code which names it can call.
func (w *Walk) calledBack(n *graph.Node, r *store.Record, i int32) string {
	s := &r.Symbols[i]
	up := r.Around(i)
	head := protocol.Head(string(headOf(r, s.Start, s.End)))
	if n.Flags&ir.Constructor != 0 || store.MakesInstances(r.Lang, s.Name) || s.Kind() == syntax.Constructor {
		if up >= 0 && r.Lang == "python" && slices.ContainsFunc(protocol.Bases(r.Lang, r.Symbols[up].Name, headOf(r, r.Symbols[up].Start, r.Symbols[up].End)), makesClasses) {
			return "the definition of a class"
		}
		return cmp.Or(w.madeUnnamed(n, r, head), w.madeByName(n))
	}
	if !store.Runs(s.Kind()) && s.Kind() != syntax.Macro && n.Flags&(ir.Getter|ir.Setter) == 0 {
		return ""
	}
	if by := protocol.Member(r.Lang, s.Name); by != "" && (s.Parent != "" || protocol.Anywhere(r.Lang)) {
		return by
	}
	if by := cmp.Or(w.handedOn(n, r), w.computed(n)); by != "" {
		return by
	}
	if by := protocol.Converts(r.Lang, head); by != "" {
		return by
	}
	if s.Parent == "" {
		if in := w.givenOn(n, r); in != "" {
			return "what its module is handed to in " + in
		}
		return ""
	}
	switch {
	case r.Lang == "go":
		if by := protocol.GoInterface(s.Name, string(headOf(r, s.Start, s.End))); by != "" {
			return by + outsideIndex
		}
		return w.handedOut(n, r, s)
	case r.Lang == "rust":
		return w.outsideTrait(r, s)
	case r.Lang == "elixir":
		return w.outsideBehaviour(r, s)
	case r.Lang == "swift":
		for _, b := range protocol.Extension(r.Text.Slice(0, int(s.Start)), s.Parent) {
			if !protocol.Harmless(r.Lang, b.Name) && len(w.Types(b.Name, r.Lang)) == 0 {
				return b.Name + outsideIndex
			}
		}
	case up >= 0 && protocol.Component(r.Lang, string(headOf(r, r.Symbols[up].Start, r.Symbols[up].End)), s.Name):
		return "a pattern"
	}
	switch {
	case up < 0 || store.Runs(r.Symbols[up].Kind()) || !protocol.Watched(r.Lang) || protocol.Hidden(r.Lang, s.Name, head):
		return ""
	}
	if by := cmp.Or(w.outsideBase(r, up, s.Name, head), w.besideOutside(n, s.Name, head)); by != "" {
		return by + outsideIndex
	}
	return w.handedOut(n, r, s)
}

// besideOutside returns an interface outside of the index that a class below that of a method of Java has, which
// the method may implement there, or "".
func (w *Walk) besideOutside(n *graph.Node, name, head string) string {
	if n.Language != "java" || n.Outer == 0 {
		return ""
	}
	for class := range w.Below([]graph.ID{n.Outer}, maxBelow, true) {
		c := w.Node(class)
		if r := w.index.Record(c.Path); class != n.Outer && r != nil && c.Language == "java" {
			i := slices.IndexFunc(r.Symbols, func(s store.Symbol) bool { return int(s.NameLine) == c.Pos.Line() && s.Name == PlainName(c) })
			if i >= 0 {
				if by := w.outsideBase(r, int32(i), name, head); by != "" {
					return by
				}
			}
		}
	}
	return ""
}

// makesClasses reports whether classes below a base of Python are metaclasses, by its name.
func makesClasses(b protocol.Base) bool { return b.Name == "type" || strings.HasSuffix(b.Name, "Meta") }

// handedOn returns what may call a function that is a member of an object literal in
// JavaScript's languages, because it is handed that; "" for nothing.
func (w *Walk) handedOn(n *graph.Node, r *store.Record) string {
	if store.CrossFamily(r.Lang) != "javascript" || !strings.Contains(n.Name, ".") || n.Outer != 0 && w.Node(n.Outer).Kind == graph.ClassNode {
		return ""
	}
	src := r.Text.All()
	p := w.index.Parsers.Get()
	defer w.index.Parsers.Put(p)
	tree := p.Tree(r.Lang, src)
	at := store.Offset(src, n.Pos)
	if tree == nil || at < 0 {
		return ""
	}
	exported, variable, callee := mention.HandedOn(tree, at)
	switch {
	case exported:
		return "what loads its module"
	case variable != "" && mention.Passed(src, variable):
		return "what " + variable + " is handed to"
	case callee >= 0:
		line, known := bytes.Count(src[:callee], []byte{'\n'})+1, false
		w.G.CallsIn(r.Path, func(e graph.Edge) bool {
			known = known || e.Kind == graph.Calls && e.Pos.Line() == line
			return !known
		}, func(graph.Site) bool { return true })
		if !known {
			return "what its object is handed to"
		}
	}
	return ""
}

// namespaces finds what imports a module of JavaScript's languages as a whole, under a name.
var namespaces = regexp.MustCompile(`import\s+(?:\w+\s*,\s*)?\*\s*as\s+([\w$]+)\s+from\s+["']([^"'\n]*)["']`)

// givenOn returns a file that has a module as an object and does more with it than to take its members by
// their names, so that these may be members of other objects, too; "" for none.
func (w *Walk) givenOn(n *graph.Node, r *store.Record) (in string) {
	if store.CrossFamily(r.Lang) != "javascript" || n.Outer != 0 && w.Node(n.Outer).Kind != graph.FileNode {
		return ""
	}
	stem := func(file string) string { return path.Base(strings.TrimSuffix(file, path.Ext(file))) }
	own := stem(r.Path)
	if own == "index" {
		own = path.Base(path.Dir(r.Path))
	}
	w.G.In(w.G.File(r.Path), func(e graph.Edge) bool {
		from := w.index.Record(w.Node(e.From).Path)
		if e.Kind != graph.Imports || from == nil {
			return true
		}
		src := from.Text.All()
		for _, m := range namespaces.FindAllSubmatchIndex(src, -1) {
			name, module := string(src[m[2]:m[3]]), string(src[m[4]:m[5]])
			if last := stem(module); last != own && path.Base(module) != own && strings.Trim(module, "./") != "" && last != "index" {
				continue // surely another
			}
			mention.Of([]string{name}).Each(src, func(a mention.Mention) bool {
				if a.Offset >= m[0] && a.Offset < m[1] || a.Member || mention.InComment(from.Lang, src, a.Offset) {
					return true
				}
				rest := bytes.TrimLeft(src[a.Offset+len(name):], " \t\r\n?")
				if bytes.HasPrefix(rest, []byte(".")) || bytes.HasPrefix(rest, []byte("[")) || bytes.HasSuffix(bytes.TrimRight(src[:a.Offset], " \t"), []byte("typeof")) {
					return true
				}
				in = from.Path
				return false
			})
		}
		return in == ""
	})
	return in
}

// handedOut returns what may call a method because it is handed an instance of its class, or
// of one below that, in languages where any class may be one that is asked for the method; ""
// for nothing.
func (w *Walk) handedOut(n *graph.Node, r *store.Record, s *store.Symbol) (by string) {
	var types []graph.ID
	switch store.CrossFamily(r.Lang) {
	case "go":
		if first, _ := utf8.DecodeRuneInString(s.Name); !unicode.IsUpper(first) {
			return ""
		}
		types = w.receivers(s.Parent, r)
	case "python", "javascript", "php", "":
		if n.Outer == 0 || w.Node(n.Outer).Kind != graph.ClassNode || store.CrossFamily(r.Lang) == "" && r.Lang != "ruby" && r.Lang != "cpp" {
			return ""
		}
		types = append(types, n.Outer)
	}
	for class := range w.Below(types, maxBelow, false) {
		w.G.In(class, func(e graph.Edge) bool {
			if e.Hands() {
				by = "what it is handed to in " + w.Node(e.From).Path
			}
			return by == ""
		})
		if by != "" {
			break
		}
	}
	return by
}

// receivers returns the nodes of a type of Go that has methods in a file, which may be written in
// another file of its package.
func (w *Walk) receivers(name string, r *store.Record) (types []graph.ID) {
	for _, d := range w.Types(name, r.Lang) {
		if path.Dir(d.Record.Path) == path.Dir(r.Path) {
			types = append(types, w.G.Named(d.Record.Path, name, int(d.Record.Symbols[d.Symbol].NameLine))...)
		}
	}
	return types
}

// ClassesOf returns the class that a function is a method of, wherever it is written; several where
// a package of Go has one name more than once, in files for different platforms.
func (w *Walk) ClassesOf(id graph.ID) []graph.ID {
	n := w.Node(id)
	if n.Outer != 0 && w.Node(n.Outer).Kind == graph.ClassNode {
		return []graph.ID{n.Outer}
	}
	class, _, method := LastPart(n.Name)
	if r := w.index.Record(n.Path); method && n.Language == "go" && r != nil {
		return w.receivers(class, r)
	}
	return nil
}

// maxBelow bounds how many classes below one are looked at.
const maxBelow = 64

// madeUnnamed returns what may run a constructor without a call that names its class: "" for
// nothing.
func (w *Walk) madeUnnamed(n *graph.Node, r *store.Record, head string) string {
	if by := protocol.Makes(r.Lang, head); by != "" {
		return by
	}
	class, below := n.Outer, false
	if class == 0 || w.Node(class).Kind != graph.ClassNode {
		if r.Lang == "python" {
			return "a class that it is put into"
		}
		return ""
	}
	w.G.In(class, func(e graph.Edge) bool {
		below = e.Kind == graph.Inherits
		return !below
	})
	if below && protocol.MakesBase(r.Lang, head) {
		return "constructors of classes below it"
	}
	return ""
}

// outsideIndex is said of what calls a method back.
const outsideIndex = ", which is not in the index"

// headOf is the text of a symbol as far as it can be its head.
func headOf(r *store.Record, start, end uint32) []byte {
	return r.Text.Slice(int(start), min(int(end), int(start)+maxHead))
}

// outsideBase returns a class or an interface outside of the index above a class that may call
// a method with a name and a head, or "". A name is looked up once, however many classes have it: 500 of
// class Meta(Base.Meta) are above each other.
func (w *Walk) outsideBase(r *store.Record, class int32, name, head string) string {
	inside := map[string]bool{} // by the names that were looked up
	level := []store.SymbolRef{{Record: r, Symbol: uint32(class)}}
	for len(level) > 0 {
		var above []store.SymbolRef
		for _, c := range level {
			s := &c.Record.Symbols[c.Symbol]
			for _, b := range protocol.Bases(r.Lang, s.Name, headOf(c.Record, s.Start, s.End)) {
				if protocol.Harmless(r.Lang, b.Name) {
					continue
				}
				known, asked := inside[b.Name]
				if !asked {
					defined := w.Types(b.Name, r.Lang)
					known = len(defined) > 0
					inside[b.Name] = known
					above = append(above, defined...)
				}
				if !known && protocol.MayOverride(r.Lang, head, b) && protocol.Knows(r.Lang, b.Name, name, c.Record.Text.All()) {
					return b.Name
				}
			}
		}
		level = above
	}
	return ""
}

// Types returns the definitions of a name that are no functions, in languages that see those
// of one.
func (w *Walk) Types(name, language string) []store.SymbolRef {
	return slices.DeleteFunc(w.index.Definitions(name), func(d store.SymbolRef) bool {
		return !graph.SameFamily(d.Record.Lang, language) || store.Runs(d.Record.Symbols[d.Symbol].Kind())
	})
}

// outsideTrait returns the trait outside of the index that a method of Rust is written for, or
// "".
func (w *Walk) outsideTrait(r *store.Record, s *store.Symbol) string {
	name := protocol.Trait(r.Text.Slice(0, int(s.Start)))
	if name == "" || slices.ContainsFunc(w.Types(name, r.Lang), func(d store.SymbolRef) bool { return d.Record.Symbols[d.Symbol].Kind() == syntax.Trait }) {
		return ""
	}
	return name + outsideIndex
}

// outsideBehaviour returns what may call a function of Elixir as that of a protocol or of a
// behaviour outside of the index, or "".
func (w *Walk) outsideBehaviour(r *store.Record, s *store.Symbol) string {
	by, behaviours := protocol.Behaviours(r.Text.All(), int(s.Start), s.Name)
	if by != "" {
		return by
	}
	for _, name := range behaviours {
		if len(w.index.Definitions(name)) == 0 {
			return name + outsideIndex
		}
	}
	return ""
}
