package references

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A goType is a type of Go where it is declared.
type goType struct {
	file  *file
	class *ir.ClassInfo
}

// inPackage returns the symbols of a name and a parent in the first of some folders that has any. own is
// the package clause of the file that names them without an import; "": they are imported.
func (s *search) inPackage(folders []string, own, parent, name string) (out []store.SymbolRef) {
	all := calls.Definitions(s.index, name)
	for _, dir := range folders {
		for _, d := range all {
			if d.Record.Lang != "go" || source.Dir(d.Record.Path) != strings.TrimPrefix(dir, "./") || lastPart(d.Record.Symbols[d.Symbol].Parent) != parent {
				continue
			}
			if test := strings.HasSuffix(d.Record.Path, "_test.go"); test || strings.HasSuffix(own, "_test") {
				if f := s.common.lower(d.Record); f == nil || own != "" && f.String(f.Package) != own || own == "" && strings.HasSuffix(f.String(f.Package), "_test") {
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

// goNamed returns the symbols of a name in the package of a file, or in one that it imports under another.
func (s *search) goNamed(f *file, pkg, name string) []store.SymbolRef {
	if pkg == "" {
		return s.inPackage([]string{source.Dir(f.path)}, f.ir.String(f.ir.Package), "", name)
	}
	if info := f.importOf(pkg); info != nil {
		return s.inPackage(s.common.modules().Claims.GoFolders(f.ir.String(info.Module)), "", "", name)
	}
	return nil
}

// goMeant returns the symbols that an expression of Go names.
func (s *search) goMeant(f *file, x ir.Expr) []store.SymbolRef {
	e := &f.ir.Exprs[x]
	if of := &f.ir.Exprs[e.A]; e.Op == ir.Attr && of.Op == ir.Name {
		return s.goNamed(f, f.ir.String(of.Name), f.ir.String(e.Name))
	} else if e.Op == ir.Name {
		return s.goNamed(f, "", f.ir.String(e.Name))
	}
	return nil
}

// goTypeOf returns the declaration of a type, aliases followed; nil where it is not known.
func (s *search) goTypeOf(d declared, depth int) *goType {
	if d.x == 0 || d.file.lang != "go" || depth > maxSteps {
		return nil
	}
	switch e := &d.file.ir.Exprs[d.x]; e.Op {
	case ir.Deref, ir.Apply:
		return s.goTypeOf(declared{d.file, e.A}, depth+1)
	case ir.ClassX:
		return &goType{d.file, &d.file.ir.Classes[e.Ref]}
	case ir.Local: // of a function
		return d.file.goTypeIn(ir.Var(e.Ref))
	}
	return s.goTypeAt(s.goMeant(d.file, d.x), depth)
}

// goTypeIn returns the type that a function declares under a name; nil: that is of a value.
func (f *file) goTypeIn(name ir.Var) *goType {
	i := slices.IndexFunc(f.ir.Classes, func(c ir.ClassInfo) bool { return c.Func != 0 && c.Pos == f.ir.Vars[name].Pos })
	if i < 0 {
		return nil
	}
	return &goType{f, &f.ir.Classes[i]}
}

// goTypeAt is goTypeOf for the symbols of a type, of which there are several where files are built apart.
func (s *search) goTypeAt(list []store.SymbolRef, depth int) *goType {
	if len(list) == 0 {
		return nil
	}
	t := &list[0].Record.Symbols[list[0].Symbol]
	g := s.lowered(list[0].Record)
	if g == nil {
		return nil
	}
	for i := 1; i < len(g.ir.Classes); i++ {
		switch c := &g.ir.Classes[i]; {
		case c.Pos.Line() != int(t.NameLine) || g.ir.String(c.Name) != t.Name:
		case c.Kind == ir.Alias:
			return s.goTypeOf(declared{g, c.Target}, depth+1)
		default:
			return &goType{g, c}
		}
	}
	return nil
}

// members returns the fields and methods of a name that a type has, its own or, at the least depth, those
// of types that it embeds; known is false where it embeds one that is not known.
func (s *search) members(t *goType, name string) (found []store.SymbolRef, known bool) {
	level, seen := []*goType{t}, map[*ir.ClassInfo]bool{}
	for known = true; len(level) > 0 && known && len(seen) < maxAncestors; {
		var next []*goType
		for _, t := range level {
			if seen[t.class] {
				continue
			}
			seen[t.class] = true
			if of := t.file.ir.String(t.class.Name); of != "" {
				found = append(found, s.inPackage([]string{source.Dir(t.file.path)}, t.file.ir.String(t.file.ir.Package), of, name)...)
			}
			if t.class.Kind == ir.Named { // it has the fields of what it is made of
				if made := s.goTypeOf(declared{t.file, t.class.Target}, 0); made != nil {
					fields, _ := s.members(made, name)
					found = append(found, slices.DeleteFunc(fields, func(d store.SymbolRef) bool { return d.Record.Symbols[d.Symbol].Kind() != syntax.Field })...)
				}
			}
			for _, b := range t.class.Bases {
				if up := s.goTypeOf(declared{t.file, b.X}, 0); up != nil {
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

// ofGoType says whether a member of a type of Go is the target. known is false where the type is not.
func (s *search) ofGoType(t *goType, name string) (confidence string, known bool) {
	if t == nil {
		return "", false
	}
	found, _ := s.members(t, name)
	for _, d := range found {
		if d.Record == s.at.Record && int32(d.Symbol) == s.at.Symbol {
			return scoped, true
		}
	}
	return "", len(found) > 0
}

// goMember returns the declared type of a member of a value of a type of Go: of a field, or, where it
// is a method, of its result number n.
func (s *search) goMember(of declared, name string, n, depth int) (none declared) {
	t := s.goTypeOf(of, depth)
	if t == nil {
		return none
	}
	for i := range t.class.Members {
		if m := &t.class.Members[i]; m.Kind == ir.VarMember && t.file.ir.String(m.Name) == name {
			return declared{t.file, t.file.ir.Vars[m.Ref].Type} // embedded ones are no symbols
		}
	}
	found, _ := s.members(t, name)
	if len(found) == 0 {
		return none
	}
	return s.declaredAt(found[0], n, depth)
}

// goResult returns the type of a result of a call in Go.
func (s *search) goResult(f *file, callee ir.Expr, n, depth int) (none declared) {
	list := s.goMeant(f, callee)
	if e := &f.ir.Exprs[callee]; e.Op == ir.Attr && len(list) == 0 {
		return s.goMember(s.typeOf(f, e.A, depth+1), f.ir.String(e.Name), n, depth+1)
	}
	if len(list) == 0 {
		return none
	}
	if t := &list[0].Record.Symbols[list[0].Symbol]; types[string(t.Kind())] {
		return declared{f, callee} // a conversion
	}
	return s.declaredAt(list[0], n, depth)
}
