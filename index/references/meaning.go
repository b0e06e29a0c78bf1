package references

import (
	"bytes"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/references/typing"
)

// meaning says how sure it is that a place means the target; "" where it is known to mean
// something else.
func (f *file) meaning(m *mention.Mention, kind mention.Kind) string {
	f.possible, f.settled, f.way = false, false, false
	switch {
	case kind == mention.String || f.traits.Config:
		if confidence, _ := f.bySCIP(m); confidence == exact {
			return exact // a type that is written in quotes
		}
		return f.text(m)
	case !store.SameCode(f.Lang, f.s.lang):
		return ""
	}
	if confidence, known := f.bySCIP(m); known {
		return confidence
	}
	if confidence, known := f.byGraph(m); known {
		return confidence
	}
	switch {
	case kind == mention.Import:
		return f.imported(m)
	case f.s.makes && kind != mention.Call:
		return ""
	case f.s.parent != "":
		return f.member(m, kind)
	case m.Member:
		return f.qualified(m)
	case kind == mention.Key:
		return ""
	case f.s.inner.end > 0:
		if f.Path == f.s.at.Record.Path && f.s.inner.start <= m.Offset && m.Offset < f.s.inner.end {
			return exact
		}
		return ""
	case f.local(m) && !f.loadedAround(m):
		return ""
	}
	return f.bind(m.Name)
}

// byGraph says what the call graph knows of a place. known is false where it has nothing.
func (f *file) byGraph(m *mention.Mention) (confidence string, known bool) {
	s, pos := f.s, ir.At(m.Line, m.Column)
	best, other, kin, written, through := graph.ByName, false, false, false, false
	for _, e := range f.edges[pos] {
		n := s.Node(e.To)
		if e.Kind == graph.References && e.Rule == graph.ByHierarchy {
			written = written || s.seeds[e.To] || s.class != 0 && s.Above(n.Outer, s.class)
			through = through || calls.PlainName(n) == s.name && n.Outer != 0 && calls.PlainName(s.Node(n.Outer)) != ""
		}
		switch {
		case s.seeds[e.To], n.Kind == graph.ClassNode && n.Outer != 0 && s.seeds[n.Outer] && calls.PlainName(n) == s.name: // the last is a nameless part of a type
			best = min(best, e.Confidence)
		case s.kin[e.To], s.lang == "rust" && n.Name == s.qualified && n.Kind == graph.FuncNode && s.parent != "":
			kin = true // of Rust also one of another trait for the same type
		case s.holds && n.Kind == graph.FuncNode && (s.parent == "" || n.Outer == 0 || s.Node(n.Outer).Kind != graph.ClassNode):
			// what a field or a variable holds is another thing than that
		case calls.PlainName(n) == m.Name, calls.ClassName(n) == m.Name && (n.Flags&ir.Constructor != 0 || store.MakesInstances(n.Language, calls.PlainName(n))):
			other = true
		}
	}
	switch {
	case best < graph.ByName && through && !written && f.Lang == "go":
		return byName, true // it names the method of an interface, which only types that embed that of the target implement
	case best < graph.ByName && f.outside(m):
		return byName, true
	case best < graph.ByName:
		f.possible = best == graph.Possible && !f.variants(m)
		return best.String(), true
	case kin:
		return byName, true
	case f.implemented(m):
		f.way = true
		return byName, true
	case other && s.parent != "" && f.shorthand(m):
		return byName, true // the value is something else, and the key may be the target
	case other:
		return "", true
	}
	for _, site := range f.sites[pos] {
		switch name := typing.LastPart(site.Name); {
		case name != m.Name:
		case site.Reason == graph.External && s.common.modules().Own(store.CrossFamily(f.Lang), site.Name):
		case site.Reason == graph.External && s.mixin && protocol.OfExampleGroup(site.Name):
			return byName, true
		case site.Reason == graph.External && s.holds && !m.Member: // a variable may hold what is called
		case site.Reason == graph.External && s.global != "" && (!m.Member || ofGlobalObject(f.src, m)):
		case site.Reason == graph.External && s.parent != "" && s.mayLead()(f.src, m, site.Name):
			return byName, true
		case site.Reason == graph.External:
			return "", true
		case s.parent != "" && m.Member:
			return byName, true
		}
	}
	return "", false
}

// outside reports whether a place of Go names a method of a type that is not in the index, and runs the
// target only because of the value that is there. In the package of the target it counts for that, as for gopls.
func (f *file) outside(m *mention.Mention) bool {
	return f.Lang == "go" && m.Member && f.s.parent != "" && source.Dir(f.Path) != source.Dir(f.s.at.Record.Path) && outside(f.s.types, f.File, f.exprs[ir.At(m.Line, m.Column)], m.Name)
}

