package links

import (
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxParts bounds the parts of a name that are followed.
const maxParts = 12

// Offers returns what names lead to in x: a function or class of a package, a method
// of a class or of its bases, and by the declared result of a function a method of
// that. Where it cannot tell, a name leads nowhere.
func Offers(ctx context.Context, x *store.View, names []Name) (OffersAnswer, error) {
	if err := graphReady(x); err != nil {
		return OffersAnswer{}, err
	}
	f := &finder{x: x, files: x.Records(), packages: map[string]string{}, exports: map[string]*exports{}, imports: map[string]*exports{}}
	f.claims, f.roots = modules.Claims(f.files), modules.PythonRoots(f.files)
	f.folders = map[string]bool{}
	for p, r := range f.files {
		if r.Lang == "go" && !strings.HasSuffix(p, "_test.go") {
			f.folders[source.Dir(p)] = true
		}
	}
	out := OffersAnswer{Of: make([][]Offer, len(names))}
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		f.Walk = w
		out.Current = !x.Graph.Behind() && !x.Counters.Restored.Load()
		for i := range names {
			if i%256 == 0 && ctx.Err() != nil {
				return
			}
			ids, sure := f.find(&names[i])
			for _, id := range ids {
				out.Of[i] = append(out.Of[i], Offer{w.Place(id), sure.String(), f.callable(id)})
			}
			for _, id := range f.overrides(ids) {
				out.Of[i] = append(out.Of[i], Offer{w.Place(id), graph.Possible.String(), out.Of[i][0].Callable})
			}
		}
	})
	return out, ctx.Err()
}

// A finder finds what names from outside lead to.
type finder struct {
	*calls.Walk
	x        *store.View
	files    map[string]*store.Record
	claims   graph.Claims
	folders  map[string]bool     // that hold Go files
	roots    []string            // where Python's modules lie
	packages map[string]string   // of files of Java and Kotlin
	exports  map[string]*exports // of files of JavaScript
	imports  map[string]*exports // of files of Python and Rust
}

// find returns the functions and classes that a name leads to when it is called.
func (f *finder) find(n *Name) ([]graph.ID, graph.Confidence) {
	if strings.Count(n.Path, ".") > maxParts {
		return nil, 0
	}
	switch n.Language {
	case "go":
		return f.goName(n.Path)
	case "javascript":
		return f.scriptName(n.Path)
	case "python":
		return f.pythonName(strings.Split(n.Path, "."))
	case "rust":
		return f.rustName(strings.Split(n.Path, "."))
	case "jvm":
		return f.jvmName(strings.Split(n.Path, "."))
	case "csharp", "php":
		return f.spaceName(n)
	}
	return nil, 0
}

// defined returns the nodes of the definitions of a name that are not inside of
// another one, in files for which in holds.
func (f *finder) defined(name string, in func(r *store.Record, s *store.Symbol) bool) []graph.ID {
	var ids []graph.ID
	for _, d := range f.x.Definitions(name) {
		if s := &d.Record.Symbols[d.Symbol]; f.files[d.Record.Path] == d.Record && in(d.Record, s) {
			ids = append(ids, f.nodesOf(d.Record, s)...)
		}
	}
	slices.SortFunc(ids, f.Compare)
	return slices.Compact(ids)
}

// nodesOf returns the function or class of a symbol.
func (f *finder) nodesOf(r *store.Record, s *store.Symbol) (ids []graph.ID) {
	for _, id := range f.G.Named(r.Path, s.Name, int(s.NameLine)) {
		if k := f.Node(id).Kind; k == graph.FuncNode || k == graph.ClassNode {
			ids = append(ids, id)
		}
	}
	return ids
}

