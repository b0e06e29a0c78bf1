package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// javaProperty is a property of Kotlin that is a method of Java, unless it is a field
// that Kotlin sees.
func (e *eval) javaProperty(v value, n name, pos ir.Pos) (set, bool) {
	g := e.g
	k := g.classOf(v)
	if k == nil {
		return 0, false
	}
	if list, at := g.member(k, n); at >= 0 && (list[0].open || g.entities[list[0].id].file.lang.name != "java") {
		return 0, false
	}
	for _, prefix := range [...]string{"get", "is"} {
		if list := e.accessorOf(k, prefix, n); len(list) > 0 {
			e.property(list[0].id, pos)
			return e.returned(list[0].id, v, nil), true
		}
	}
	return 0, false
}

// accessorOf finds the method of Java that a property of Kotlin stands for.
func (e *eval) accessorOf(k *class, prefix string, n name) []entry {
	g := e.g
	text := g.names.text[n]
	if prefix == "is" && strings.HasPrefix(text, "is") {
		prefix = ""
	} else if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	id, ok := g.names.lookup(prefix + text)
	if !ok {
		return nil
	}
	list, at := g.member(k, id)
	if at < 0 || list[0].kind != ir.FuncMember || g.entities[list[0].id].file.lang.name != "java" {
		return nil
	}
	return list
}

// kotlinProperty is a call of Java of the accessor of a property of Kotlin.
func (e *eval) kotlinProperty(c *calling, v value) (set, bool) {
	g := e.g
	text := g.names.text[c.name]
	set0, rest := false, ""
	switch {
	case strings.HasPrefix(text, "get"):
		rest = text[3:]
	case strings.HasPrefix(text, "set"):
		set0, rest = true, text[3:]
	case strings.HasPrefix(text, "is"):
		rest = "I" + text[1:]
	}
	k := g.classOf(v)
	if rest == "" || k == nil {
		return 0, false
	}
	id, ok := g.names.lookup(strings.ToLower(rest[:1]) + rest[1:])
	if !ok {
		return 0, false
	}
	list, at := g.member(k, id)
	if at < 0 || g.entities[list[0].id].file.lang.name != "kotlin" {
		return 0, false
	}
	c.known = true
	if set0 {
		if len(c.args) == 1 {
			e.setMember(list, v, c.args[0].value, c.node.Pos)
		}
		return 0, true
	}
	step := g.lineOf(k)[at]
	return e.bound(list, v, &step, c.node.Pos), true
}

// facade is the file that Java knows by a class named after it: AppKt for App.kt.
func (e *eval) facade(f *file, n name) ID {
	g := e.g
	text := g.names.text[n]
	if f.lang.name != "java" || !strings.HasSuffix(text, "Kt") {
		return 0
	}
	base := strings.TrimSuffix(text, "Kt") + ".kt"
	pkgs := []ID{f.pkg}
	for i := 1; i < len(f.ir.Imports); i++ {
		if f.names[f.ir.Imports[i].Name] == n {
			pkgs = []ID{g.namespace("jvm", f.ir.String(f.ir.Imports[i].Module))}
		}
	}
	for _, pkg := range pkgs {
		for _, m := range g.bag(pkg).entries {
			if o := g.entities[m.id].file; o != nil && path.Base(o.path) == base {
				return o.id
			}
		}
	}
	return 0
}

// AlsoSaid adds to what a file says of its names what that means to the other
// language: the methods getX and setX of Java are the property x of Kotlin, and the
// other way round, and the functions of X.kt are in the class XKt.
func (*jvm) AlsoSaid(g *family, f *file, out map[name]uint64) {
	derived := map[name]uint64{}
	property := func(list []ir.Member) {
		for _, m := range list {
			if m.Kind == ir.FuncMember && f.ir.Funcs[m.Ref].Flags&(ir.Getter|ir.Setter) == 0 || m.Kind > ir.VarMember || m.Kind == ir.ClassMember {
				continue
			}
			if text := f.ir.String(m.Name); text != "" {
				upper := strings.ToUpper(text[:1]) + text[1:]
				for _, prefix := range [...]string{"get", "set", "is"} {
					derived[g.names.intern(prefix+upper)] += out[f.names[m.Name]]
				}
			}
		}
	}
	if f.lang.name == "kotlin" {
		for c := 1; c < len(f.ir.Classes); c++ {
			property(f.ir.Classes[c].Members)
		}
		derived[g.names.intern(strings.TrimSuffix(path.Base(f.path), ".kt")+"Kt")]++
	} else {
		for n, h := range out {
			text := g.names.text[n]
			if rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "get"), "set"), "is"); rest != text && rest != "" {
				derived[g.names.intern(strings.ToLower(rest[:1])+rest[1:])] += h
			}
		}
	}
	for n, h := range derived {
		out[n] += h
	}
}