// implemented reports whether a place of Go, in the package of the target, names a method of an interface of the
// library that the type of the target implements.
func (f *file) implemented(m *mention.Mention) bool {
	s, home := f.s, f.s.at.Record
	if f.Lang != "go" || !m.Member || s.parent == "" || f.IR == nil || source.Dir(f.Path) != source.Dir(home.Path) || f.IR.String(f.IR.Package) != s.packageOf() || !store.Runs(s.at.Sym().Kind()) {
		return false
	}
	return slices.ContainsFunc(f.exprs[ir.At(m.Line, m.Column)], func(x ir.Expr) bool {
		e := &f.IR.Exprs[x]
		if e.Op != ir.Attr || f.IR.String(e.Name) != m.Name {
			return false
		}
		of := s.types.OutsideType(f.File, e.A)
		if of == "" && m.Name == "Error" && s.types.Outside(f.File, e.A, m.Name) && bytes.HasPrefix(f.src[m.Offset+len(m.Name):], []byte("()")) {
			of = "error" // that a function of another module has given
		}
		return slices.Contains(graph.GoInterface(of), m.Name) && s.implements(of)
	})
}

// implements reports whether the type of the target implements the interface of Go's library that declares a method
// of its name which one of them has.
func (s *search) implements(name string) bool {
	f := s.types.Lowered(s.at.Record)
	return f != nil && s.types.Implements(s.types.GoTypeAt(s.types.GoNamed(f, "", s.parent), 0), name, s.name)
}

// outside reports whether what a place names, as a file was lowered, is a member of a type that is not in the index.
func outside(r *typing.Reader, f *typing.File, exprs []ir.Expr, name string) bool {
	return slices.ContainsFunc(exprs, func(x ir.Expr) bool {
		e := &f.IR.Exprs[x]
		return e.Op == ir.Attr && f.IR.String(e.Name) == name && r.Outside(f, e.A, name)
	})
}

// variants reports whether all that a place of Go may name is one thing, of which files that are built for
// different systems have one each.
func (f *file) variants(m *mention.Mention) bool {
	name, dir := "", ""
	for _, e := range f.edges[ir.At(m.Line, m.Column)] {
		n := f.s.Node(e.To)
		if calls.PlainName(n) != m.Name {
			continue
		}
		if name != "" && (n.Name != name || source.Dir(n.Path) != dir) || e.Rule == graph.ByHierarchy {
			return false
		}
		name, dir = n.Name, source.Dir(n.Path)
	}
	return f.Lang == "go" && name != ""
}

// qualified says whether a member is the target, which is at the top of its file: of a module
// or package that an import brings.
func (f *file) qualified(m *mention.Mention) string {
	receiver := mention.Receiver(f.src, m.Offset)
	switch {
	case f.isSelf(receiver) && f.Lang == "ruby":
		return f.inModule(m.Line)
	case f.isSelf(receiver) && f.Lang != "rust":
		return ""
	}
	if f.s.global != "" && ofGlobalObject(f.src, m) {
		return f.s.global
	}
	home := f.s.at.Record
	path := bytes.HasSuffix(f.src[:m.Offset], []byte("::")) // which no variable begins
	if f.IR != nil && receiver != "" && !path && f.variable(receiver, m.Offset) && !f.ofFree(m, receiver) && !f.importedAround(&mention.Mention{Name: receiver, Offset: m.Offset}) {
		if store.Dynamic(f.Lang) {
			return byName // a variable, which may have the module that another one of its name is
		}
		return ""
	}
	if f.IR != nil {
		if info := f.ImportOf(receiver); info != nil {
			return f.leads(info)
		}
	}
	switch store.CrossFamily(f.Lang) {
	case "go":
		return ""
	case "rust":
		if receiver == modules.Stem(home.Path) || receiver == "crate" || receiver == "super" || receiver == "self" || receiver == typing.LastPart(f.s.at.Sym().Parent) {
			return byName
		}
		if path && receiver != "" && 'a' <= receiver[0] && receiver[0] <= 'z' {
			return byName // a crate or a module that needs no import
		}
		return ""
	case "jvm", "csharp", "php":
		if pkg := f.s.packageOf(); receiver != "" && receiver == typing.LastPart(pkg) {
			return scoped
		}
		if f.Lang == "java" || f.Lang == "csharp" {
			return ""
		}
	case "":
		switch f.Lang {
		case "c":
			return ""
		case "cpp":
			if receiver != "" && receiver == typing.LastPart(f.s.at.Sym().Parent) {
				return f.bind(m.Name)
			}
			return ""
		}
	}
	return byName
}

// ofFree reports whether what a place is a member of is lowered as a name that is free there, as in
// cart := cart.New() of Go.
func (f *file) ofFree(m *mention.Mention, name string) bool {
	return slices.ContainsFunc(f.exprs[ir.At(m.Line, m.Column)], func(x ir.Expr) bool {
		e := &f.IR.Exprs[x]
		of := &f.IR.Exprs[e.A]
		return e.Op == ir.Attr && of.Op == ir.Name && f.IR.String(of.Name) == name
	})
}

