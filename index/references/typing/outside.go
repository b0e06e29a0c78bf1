package typing

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Outside reports whether a member of a name that a value of Go has is one of a type which is not in the
// index: of another module, or of Go itself. The value is declared as such a type, or one that is in the
// index has the member because it embeds such a type. A call of it is written for what that declares,
// and what runs then may be in the index all the same.
func (r *Reader) Outside(f *File, of ir.Expr, name string) bool {
	return f.Lang == "go" && r.memberOrigin(f, of, name, 0) != near
}

// OutsideType returns the path and the name of the type that is not in the index and that a value of Go is declared to
// have; "" where it is another one, or none is known.
func (r *Reader) OutsideType(f *File, of ir.Expr) string {
	d := r.TypeOf(f, of, 0)
	if d.X == 0 || r.origin(d, 0) == near {
		return ""
	}
	switch e := &d.File.IR.Exprs[d.X]; e.Op {
	case ir.Name:
		return d.File.IR.String(e.Name)
	case ir.Attr:
		if info := d.File.ImportOf(d.File.IR.String(d.File.IR.Exprs[e.A].Name)); info != nil {
			return d.File.IR.String(info.Module) + "." + d.File.IR.String(e.Name)
		}
	}
	return ""
}

// Implements reports whether a type has all methods of the interface of Go's library that declares one which another
// interface, of a name, has. Those of package io are made of ones with a single method.
func (r *Reader) Implements(t *GoType, name, method string) bool {
	methods := graph.GoInterface(name)
	if strings.HasPrefix(name, "io.") {
		methods = []string{method}
	}
	return t != nil && len(methods) > 0 && !slices.ContainsFunc(methods, func(method string) bool {
		found, _ := r.Members(t, method)
		return !slices.ContainsFunc(found, func(d store.SymbolRef) bool { return store.Runs(d.Record.Symbols[d.Symbol].Kind()) })
	})
}

// An origin says whose a value is by its type.
type origin int

const (
	near    origin = iota // of the index, or it is not known whose
	applied               // of a type that is not in the index, and is applied to others, which may be
	far                   // of a type that is not in the index; what its members give is so, too
)

// memberOrigin is that of a member of a value.
func (r *Reader) memberOrigin(f *File, of ir.Expr, name string, depth int) origin {
	if o := r.originOf(f, of, depth+1); o != near {
		return o
	}
	t := r.GoTypeOf(r.TypeOf(f, of, depth+1), depth)
	if t == nil || t.Class.Kind == ir.Named || t.field(name) != 0 {
		return near
	}
	if found, known := r.Members(t, name); known || len(found) > 0 {
		return near
	}
	return r.embedded(t, name, map[*ir.ClassInfo]bool{}, depth+1)
}

// embedded is the origin of a member that a type has of one that it embeds: near where a type of the index among
// these has it, or one is not known at all.
func (r *Reader) embedded(t *GoType, name string, seen map[*ir.ClassInfo]bool, depth int) (o origin) {
	seen[t.Class] = true
	for _, b := range t.Class.Bases {
		base := Declared{t.File, b.X}
		up := r.GoTypeOf(base, depth)
		one := near
		switch {
		case up == nil:
			one = r.origin(base, depth)
		case seen[up.Class] || len(seen) >= maxEmbedded:
			continue
		default:
			found, known := r.Members(up, name)
			if len(found) > 0 || up.field(name) != 0 {
				return near
			}
			if known {
				continue
			}
			one = r.embedded(up, name, seen, depth+1)
		}
		if one == near {
			return near
		}
		o = max(o, one)
	}
	return o
}

// originOf is that of the value of an expression.
func (r *Reader) originOf(f *File, x ir.Expr, depth int) origin {
	if x == 0 || depth > maxSteps {
		return near
	}
	depth++
	switch e := &f.IR.Exprs[x]; e.Op {
	case ir.Local:
		if v := ir.Var(e.Ref); f.IR.Vars[v].Type == 0 {
			return r.originOf(f, f.first(v), depth)
		}
	case ir.Deref:
		return r.originOf(f, e.A, depth)
	case ir.Result:
		return r.resultOrigin(f, e.A, int(e.Ref), depth)
	case ir.Call:
		return r.resultOrigin(f, x, 0, depth)
	case ir.Elem, ir.Index:
		if r.originOf(f, e.A, depth) == far {
			return far
		}
	case ir.Attr:
		if r.outsidePackage(f, e.A) || r.memberOrigin(f, e.A, f.IR.String(e.Name), depth) == far {
			return far
		}
		return r.packageOrigin(f, x, depth)
	case ir.Name:
		return r.packageOrigin(f, x, depth)
	}
	return r.origin(r.TypeOf(f, x, depth), depth)
}

