package resolve

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// javaProperty is a property of Kotlin that is a method of Java, unless it is a field
// that Kotlin sees.
func javaProperty(e *eval.Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	k := g.ClassOf(v)
	if k == nil {
		return 0, false
	}
	if list, at := g.Member(k, n); at >= 0 && (list[0].Open || g.Entities[list[0].ID].File.Lang.Name != "java") {
		return 0, false
	}
	for _, prefix := range [...]string{"get", "is"} {
		if list := accessorOf(e, k, prefix, n); len(list) > 0 {
			e.Property(list[0].ID, pos)
			return e.Returned(list[0].ID, v, nil), true
		}
	}
	return 0, false
}

// accessorOf finds the method of Java that a property of Kotlin stands for.
func accessorOf(e *eval.Evaluator, k *program.Class, prefix string, n intern.Name) []program.Entry {
	g := e.Family
	text := g.Names.Text[n]
	if prefix == "is" && strings.HasPrefix(text, "is") {
		prefix = ""
	} else if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	id, ok := g.Names.Lookup(prefix + text)
	if !ok {
		return nil
	}
	list, at := g.Member(k, id)
	if at < 0 || list[0].Kind != ir.FuncMember || g.Entities[list[0].ID].File.Lang.Name != "java" {
		return nil
	}
	return list
}

// kotlinProperty is a call of Java of the accessor of a property of Kotlin.
func kotlinProperty(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	g := e.Family
	text := g.Names.Text[c.Name]
	set0, rest := false, ""
	switch {
	case strings.HasPrefix(text, "get"):
		rest = text[3:]
	case strings.HasPrefix(text, "set"):
		set0, rest = true, text[3:]
	case strings.HasPrefix(text, "is"):
		rest = "I" + text[1:]
	}
	k := g.ClassOf(v)
	if rest == "" || k == nil {
		return 0, false
	}
	id, ok := g.Names.Lookup(strings.ToLower(rest[:1]) + rest[1:])
	if !ok {
		return 0, false
	}
	list, at := g.Member(k, id)
	if at < 0 || g.Entities[list[0].ID].File.Lang.Name != "kotlin" {
		return 0, false
	}
	c.Known = true
	if set0 {
		if len(c.Args) == 1 {
			e.SetMember(list, v, c.Args[0].Value, c.Node.Pos)
		}
		return 0, true
	}
	ancestor := g.MRO(k)[at]
	return e.Bound(list, v, &ancestor, c.Node.Pos), true
}

// facade is the file that Java knows by a class named after it: AppKt for App.kt.
func facade(e *eval.Evaluator, f *program.File, n intern.Name) edge.ID {
	g := e.Family
	text := g.Names.Text[n]
	if f.Lang.Name != "java" || !strings.HasSuffix(text, "Kt") {
		return 0
	}
	base := strings.TrimSuffix(text, "Kt") + ".kt"
	pkgs := []edge.ID{f.Pkg}
	for i := 1; i < len(f.IR.Imports); i++ {
		if f.Names[f.IR.Imports[i].Name] == n {
			pkgs = []edge.ID{g.Namespace("jvm", f.IR.String(f.IR.Imports[i].Module))}
		}
	}
	for _, pkg := range pkgs {
		for _, m := range g.Bag(pkg).Entries {
			if o := g.Entities[m.ID].File; o != nil && path.Base(o.Path) == base {
				return o.ID
			}
		}
	}
	return 0
}

// AlsoSaid adds to what a file says of its names what that means to the other
// language: the methods getX and setX of Java are the property x of Kotlin, and the
// other way round, and the functions of X.kt are in the class XKt.
func (*jvm) AlsoSaid(g *program.Family, f *program.File, out map[intern.Name]uint64) {
	derived := map[intern.Name]uint64{}
	property := func(list []ir.Member) {
		for _, m := range list {
			if m.Kind == ir.FuncMember && f.IR.Funcs[m.Ref].Flags&(ir.Getter|ir.Setter) == 0 || m.Kind > ir.VarMember || m.Kind == ir.ClassMember {
				continue
			}
			if text := f.IR.String(m.Name); text != "" {
				upper := strings.ToUpper(text[:1]) + text[1:]
				for _, prefix := range [...]string{"get", "set", "is"} {
					derived[g.Names.Intern(prefix+upper)] += out[f.Names[m.Name]]
				}
			}
		}
	}
	if f.Lang.Name == "kotlin" {
		for c := 1; c < len(f.IR.Classes); c++ {
			property(f.IR.Classes[c].Members)
		}
		derived[g.Names.Intern(strings.TrimSuffix(path.Base(f.Path), ".kt")+"Kt")]++
	} else {
		for n, h := range out {
			text := g.Names.Text[n]
			if rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "get"), "set"), "is"); rest != text && rest != "" {
				derived[g.Names.Intern(strings.ToLower(rest[:1])+rest[1:])] += h
			}
		}
	}
	for n, h := range derived {
		out[n] += h
	}
}
