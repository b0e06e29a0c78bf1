package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// scriptExtensions are tried in this order: what is written wins over what is
// only declared.
var scriptExtensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".d.ts", ".json"}

// resolveJavaScript finds a module: by its relative path, by the aliases of the
// nearest tsconfig, by the imports of the nearest package, and by the names of the
// packages in the root. Anything else is outside the index.
func (g *family) resolveJavaScript(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if strings.HasPrefix(module, ".") {
		if id := g.scriptAt(path.Join(f.dir, module)); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	c := g.config().scripts
	for d := f.dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		if t := c.tsconfigs[d]; t != nil {
			if id := g.aliasedScript(t, module); id != 0 {
				return target{in: []ID{id}}
			}
		}
		if p := c.folders[d]; p != nil && strings.HasPrefix(module, "#") {
			if id := g.firstScript(p.entries(p.imports, module)); id != 0 {
				return target{in: []ID{id}}
			}
		}
		if d == "" {
			break
		}
	}
	name, sub := packageName(module)
	if p := c.packages[name]; p != nil {
		if id := g.firstScript(p.files(sub)); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(module)
}

// aliasedScript finds a module by the paths and the base folder of a tsconfig.
func (g *family) aliasedScript(t *tsconfig, module string) ID {
	for _, a := range t.paths {
		rest, ok := a.match(module)
		if !ok {
			continue
		}
		for _, to := range a.dirs {
			if id := g.scriptAt(path.Clean(strings.Replace(to, "*", rest, 1))); id != 0 {
				return id
			}
		}
	}
	if t.hasBase {
		return g.scriptAt(path.Join(t.base, module))
	}
	return 0
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

func (g *family) firstScript(paths []string) ID {
	for _, p := range paths {
		if id := g.scriptAt(p); id != 0 {
			return id
		}
	}
	return 0
}

// scriptAt finds the file that a path without its extension, with that of the
// compiled file, or of a folder means.
func (g *family) scriptAt(p string) ID {
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

// aliasedSpace is the namespace that an import alias stands for (import A = B.C), or
// nothing where it stands for a type.
func (g *family) aliasedSpace(f *file, c ir.Class, chain int) set {
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

// mixed is a base class that a function makes: what it returns where that is a class
// of its own, and the classes that it is given to extend.
func (e *eval) mixed(n *ir.Node) set {
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

// valueType is the type of values: of a function that is only declared, any that has
// its signature.
func (e *eval) valueType(s set) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		if i.kind != vFunc && i.kind != vBound {
			out = g.union(out, g.values.single(v))
			continue
		}
		fn := g.fn(ID(i.id))
		if fn == nil || !isSignature(fn) {
			out = g.union(out, g.values.single(v))
			continue
		}
		f := g.entities[i.id].file
		var args []set
		for _, p := range fn.Params {
			args = append(args, f.varTypes[p.Var])
		}
		result := set(0)
		if r := f.results.of(ir.Func(g.entities[i.id].ref)); len(r) > 0 {
			result = r[0]
		}
		out = g.union(out, e.generic("func", append(args, result)...))
	}
	return out
}

// sideOf leaves of the members of a class those of its instances, or its own.
func (e *eval) sideOf(list []entry, static bool) []entry {
	if e.f.lang.family != "javascript" || len(list) == 0 {
		return list
	}
	same := true
	for _, m := range list {
		same = same && m.static == static
	}
	if same {
		return list
	}
	var out []entry
	for _, m := range list {
		if m.static == static {
			out = append(out, m)
		}
	}
	return out
}
