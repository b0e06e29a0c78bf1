package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// scriptExtensions are tried in this order: what is written wins over what is
// only declared.
var scriptExtensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".d.ts", ".json"}

var javaScriptFamily = langFamily{
	name: "javascript",
	names: map[string]string{
		"javascript": "javascript", "typescript": "javascript", "tsx": "javascript", "vue": "javascript", "svelte": "javascript",
	},
	config: func(base string) bool {
		return base == "package.json" || base == "jsconfig.json" || strings.HasPrefix(base, "tsconfig") && strings.HasSuffix(base, ".json")
	},
	make: newJavaScript,
}

// javascript is the Language of JavaScript and TypeScript.
type javascript struct {
	Default
	scripts *scripts // what the configuration says, made at the first use
}

func newJavaScript() map[string]*lang {
	var t traits
	t.defaultExports, t.hidesUnexported = true, true
	t.mergesInFile, t.splitsStatic, t.classField, t.anyCount = true, true, "name", true
	t.inheritsConstructors, t.constructors = true, []string{"constructor"}
	t.dynamic, t.literalsByPlace = true, true
	t.functionsMake, t.funcFields, t.splitsFuncs = true, true, true
	return map[string]*lang{"javascript": {traits: t, Language: &javascript{}}}
}

// Forget lets go of the configuration.
func (l *javascript) Forget() { l.scripts = nil }

