// Package resolve has what is special about JavaScript and TypeScript: modules and their
// configuration, containers and promises, overloads, and contextual typing.
package resolve

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// scriptExtensions are tried in this order: what is written wins over what is
// only declared.
var scriptExtensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".d.ts", ".json"}

// Family is JavaScript and TypeScript.
var Family = program.Languages{
	Name: "javascript",
	Names: map[string]string{
		"javascript": "javascript", "typescript": "javascript", "tsx": "javascript", "vue": "javascript", "svelte": "javascript",
	},
	Config: func(base string) bool {
		return base == "package.json" || base == "jsconfig.json" || strings.HasPrefix(base, "tsconfig") && strings.HasSuffix(base, ".json")
	},
	Make: newJavaScript,
}

// language is the Language of JavaScript and TypeScript.
type language struct {
	plain.Default
	scripts *Scripts // what the configuration says, made at the first use
}

func newJavaScript() map[string]*program.Lang {
	var t program.Traits
	t.DefaultExports, t.HidesUnexported = true, true
	t.MergesInFile, t.SplitsStatic, t.ClassField, t.AnyCount = true, true, "name", true
	t.InheritsConstructors, t.Constructors = true, []string{"constructor"}
	t.Dynamic, t.LiteralsByPlace = true, true
	t.FunctionsMake, t.FuncFields, t.SplitsFuncs = true, true, true
	return map[string]*program.Lang{"javascript": {Traits: t, ModuleRules: &language{}}}
}

// Forget lets go of the configuration.
func (l *language) Forget() { l.scripts = nil }

// Unresolved notes what is handed to a package outside of the index.
func (*language) Unresolved(e *eval.Evaluator, c *eval.Call) {
	path := strings.TrimPrefix(e.Family.Names.Text[c.External], "node:")
	first, _, _ := strings.Cut(path, ".")
	if first, _, _ = strings.Cut(first, "/"); c.External != 0 && first != "" && !globals[first] && !asserts.MatchString(path) {
		library.HandOut(e, &eval.Call{Args: c.Args}) // of types nothing is left when the program runs
	}
}

// Resolve finds a module: by its relative path, by the aliases of the
// nearest tsconfig, by the imports of the nearest package, and by the names of the
// packages in the root. Anything else is outside the index.
func (l *language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	module := f.IR.String(i.Module)
	if strings.HasPrefix(module, ".") {
		if id := scriptAt(g, path.Join(f.Dir, module)); id != 0 {
			return program.Target{In: []edge.ID{id}}
		}
		return program.Target{}
	}
	if l.scripts == nil {
		l.scripts = NewScripts(g.Configs)
	}
	c := l.scripts
	for d := f.Dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		if t := c.tsconfigs[d]; t != nil {
			if id := aliasedScript(g, t, module); id != 0 {
				return program.Target{In: []edge.ID{id}}
			}
		}
		if p := c.folders[d]; p != nil && strings.HasPrefix(module, "#") {
			if id := firstScript(g, p.entries(p.imports, module)); id != 0 {
				return program.Target{In: []edge.ID{id}}
			}
		}
		if d == "" {
			break
		}
	}
	name, sub := PackageName(module)
	if p := c.Packages[name]; p != nil {
		if id := firstScript(g, p.Files(sub)); id != 0 {
			return program.Target{In: []edge.ID{id}}
		}
	}
	return g.OutsideOf(module)
}

// aliasedScript finds a module by the paths and the base folder of a tsconfig.
func aliasedScript(g *program.Family, t *tsconfig, module string) edge.ID {
	for _, a := range t.paths {
		rest, ok := a.match(module)
		if !ok {
			continue
		}
		for _, to := range a.dirs {
			if id := scriptAt(g, path.Clean(strings.Replace(to, "*", rest, 1))); id != 0 {
				return id
			}
		}
	}
	if t.hasBase {
		return scriptAt(g, path.Join(t.base, module))
	}
	return 0
}

