package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// extensionForm is the built-in form of function types with a receiver.
const extensionForm = "extfunc"

// delegateField is the field that holds what a class of Kotlin delegates to.
const delegateField = "<by>"

// inSight leaves of extensions of Kotlin those that the file sees: of its package,
// imported, or of a class.
func (e *eval) inSight(list []entry) []entry {
	hidden := func(m entry) bool { return !e.seesExtension(m) }
	if !slices.ContainsFunc(list, hidden) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), hidden)
}

func (e *eval) seesExtension(m entry) bool {
	g := e.g
	fn := g.fn(m.id)
	if m.kind != ir.FuncMember || fn == nil || fn.Flags&ir.Extension == 0 || fn.Class != 0 || fn.Outer != 0 {
		return true
	}
	f := g.entities[m.id].file
	if f.lang.name != "kotlin" || e.f == nil || f.pkg == e.f.pkg {
		return true
	}
	pkg := f.ir.String(f.ir.Package)
	for i := 1; i < len(e.f.ir.Imports); i++ {
		info := &e.f.ir.Imports[i]
		if e.f.ir.String(info.Module) != pkg {
			continue
		}
		if n := e.f.ir.String(info.Name); n == "*" || n == f.ir.String(fn.Name) {
			return true
		}
	}
	return false
}

// above are the types of the library that a type of it is one of, as far as
// extensions are written for them.
var above = map[string][]string{
	"MutableList": {"List"}, "ArrayList": {"MutableList"}, "List": {"Collection"}, "MutableSet": {"Set"}, "Set": {"Collection"},
	"HashSet": {"MutableSet"}, "MutableCollection": {"Collection"}, "Collection": {"Iterable"}, "list": {"List"},
	"MutableMap": {"Map"}, "HashMap": {"MutableMap"}, "LinkedHashMap": {"MutableMap"}, "map": {"Map"},
	"String": {"CharSequence"}, "StringBuilder": {"CharSequence"},
	"Int": {"Number"}, "Long": {"Number"}, "Double": {"Number"}, "Float": {"Number"}, "Short": {"Number"}, "Byte": {"Number"},
}

// kotlinExtensions are the extensions of a name that the file sees for a type of the
// library, those of the types above it included.
func (e *eval) kotlinExtensions(typ, n name) []entry {
	g := e.g
	open := []string{simpleName(g.names.text[typ])}
	for at := 0; at < len(open); at++ {
		if id, ok := g.names.lookup(open[at]); ok {
			if b := g.foreign[id]; b != nil {
				if list := e.inSight(g.find(b, n)); len(list) > 0 {
					return list
				}
			}
		}
		open = append(open, above[open[at]]...)
	}
	return e.extensionsOfAll(n)
}

// extensionsOfAll are those of every type: of Any, and of type parameters.
func (e *eval) extensionsOfAll(n name) []entry {
	for _, word := range [...]string{"Any", anyItem} {
		if id, ok := e.g.names.lookup(word); ok {
			if b := e.g.foreign[id]; b != nil {
				if list := e.inSight(e.g.find(b, n)); len(list) > 0 {
					return list
				}
			}
		}
	}
	return nil
}

// membersFirst leaves the extensions out of the functions of one name of a class
// where a member can be called: it wins.
func (e *eval) membersFirst(list []entry, args []argument) []entry {
	list = e.inSight(list)
	extension := func(m entry) bool {
		fn := e.g.fn(m.id)
		return fn != nil && fn.Flags&ir.Extension != 0
	}
	if len(list) < 2 || !slices.ContainsFunc(list, extension) {
		return list
	}
	members := slices.DeleteFunc(slices.Clone(list), extension)
	if slices.ContainsFunc(members, func(m entry) bool { return e.applies(m, args) }) {
		return members
	}
	if rest := slices.DeleteFunc(slices.Clone(list), func(m entry) bool { return !extension(m) }); len(members) > 0 && len(rest) > 0 {
		return rest
	}
	return list
}

// applies reports whether a function can be called with arguments, as far as their
// number and the lambdas among them say.
func (e *eval) applies(m entry, args []argument) bool {
	g := e.g
	fn := g.fn(m.id)
	if fn == nil {
		return false
	}
	if fn.Flags&ir.Getter != 0 {
		return true
	}
	if !takes(fn, args) {
		return false
	}
	f := g.entities[m.id].file
	for i, a := range args {
		p := -1
		if a.kind == ir.Block {
			p = len(fn.Params) - 1
		} else if x := &e.f.ir.Exprs[a.x]; x.Op == ir.Lambda {
			p = paramFor(fn, f, i, a.name, e.f)
		}
		if p < 0 {
			continue
		}
		for _, d := range g.elems(f.varTypes[fn.Params[p].Var]) {
			if di := g.values.info[d]; di.kind == vExternal && literalWords[g.names.text[di.id]] != "" {
				return false
			}
		}
	}
	return true
}

// applicable leaves the functions out of some values that cannot be called with the
// arguments.
func (e *eval) applicable(s set, args []argument) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		if i := g.values.info[v]; i.kind == vFunc || i.kind == vBound {
			if !e.applies(entry{id: ID(i.id)}, args) || !e.seesExtension(entry{kind: ir.FuncMember, id: ID(i.id)}) {
				continue
			}
		}
		out = g.union(out, g.values.single(v))
	}
	return out
}

// boundReceiver is the receiver of an extension of a type parameter, if the bound of
// that has a function of the name.
func (e *eval) boundReceiver(n name, args []argument) set {
	g := e.g
	out := set(0)
	for fn := e.fn; fn > 1; fn = e.f.ir.Funcs[fn].Outer {
		if e.f.ir.Funcs[fn].Recv == 0 {
			continue
		}
		for _, v := range g.elems(e.f.recv[fn]) {
			if i := g.values.info[v]; i.kind == vParam {
				for _, w := range g.elems(e.boundOf(i)) {
					if k := g.classOf(w); k != nil && e.hasFunction(k, n, args) {
						out = g.union(out, g.values.single(w))
					}
				}
			}
		}
		break
	}
	return out
}

// delegated are the values that an instance of a class passes the calls on to that
// the class does not answer itself.
func (e *eval) delegated(k *class, recv value) set {
	if k.file.lang.name != "kotlin" {
		return 0
	}
	id, ok := e.g.names.lookup(delegateField)
	if !ok {
		return 0
	}
	list, at := e.g.member(k, id)
	if at < 0 {
		return 0
	}
	step := e.g.lineOf(k)[at]
	return e.bound(list, recv, &step, 0)
}