// packageOrigin is that of a variable of a package of the index, by its value where it declares no type.
func (r *Reader) packageOrigin(f *File, x ir.Expr, depth int) origin {
	if list := r.GoMeant(f, x); len(list) > 0 {
		if g := r.Lowered(list[0].Record); g != nil {
			if v := g.variable(&list[0].Record.Symbols[list[0].Symbol]); v != 0 && g.IR.Vars[v].Type == 0 {
				return r.originOf(g, g.first(v), depth)
			}
		}
	}
	return r.origin(r.TypeOf(f, x, depth), depth)
}

// resultOrigin is the origin of a result of a call.
func (r *Reader) resultOrigin(f *File, call ir.Expr, n, depth int) origin {
	e := &f.IR.Exprs[call]
	if e.Op != ir.Call || e.A == 0 {
		return near
	}
	if callee := &f.IR.Exprs[e.A]; callee.Op == ir.Attr {
		if r.outsidePackage(f, callee.A) {
			if r.generic(f, call, depth) {
				return near
			}
			return far
		}
		if r.memberOrigin(f, callee.A, f.IR.String(callee.Name), depth) == far {
			return far
		}
	}
	return r.origin(r.resultOf(f, call, n, depth), depth)
}

// generic reports whether a call of a function that is not in the index may give something of its arguments'
// types: one of those of Go's library, or one of another module that is passed a function or what is in the index.
func (r *Reader) generic(f *File, x ir.Expr, depth int) bool {
	call := &f.IR.Exprs[x]
	callee := &f.IR.Exprs[call.A]
	if info := f.ImportOf(f.IR.String(f.IR.Exprs[callee.A].Name)); info != nil {
		module := f.IR.String(info.Module)
		switch module {
		case "slices", "maps", "cmp", "iter", "sync", "sync/atomic":
			return true
		case "errors":
			return f.IR.String(callee.Name) == "AsType"
		}
		if first, _, _ := strings.Cut(module, "/"); !strings.Contains(first, ".") {
			return false
		}
	}
	return slices.ContainsFunc(f.IR.Args[call.Lo:call.Hi], func(a ir.Arg) bool {
		d := r.TypeOf(f, a.X, depth)
		return f.IR.Exprs[a.X].Op == ir.Lambda || r.GoTypeOf(d, depth) != nil || r.GoTypeOf(r.ElementOf(d, depth), depth) != nil
	})
}

// origin is that of a type.
func (r *Reader) origin(d Declared, depth int) origin {
	if d.X == 0 || depth > maxSteps {
		return near
	}
	f := d.File
	switch e := &f.IR.Exprs[d.X]; e.Op {
	case ir.Deref:
		return r.origin(Declared{f, e.A}, depth+1)
	case ir.Apply:
		return min(r.origin(Declared{f, e.A}, depth+1), applied)
	case ir.Attr:
		if r.outsidePackage(f, e.A) {
			return far
		}
	case ir.Name:
		if name := f.IR.String(e.Name); name == "error" && len(r.GoNamed(f, "", name)) == 0 {
			return far
		}
	}
	list := r.GoMeant(f, d.X)
	if len(list) == 0 {
		return near
	}
	g, line := r.Lowered(list[0].Record), int(list[0].Record.Symbols[list[0].Symbol].NameLine)
	if g == nil {
		return near
	}
	if i := slices.IndexFunc(g.IR.Classes, func(c ir.ClassInfo) bool { return c.Kind == ir.Alias && c.Pos.Line() == line }); i >= 0 { // another name for one
		return r.origin(Declared{g, g.IR.Classes[i].Target}, depth+1)
	}
	return near
}

// outsidePackage reports whether an expression is the name of a package of no module of the index.
func (r *Reader) outsidePackage(f *File, x ir.Expr) bool {
	e := &f.IR.Exprs[x]
	if e.Op != ir.Name {
		return false
	}
	name := f.IR.String(e.Name)
	if info := f.ImportOf(name); info != nil {
		return r.outsideModule(f.IR.String(info.Module))
	}
	// Only the package itself says its name, which that of its folder may have within, as upsidedown_store_api for store.
	within := func(i ir.ImportInfo) bool {
		module := f.IR.String(i.Module)
		return i.Alias == 0 && strings.Contains(path.Base(module), name) && r.outsideModule(module)
	}
	return slices.ContainsFunc(f.IR.Imports, within) && len(r.GoNamed(f, "", name)) == 0
}

// outsideModule reports whether an import path is below no module of the index.
func (r *Reader) outsideModule(name string) bool {
	return name != "" && len(r.modules().Claims.GoFolders(name)) == 0
}

// field returns the type of a field that a type has itself, of one that is embedded, too; 0 for none.
func (t *GoType) field(name string) ir.Expr {
	for i := range t.Class.Members {
		if m := &t.Class.Members[i]; m.Kind == ir.VarMember && t.File.IR.String(m.Name) == name {
			return t.File.IR.Vars[m.Ref].Type
		}
	}
	return 0
}