// follow takes the parts of a name that come after what is found, and returns what is
// called in the end.
func (f *finder) follow(ids []graph.ID, rest []string) ([]graph.ID, graph.Confidence) {
	sure := graph.Exact
	for i, part := range rest {
		var next []graph.ID
		for _, id := range ids {
			if f.Node(id).Kind == graph.ClassNode {
				next = append(next, f.member(id, part)...)
			}
		}
		if len(next) == 0 {
			sure = graph.Scoped
			if next = f.ofResult(ids, part); len(next) == 0 && i+1 < len(rest) { // what is called is not the field itself
				next = f.ofField(ids, part)
			}
		}
		if len(next) == 0 {
			return nil, 0
		}
		slices.SortFunc(next, f.Compare)
		ids = slices.Compact(next)
	}
	var out []graph.ID
	for _, id := range ids {
		if n := f.Node(id); n.Kind == graph.ClassNode {
			out = append(out, f.made(id)...)
		} else {
			out = append(out, id)
		}
	}
	if n := len(out); n > 1 && store.CrossFamily(f.Node(out[0]).Language) == "javascript" {
		out = out[n-1:] // of overloads the one that has a body
	}
	if len(out) > 1 {
		sure = graph.Scoped
	}
	return out, sure
}

// member returns the methods of a name that a class has or inherits, those of the
// nearest class, or the class of that name in it.
func (f *finder) member(class graph.ID, name string) []graph.ID {
	for _, id := range f.line(class) {
		if own := f.ownMember(id, name); len(own) > 0 {
			return own
		}
	}
	return nil
}

// line returns a class and those that it inherits from, the nearest first. An alias
// stands for the only class that it names.
func (f *finder) line(class graph.ID) []graph.ID {
	line := []graph.ID{class}
	for i := 0; i < len(line) && i < 64; i++ {
		if f.Node(line[i]).ClassKind == ir.Alias {
			if of := f.aliased(line[i]); of != 0 && !slices.Contains(line, of) {
				line = append(line, of)
			}
			continue
		}
		f.G.Out(line[i], func(e graph.Edge) bool {
			if e.Kind == graph.Inherits || e.Kind == graph.Implements {
				if f.Node(e.To).Kind == graph.ClassNode && !slices.Contains(line, e.To) {
					line = append(line, e.To)
				}
			}
			return true
		})
	}
	return line
}

func (f *finder) aliased(class graph.ID) (of graph.ID) {
	n := 0
	f.G.Out(class, func(e graph.Edge) bool {
		if e.Rule == graph.ByDecl && f.Node(e.To).Kind == graph.ClassNode {
			n++
			of = e.To
		}
		return true
	})
	if n != 1 {
		return 0
	}
	return of
}

func (f *finder) ownMember(class graph.ID, name string) (ids []graph.ID) {
	for _, m := range f.G.Members(class) {
		if n := f.Node(m); calls.PlainName(n) == name && n.Kind == graph.FuncNode {
			ids = append(ids, m)
		}
	}
	n := f.Node(class)
	r := f.files[n.Path]
	if len(ids) > 0 || r == nil {
		return ids
	}
	for i := range r.Symbols {
		if s := &r.Symbols[i]; s.Name == name && (s.Parent == n.Name || strings.HasSuffix(s.Parent, "."+n.Name)) {
			ids = append(ids, f.nodesOf(r, s)...)
		}
	}
	return ids
}

// maxOverrides bounds the methods that are named for a call that any of them may get.
const maxOverrides = 20

// overrides returns the methods that may run in place of some: those of classes that
// implement or inherit theirs. None are named where there are too many.
func (f *finder) overrides(methods []graph.ID) (ids []graph.ID) {
	for _, m := range methods {
		switch calls.PlainName(f.Node(m)) {
		case "__init__", "constructor", "__construct": // of one class, always
			continue
		}
		if f.Node(m).Flags&ir.Static != 0 {
			continue
		}
		class := f.Node(m).Outer
		if n := f.Node(class); n.Kind != graph.ClassNode || n.Language == "go" && n.ClassKind != ir.Interface {
			continue
		}
		line := []graph.ID{class}
		for i := 0; i < len(line) && len(line) < 1000; i++ {
			f.G.In(line[i], func(e graph.Edge) bool {
				if (e.Kind == graph.Inherits || e.Kind == graph.Implements) && !slices.Contains(line, e.From) && f.Node(e.From).Kind == graph.ClassNode {
					line = append(line, e.From)
				}
				return true
			})
		}
		for _, c := range line[1:] {
			for _, o := range f.G.Members(c) {
				if n := f.Node(o); calls.PlainName(n) == calls.PlainName(f.Node(m)) && n.Kind == graph.FuncNode && !slices.Contains(methods, o) {
					ids = append(ids, o)
				}
			}
		}
	}
	if len(ids) > maxOverrides {
		return nil
	}
	slices.SortFunc(ids, f.Compare)
	return slices.Compact(ids)
}