// Resolve finds a module: by its relative path, by the aliases of the
// nearest tsconfig, by the imports of the nearest package, and by the names of the
// packages in the root. Anything else is outside the index.
func (l *javascript) Resolve(g *family, f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if strings.HasPrefix(module, ".") {
		if id := scriptAt(g, path.Join(f.dir, module)); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	if l.scripts == nil {
		l.scripts = newScripts(g.configs)
	}
	c := l.scripts
	for d := f.dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		if t := c.tsconfigs[d]; t != nil {
			if id := aliasedScript(g, t, module); id != 0 {
				return target{in: []ID{id}}
			}
		}
		if p := c.folders[d]; p != nil && strings.HasPrefix(module, "#") {
			if id := firstScript(g, p.entries(p.imports, module)); id != 0 {
				return target{in: []ID{id}}
			}
		}
		if d == "" {
			break
		}
	}
	name, sub := packageName(module)
	if p := c.packages[name]; p != nil {
		if id := firstScript(g, p.files(sub)); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(module)
}

// aliasedScript finds a module by the paths and the base folder of a tsconfig.
func aliasedScript(g *family, t *tsconfig, module string) ID {
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

func firstScript(g *family, paths []string) ID {
	for _, p := range paths {
		if id := scriptAt(g, p); id != 0 {
			return id
		}
	}
	return 0
}

// scriptAt finds the file that a path without its extension, with that of the
// compiled file, or of a folder means.
func scriptAt(g *family, p string) ID {
	return g.fileAt(scriptFile(p, func(q string) bool { return g.fileAt(q) != 0 }))
}

// scriptFile is scriptAt over any files; "" is none.
func scriptFile(p string, has func(path string) bool) string {
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
func (*javascript) AliasedSpace(g *family, f *file, c ir.Class, chain int) set {
	g.load(f)
	x := f.ir.Classes[c].Target
	if op := f.ir.Exprs[x].Op; chain > maxChain || op != ir.Attr && op != ir.Name {
		return 0
	}
	in := g.static(f, 0, c)
	out := set(0)
	for _, v := range g.elems(in.typeName(x)) {
		if g.values.info[v].kind == vModule {
			out = g.union(out, g.values.single(v))
		}
	}
	return out
}

// MadeBase is a base class that a function makes: what it returns where that is a class
// of its own, and the classes that it is given to extend.
func (*javascript) MadeBase(e *eval, n *ir.Node) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(e.typeName(n.A)) {
		i := g.values.info[v]
		if i.kind != vFunc {
			continue
		}
		fn := g.fn(ID(i.id))
		if fn == nil {
			continue
		}
		f := g.entities[i.id].file
		ref := ir.Func(g.entities[i.id].ref)
		in := g.static(f, ref, 0)
		for _, s := range f.ir.Body(ref) {
			if s.Op == ir.Return {
				out = g.union(out, in.returnedClass(ref, s.A))
			}
		}
	}
	if out == 0 {
		return 0
	}
	for _, a := range e.f.ir.Args[n.Lo:n.Hi] {
		out = g.union(out, e.typ(a.X))
	}
	return out
}

// returnedClass is an instance of the class that a function returns: one written
// there, or one bound to a variable of the function.
func (e *eval) returnedClass(fn ir.Func, x ir.Expr) set {
	switch n := &e.f.ir.Exprs[x]; n.Op {
	case ir.ClassX:
		return e.typ(x)
	case ir.Local:
		out := set(0)
		for _, s := range e.f.ir.Body(fn) {
			if t := &e.f.ir.Exprs[s.A]; s.Op == ir.Bind && t.Op == ir.Local && t.Ref == n.Ref && e.f.ir.Exprs[s.B].Op == ir.ClassX {
				out = e.g.union(out, e.typ(s.B))
			}
		}
		return out
	}
	return 0
}

// ClassMember is the prototype of a class.
func (*javascript) ClassMember(e *eval, _ value, c *class, n name) (set, bool) {
	if e.g.names.text[n] != "prototype" {
		return 0, false
	}
	return e.g.values.single(e.g.self(c, vDecl)), true
}

// Member is a member of a container.
func (*javascript) Member(e *eval, v value, n name, _ ir.Pos) (s set, found, ok bool) {
	s, ok = e.scriptMember(v, n)
	return s, ok, ok
}

// Elements are pairs, of a map.
func (*javascript) Elements(e *eval, v value, n *ir.Node) (set, bool) {
	g := e.g
	switch i := g.values.info[v]; i.kind {
	case vGeneric:
		if word := g.names.text[i.id]; word == "Map" || word == "ReadonlyMap" {
			if args := g.args(i.args); len(args) == 2 && !e.wantsKey(n) {
				return e.generic("tuple", args...), true
			}
		}
	case vObject:
		if e.container(v) == "Map" {
			return e.generic("tuple", 0, e.getItem(ID(i.id), someItem)), true
		}
	}
	return 0, false
}

// CallOn calls a method of the library, or of a function.
func (*javascript) CallOn(e *eval, c *calling, v value, _ set) (set, bool) {
	switch i := e.g.values.info[v]; i.kind {
	case vExternal, vGeneric, vObject:
		return e.scriptCall(c, v)
	case vFunc, vBound:
		return e.callFunction(c, v, i)
	}
	return 0, false
}

// callFunction calls a method of a function: bind, call or apply.
func (e *eval) callFunction(c *calling, v value, i valueInfo) (set, bool) {
	switch e.g.names.text[c.name] {
	case "bind":
		c.external = e.g.names.intern("Function.bind")
		if i.kind == vFunc && len(c.args) > 0 {
			e.write(cellKey{cSelf, ID(i.id), 0}, c.args[0].value)
		}
		return e.g.values.single(v), true
	case "call", "apply", "invoke", "run", "__call__", "Invoke":
		args := c.args
		if len(args) > 0 {
			if i.kind == vFunc {
				e.write(cellKey{cSelf, ID(i.id), 0}, args[0].value)
			}
			c.args = args[1:]
		}
		s := e.invoke(c, v, ByFlow)
		c.args = args
		return s, true
	}
	return 0, false
}

// CallAbsent calls a method of a promise.
func (*javascript) CallAbsent(e *eval, c *calling, v value, s set, _ Rule) (set, bool) {
	if s != 0 {
		return 0, false
	}
	if s, ok := e.promiseCall(c, e.g.values.single(v), e.g.names.text[c.name]); ok {
		return s, true
	}
	if e.g.values.info[v].kind == vObject {
		c.reason = UnknownMember
		return 0, true
	}
	return 0, false
}

// CallExternal makes a container, or calls a function of a global object.
func (*javascript) CallExternal(e *eval, c *calling, path string) (set, bool) {
	if s, ok := e.scriptNew(c, path); ok {
		return s, true
	}
	if object, text, ok := strings.Cut(path, "."); ok {
		return e.staticCall(c, object, text)
	}
	return 0, false
}