// A prefix maps the beginning of an import path to folders.
type prefix struct {
	text string
	dirs []string
}

// match returns what the star of a pattern stands for in a text.
func (p prefix) match(text string) (string, bool) {
	head, tail, star := strings.Cut(p.text, "*")
	if !star {
		return "", text == p.text
	}
	rest, ok := strings.CutPrefix(text, head)
	if !ok || !strings.HasSuffix(rest, tail) {
		return "", false
	}
	return strings.TrimSuffix(rest, tail), true
}

func firstScript(g *program.Family, paths []string) edge.ID {
	for _, p := range paths {
		if id := scriptAt(g, p); id != 0 {
			return id
		}
	}
	return 0
}

// scriptAt finds the file that a path without its extension, with that of the
// compiled file, or of a folder means.
func scriptAt(g *program.Family, p string) edge.ID {
	return g.FileAt(ScriptFile(p, func(q string) bool { return g.FileAt(q) != 0 }))
}

// ScriptFile is scriptAt over any files; "" is none.
func ScriptFile(p string, has func(path string) bool) string {
	stem := ""
	switch ext := path.Ext(p); ext { // "./a.js" is written for a.ts
	case ".js", ".jsx", ".mjs", ".cjs":
		stem = strings.TrimSuffix(p, ext)
		for _, ext := range scriptExtensions[:4] {
			if has(stem + ext) {
				return stem + ext
			}
		}
	}
	if has(p) {
		return p
	}
	for _, base := range []string{p, path.Join(p, "index"), stem} {
		if base == "" {
			continue
		}
		for _, ext := range scriptExtensions {
			if has(base + ext) {
				return base + ext
			}
		}
	}
	return ""
}

