package typing

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A GoType is a type of Go where it is declared.
type GoType struct {
	File  *File
	Class *ir.ClassInfo
}

// inPackage returns the symbols of a name and a parent in the first of some folders that has any. own is
// the package clause of the file that names them without an import; "": they are imported.
func (r *Reader) inPackage(folders []string, own, parent, name string) (out []store.SymbolRef) {
	all := r.index.Definitions(name)
	for _, dir := range folders {
		for _, d := range all {
			if d.Record.Lang != "go" || source.Dir(d.Record.Path) != strings.TrimPrefix(dir, "./") || LastPart(d.Record.Symbols[d.Symbol].Parent) != parent {
				continue
			}
			if test := strings.HasSuffix(d.Record.Path, "_test.go"); test || strings.HasSuffix(own, "_test") {
				if f := r.lower(d.Record); f == nil || own != "" && f.String(f.Package) != own || own == "" && strings.HasSuffix(f.String(f.Package), "_test") {
					continue
				}
			}
			out = append(out, d)
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// GoNamed returns the symbols of a name in the package of a file, or in one that it imports under another.
func (r *Reader) GoNamed(f *File, pkg, name string) []store.SymbolRef {
	if pkg == "" {
		return r.inPackage([]string{source.Dir(f.Path)}, f.IR.String(f.IR.Package), "", name)
	}
	if info := f.ImportOf(pkg); info != nil {
		return r.inPackage(r.modules().Claims.GoFolders(f.IR.String(info.Module)), "", "", name)
	}
	return nil
}

// GoMeant returns the symbols that an expression of Go names.
func (r *Reader) GoMeant(f *File, x ir.Expr) []store.SymbolRef {
	e := &f.IR.Exprs[x]
	if of := &f.IR.Exprs[e.A]; e.Op == ir.Attr && of.Op == ir.Name {
		return r.GoNamed(f, f.IR.String(of.Name), f.IR.String(e.Name))
	} else if e.Op == ir.Name {
		return r.GoNamed(f, "", f.IR.String(e.Name))
	}
	return nil
}

// GoTypeOf returns the declaration of a type, aliases followed; nil where it is not known.
func (r *Reader) GoTypeOf(d Declared, depth int) *GoType {
	if d.X == 0 || d.File.Lang != "go" || depth > maxSteps {
		return nil
	}
	switch e := &d.File.IR.Exprs[d.X]; e.Op {
	case ir.Deref, ir.Apply:
		return r.GoTypeOf(Declared{d.File, e.A}, depth+1)
	case ir.ClassX:
		return &GoType{d.File, &d.File.IR.Classes[e.Ref]}
	case ir.Local: // of a function
		return d.File.GoTypeIn(ir.Var(e.Ref))
	}
	return r.GoTypeAt(r.GoMeant(d.File, d.X), depth)
}

// GoTypeIn returns the type that a function declares under a name; nil: that is of a value.
func (f *File) GoTypeIn(name ir.Var) *GoType {
	i := slices.IndexFunc(f.IR.Classes, func(c ir.ClassInfo) bool { return c.Func != 0 && c.Pos == f.IR.Vars[name].Pos })
	if i < 0 {
		return nil
	}
	return &GoType{f, &f.IR.Classes[i]}
}

// GoTypeAt is GoTypeOf for the symbols of a type, of which there are several where files are built apart.
func (r *Reader) GoTypeAt(list []store.SymbolRef, depth int) *GoType {
	if len(list) == 0 {
		return nil
	}
	t := &list[0].Record.Symbols[list[0].Symbol]
	g := r.Lowered(list[0].Record)
	if g == nil {
		return nil
	}
	for i := 1; i < len(g.IR.Classes); i++ {
		switch c := &g.IR.Classes[i]; {
		case c.Pos.Line() != int(t.NameLine) || g.IR.String(c.Name) != t.Name:
		case c.Kind == ir.Alias:
			return r.GoTypeOf(Declared{g, c.Target}, depth+1)
		default:
			return &GoType{g, c}
		}
	}
	return nil
}

// GoLiteral returns the type of what has keys in a literal of a type: of the elements, where that is a list or a map.
func (r *Reader) GoLiteral(t *GoType) *GoType {
	if t == nil {
		return nil
	}
	d := Declared{t.File, t.Class.Target}
	for depth := 0; t.Class.Kind == ir.Named && depth < maxSteps; depth++ { // a type may have itself as an element
		if d = r.ElementOf(d, depth); d.X == 0 {
			break
		}
		if of := r.GoTypeOf(d, depth); of != nil {
			t, d = of, Declared{of.File, of.Class.Target}
		}
	}
	return t
}

// Members returns the fields and methods of a name that a type has, its own or, at the least depth, those
// of types that it embeds; known is false where it embeds one that is not known.
func (r *Reader) Members(t *GoType, name string) (found []store.SymbolRef, known bool) {
	level, seen := []*GoType{t}, map[*ir.ClassInfo]bool{}
	for known = true; len(level) > 0 && known && len(seen) < maxEmbedded; {
		var next []*GoType
		for _, t := range level {
			if seen[t.Class] {
				continue
			}
			seen[t.Class] = true
			if of := t.File.IR.String(t.Class.Name); of != "" {
				found = append(found, r.inPackage([]string{source.Dir(t.File.Path)}, t.File.IR.String(t.File.IR.Package), of, name)...)
			}
			if t.Class.Kind == ir.Named { // it has the fields of what it is made of
				if made := r.GoTypeOf(Declared{t.File, t.Class.Target}, 0); made != nil {
					fields, _ := r.Members(made, name)
					found = append(found, slices.DeleteFunc(fields, func(d store.SymbolRef) bool { return d.Record.Symbols[d.Symbol].Kind() != syntax.Field })...)
				}
			}
			for _, b := range t.Class.Bases {
				if up := r.GoTypeOf(Declared{t.File, b.X}, 0); up != nil {
					next = append(next, up)
				} else {
					known = false
				}
			}
		}
		if len(found) > 0 {
			return found, true
		}
		level = next
	}
	return nil, known
}

// goMember returns the declared type of a member of a value of a type of Go: of a field, or, where it
// is a method, of its result number n.
func (r *Reader) goMember(of Declared, name string, n, depth int) (none Declared) {
	t := r.GoTypeOf(of, depth)
	if t == nil {
		return none
	}
	if x := t.field(name); x != 0 {
		return Declared{t.File, x} // embedded ones are no symbols
	}
	found, _ := r.Members(t, name)
	if len(found) == 0 {
		return none
	}
	return r.DeclaredAt(found[0], n, depth)
}

// goResult returns the type of a result of a call in Go.
func (r *Reader) goResult(f *File, callee ir.Expr, n, depth int) (none Declared) {
	list := r.GoMeant(f, callee)
	if e := &f.IR.Exprs[callee]; e.Op == ir.Attr && len(list) == 0 {
		return r.goMember(r.TypeOf(f, e.A, depth+1), f.IR.String(e.Name), n, depth+1)
	}
	if len(list) == 0 {
		return none
	}
	if t := &list[0].Record.Symbols[list[0].Symbol]; IsType(string(t.Kind())) {
		return Declared{f, callee} // a conversion
	}
	return r.DeclaredAt(list[0], n, depth)
}