// ofResult returns the methods of a name that the declared results of functions have:
// those of the only class among them that has any.
func (f *finder) ofResult(funcs []graph.ID, name string) []graph.ID {
	var classes []graph.ID
	for _, id := range funcs {
		for _, c := range f.resultsOf(id) {
			if !slices.Contains(classes, c) {
				classes = append(classes, c)
			}
		}
	}
	var found []graph.ID
	for _, c := range classes {
		if m := f.member(c, name); len(m) > 0 {
			if found != nil {
				return nil
			}
			found = m
		}
	}
	return found
}

// resultsOf returns the classes of the root that a function declares to return.
func (f *finder) resultsOf(id graph.ID) (classes []graph.ID) {
	n := f.Node(id)
	if n.Kind != graph.FuncNode {
		return nil
	}
	types := resultTypes(n.Language, f.signature(id), calls.PlainName(n))
	owner := ""
	if i := strings.LastIndexByte(n.Name, '.'); i > 0 {
		_, owner, _ = calls.LastPart(n.Name[:i])
	}
	own := slices.Contains(types, ownType) && owner != ""
	if own {
		types = append(types, owner)
	}
	classes = f.declared(id, types)
	if len(classes) == 0 && own && f.Node(n.Outer).Kind == graph.ClassNode {
		classes = append(classes, n.Outer) // but for Rust, where it is a part of the class
	}
	return classes
}

func (f *finder) signature(id graph.ID) string {
	n := f.Node(id)
	if r := f.files[n.Path]; r != nil {
		if i := r.NamedAt(calls.PlainName(n), n.Pos.Line()); i >= 0 {
			return r.SignatureOf(&r.Symbols[i])
		}
	}
	return ""
}

// callable reports whether what a function returns may be called. Only Go's
// signatures say that it cannot.
func (f *finder) callable(id graph.ID) bool {
	n := f.Node(id)
	return n.Language != "go" || goCallable(f.signature(id), calls.PlainName(n))
}

// declared returns the classes of some names that the declaration of a node mentions.
func (f *finder) declared(id graph.ID, types []string) (classes []graph.ID) {
	if len(types) == 0 {
		return nil
	}
	f.G.Out(id, func(e graph.Edge) bool {
		to := f.Node(e.To)
		if e.Rule == graph.ByDecl && to.Kind == graph.ClassNode && slices.Contains(types, calls.PlainName(to)) && !slices.Contains(classes, e.To) {
			classes = append(classes, e.To)
		}
		return true
	})
	return classes
}

// ofField returns the class that a field is declared to have, of a class, of one that
// it inherits from, or of the result of a function; none where several could be meant.
func (f *finder) ofField(ids []graph.ID, name string) []graph.ID {
	var classes []graph.ID
	for _, id := range ids {
		if f.Node(id).Kind == graph.ClassNode {
			classes = append(classes, id)
		} else {
			classes = append(classes, f.resultsOf(id)...)
		}
	}
	if len(classes) != 1 {
		return nil
	}
	for _, class := range f.line(classes[0]) {
		n := f.Node(class)
		r := f.files[n.Path]
		if r == nil {
			continue
		}
		for i := range r.Symbols {
			s := &r.Symbols[i]
			if s.Name != name || s.Kind() != syntax.Field || s.Parent != n.Name && !strings.HasSuffix(s.Parent, "."+n.Name) {
				continue
			}
			found := f.declared(class, fieldTypes(r.Lang, r.SignatureOf(s), name))
			if len(found) != 1 {
				return nil
			}
			return found
		}
	}
	return nil
}