// AliasedSpace is the namespace that an import alias stands for (import A = B.C), or
// nothing where it stands for a type.
func (*language) AliasedSpace(g *program.Family, f *program.File, c ir.Class, chain int) pointsto.Set {
	g.Load(f)
	x := f.IR.Classes[c].Target
	if op := f.IR.Exprs[x].Op; chain > program.MaxChain || op != ir.Attr && op != ir.Name {
		return 0
	}
	in := eval.Static(g, f, 0, c)
	out := pointsto.Set(0)
	for _, v := range g.Elems(in.TypeName(x)) {
		if g.Values.Info[v].Kind == pointsto.Module {
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}

// MadeBase is a base class that a function makes: what it returns where that is a class
// of its own, and the classes that it is given to extend.
func (*language) MadeBase(e *eval.Evaluator, n *ir.Node) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(e.TypeName(n.A)) {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func {
			continue
		}
		fn := g.Func(edge.ID(i.ID))
		if fn == nil {
			continue
		}
		f := g.Entities[i.ID].File
		ref := ir.Func(g.Entities[i.ID].Ref)
		in := eval.Static(g, f, ref, 0)
		for _, s := range f.IR.Body(ref) {
			if s.Op == ir.Return {
				out = g.Union(out, returnedClass(in, ref, s.A))
			}
		}
	}
	if out == 0 {
		return 0
	}
	for _, a := range e.File.IR.Args[n.Lo:n.Hi] {
		out = g.Union(out, e.Typ(a.X))
	}
	return out
}

// returnedClass is an instance of the class that a function returns: one written
// there, or one bound to a variable of the function.
func returnedClass(e *eval.Evaluator, fn ir.Func, x ir.Expr) pointsto.Set {
	switch n := &e.File.IR.Exprs[x]; n.Op {
	case ir.ClassX:
		return e.Typ(x)
	case ir.Local:
		out := pointsto.Set(0)
		for _, s := range e.File.IR.Body(fn) {
			if t := &e.File.IR.Exprs[s.A]; s.Op == ir.Bind && t.Op == ir.Local && t.Ref == n.Ref && e.File.IR.Exprs[s.B].Op == ir.ClassX {
				out = e.Family.Union(out, e.Typ(s.B))
			}
		}
		return out
	}
	return 0
}

// ClassMember is the prototype of a class.
func (*language) ClassMember(e *eval.Evaluator, _ pointsto.Value, c *program.Class, n intern.Name) (pointsto.Set, bool) {
	if e.Family.Names.Text[n] != "prototype" {
		return 0, false
	}
	return e.Family.Values.Single(e.Family.Self(c, pointsto.Decl)), true
}

// Member is a member of a container.
func (*language) Member(e *eval.Evaluator, v pointsto.Value, n intern.Name, _ ir.Pos) (s pointsto.Set, found, ok bool) {
	s, ok = scriptMember(e, v, n)
	return s, ok, ok
}

// Elements are pairs, of a map.
func (*language) Elements(e *eval.Evaluator, v pointsto.Value, n *ir.Node) (pointsto.Set, bool) {
	g := e.Family
	switch i := g.Values.Info[v]; i.Kind {
	case pointsto.Generic:
		if word := g.Names.Text[i.ID]; word == "Map" || word == "ReadonlyMap" {
			if args := g.Args(i.Args); len(args) == 2 && !e.WantsKey(n) {
				return e.Generic("tuple", args...), true
			}
		}
	case pointsto.Object:
		if container(e, v) == "Map" {
			return e.Generic("tuple", 0, e.GetItem(edge.ID(i.ID), pointsto.SomeItem)), true
		}
	}
	return 0, false
}

// CallOn calls a method of the library, or of a function.
func (*language) CallOn(e *eval.Evaluator, c *eval.Call, v pointsto.Value, _ pointsto.Set) (pointsto.Set, bool) {
	switch i := e.Family.Values.Info[v]; i.Kind {
	case pointsto.External, pointsto.Generic, pointsto.Object:
		return scriptCall(e, c, v)
	case pointsto.Func, pointsto.Bound:
		return callFunction(e, c, v, i)
	}
	return 0, false
}

// callFunction calls a method of a function: bind, call or apply.
func callFunction(e *eval.Evaluator, c *eval.Call, v pointsto.Value, i pointsto.Info) (pointsto.Set, bool) {
	switch e.Family.Names.Text[c.Name] {
	case "bind":
		c.External = e.Family.Names.Intern("Function.bind")
		if i.Kind == pointsto.Func && len(c.Args) > 0 {
			e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: edge.ID(i.ID), Sub: 0}, c.Args[0].Value)
		}
		return e.Family.Values.Single(v), true
	case "call", "apply", "invoke", "run", "__call__", "Invoke":
		args := c.Args
		if len(args) > 0 {
			if i.Kind == pointsto.Func {
				e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: edge.ID(i.ID), Sub: 0}, args[0].Value)
			}
			c.Args = args[1:]
		}
		s := e.Invoke(c, v, edge.ByFlow)
		c.Args = args
		return s, true
	}
	return 0, false
}

// CallAbsent calls a method of a promise.
func (*language) CallAbsent(e *eval.Evaluator, c *eval.Call, v pointsto.Value, s pointsto.Set, _ edge.Rule) (pointsto.Set, bool) {
	if s != 0 {
		return 0, false
	}
	if s, ok := promiseCall(e, c, e.Family.Values.Single(v), e.Family.Names.Text[c.Name]); ok {
		return s, true
	}
	if e.Family.Values.Info[v].Kind == pointsto.Object {
		c.Reason = edge.UnknownMember
		return 0, true
	}
	return 0, false
}

// CallExternal makes a container, or calls a function of a global object.
func (*language) CallExternal(e *eval.Evaluator, c *eval.Call, path string) (pointsto.Set, bool) {
	if s, ok := scriptNew(e, c, path); ok {
		return s, true
	}
	if object, text, ok := strings.Cut(path, "."); ok {
		return staticCall(e, c, object, text)
	}
	return 0, false
}