// isSelf reports whether a word stands for the instance or the class that code is in.
func (f *file) isSelf(word string) bool {
	switch f.Lang {
	case "go", "c":
		return false
	case "python":
		return word == "self" || word == "cls"
	case "rust", "swift", "ruby":
		return word == "self" || word == "Self" || word == "super" && f.Lang == "swift"
	case "php":
		return word == "$this" || word == "self" || word == "static" || word == "parent"
	}
	return word == "this" || word == "super" || word == "base" && f.Lang == "csharp"
}

// local reports whether a free name is that of a variable of a function.
func (f *file) local(m *mention.Mention) bool {
	if f.importedAround(m) {
		return false
	}
	for _, x := range f.exprs[ir.At(m.Line, m.Column)] {
		switch e := &f.IR.Exprs[x]; e.Op {
		case ir.Local:
			if v := &f.IR.Vars[e.Ref]; f.IR.String(v.Name) == m.Name {
				return v.Func > 1
			}
		case ir.Name, ir.Imported:
			if f.IR.String(e.Name) == m.Name {
				return false
			}
		}
	}
	return slices.ContainsFunc(f.named, func(name string) bool {
		return slices.ContainsFunc(f.locals[name], func(s span) bool { return s.start <= m.Offset && m.Offset < s.end })
	})
}

// bind says what a free name of the file means, outside of functions that have a variable of
// this name.
func (f *file) bind(name string) string {
	c, known := f.bound[name]
	if !known {
		c = f.bindings(name)
		f.bound[name] = c
	}
	return c
}

func (f *file) bindings(name string) string {
	home := f.s.at.Record
	if f.Path == home.Path {
		return exact
	}
	if f.Record == nil {
		return byName
	}
	if f.hasOwn(name) && (f.s.global == "" || !f.globalOwn(name)) {
		if f.Lang == "rust" && f.brings(name) {
			return byName // in a module or a function of the file it may be what an import there brings
		}
		if f.Record.Errors {
			return byName // it may be defined only as the parser has it
		}
		return ""
	}
	if f.IR == nil {
		return byName
	}
	pkg := f.s.packageOf()
	switch store.CrossFamily(f.Lang) {
	case "go":
		if source.Dir(f.Path) == source.Dir(home.Path) && f.IR.String(f.IR.Package) == pkg {
			return scoped
		}
	case "jvm", "csharp", "php":
		if f.IR.Package != 0 && f.IR.String(f.IR.Package) == pkg || f.IR.Package == 0 && pkg == "" && source.Dir(f.Path) == source.Dir(home.Path) {
			return scoped
		}
	}
	all, found := "", false // by imports of all that a module has
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		switch imported := f.IR.String(info.Name); {
		case imported == name && info.Alias == 0, info.Alias != 0 && f.IR.String(info.Alias) == name && imported != "" && imported != "*":
			c := f.leads(info)
			if c == scoped {
				return c
			}
			found = found || c == ""
			all = better(all, c)
		case imported == "*":
			all = better(all, f.leads(info))
		}
	}
	if (f.Lang == "c" || f.Lang == "cpp") && f.s.reach[f.Path] != nil {
		return scoped
	}
	if all != "" || found {
		return all
	}
	switch store.CrossFamily(f.Lang) {
	case "go", "python", "rust":
		return "" // a free name comes from somewhere
	case "jvm":
		if f.Lang == "java" {
			return ""
		}
	case "javascript":
		if f.s.global != "" {
			return f.s.global
		}
		if len(f.IR.Imports) > 1 || len(f.IR.Exports) > 0 {
			return ""
		}
	}
	return byName
}

// hasOwn reports whether a free name of the file means what is defined at its top.
func (f *file) hasOwn(name string) bool {
	if f.whole == nil {
		return ownNames(f.Record, name)[name]
	}
	if f.whole.own == nil {
		f.whole.own = ownNames(f.Record, "")
	}
	return f.whole.own[name]
}

// ownNames are the names of a file that mean what is defined at its top, of all or of one
// ("": all). What C has there may be declared elsewhere, too, unless it is static.
func ownNames(r *store.Record, one string) map[string]bool {
	own := map[string]bool{}
	for i := range r.Symbols {
		t := &r.Symbols[i]
		if k := t.Kind(); k == syntax.Method || k == syntax.Field { // of a literal in a function of JavaScript, or of a type without a name
			continue
		}
		if t.Parent == "" && (one == "" || t.Name == one) && (r.Lang != "c" && r.Lang != "cpp" || strings.HasPrefix(r.LineText(int(t.NameLine)), "static ")) {
			own[t.Name] = true
		}
	}
	return own
}

var newline = []byte{'\n'}

// better returns the surer of two confidences.
func better(a, b string) string {
	if a == "" || b == scoped {
		return b
	}
	return a
}
