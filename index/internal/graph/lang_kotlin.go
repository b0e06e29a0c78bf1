package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// extensionForm is the built-in form of function types with a receiver.
const extensionForm = "extfunc"

// delegateField is the field that holds what a class of Kotlin delegates to.
const delegateField = "<by>"

// takers counts the functions of Kotlin of one name that take functions: with a
// receiver, and without one.
type takers struct{ with, without int }

// countTakers counts the functions of a file in or out.
func (g *Graph) countTakers(r *file, n int) {
	if r.lang.name != "kotlin" {
		return
	}
	if n > 0 {
		r.findTakers()
		r.findPassed()
	}
	for of, k := range r.takers {
		t := g.takers[of]
		g.takers[of] = takers{t.with + n*k.with, t.without + n*k.without}
	}
}

// findTakers finds the functions of a file that take functions.
func (f *file) findTakers() {
	f.takers = map[name]takers{}
	for i := 2; i < len(f.ir.Funcs); i++ {
		info := &f.ir.Funcs[i]
		if info.Name == 0 {
			continue
		}
		with, without := 0, 0
		for _, p := range info.Params {
			if t := &f.ir.Exprs[p.Type]; t.Op != ir.Apply || t.A != 0 {
				continue
			} else if text := f.ir.String(t.Name); text == extensionForm {
				with = 1
			} else if text == "func" {
				without = 1
			}
		}
		if with|without != 0 {
			t := f.takers[f.names[info.Name]]
			f.takers[f.names[info.Name]] = takers{t.with + with, t.without + without}
		}
	}
}

// findPassed notes to which function each lambda of a file is passed.
func (f *file) findPassed() {
	f.passed = map[ir.Func]passed{}
	for i := range f.ir.Exprs {
		n := &f.ir.Exprs[i]
		if n.Op != ir.Call {
			continue
		}
		for _, a := range f.ir.Args[n.Lo:n.Hi] {
			if x := &f.ir.Exprs[a.X]; x.Op == ir.Lambda {
				fn := &f.ir.Exprs[n.A]
				if fn.Op == ir.Apply {
					fn = &f.ir.Exprs[fn.A]
				}
				if fn.Op == ir.Name || fn.Op == ir.Attr || fn.Op == ir.Local {
					f.passed[ir.Func(x.Ref)] = passed{f.names[fn.Name], fn.Op == ir.Attr}
				}
			}
		}
	}
}

// passed is the function that a lambda is passed to.
type passed struct {
	to     name
	member bool // called on something
}

// hasReceiver reports whether a lambda is one with a receiver. It goes by the name
// of the function that it is passed to, which does not depend on what flows where.
func (e *eval) hasReceiver(f *file, fn ir.Func) bool {
	p, ok := f.passed[fn]
	if !ok {
		return false
	}
	if t := e.g.takers[p.to]; t != (takers{}) {
		return t.with > 0
	}
	switch e.g.names.text[p.to] {
	case "apply", "run":
		return p.member
	case "with":
		return !p.member
	}
	return false
}

// lambdaReceiver finds the receiver of a lambda around that has a function or
// property of the name. pending says that the receiver is not known yet: nothing
// further out may be taken for it.
func (e *eval) lambdaReceiver(n name) (recv set, pending bool) {
	if e.f.lang.name != "kotlin" || len(e.f.passed) == 0 || e.fields {
		return 0, false
	}
	g, f := e.g, e.f.ir
	if c := g.names.text[n]; c == "" || c[0] >= 'A' && c[0] <= 'Z' {
		return 0, false
	}
	for fn := e.fn; fn > 1; fn = f.Funcs[fn].Outer {
		info := &f.Funcs[fn]
		if info.Name != 0 || info.Class != 0 && !e.hasReceiver(e.f, fn) {
			return 0, false
		}
		if !e.hasReceiver(e.f, fn) {
			continue
		}
		s := e.cell(cellKey{cSelf, e.f.funcs[fn], 0})
		if s == 0 {
			return 0, true
		}
		for _, v := range g.elems(s) {
			if e.hasMember(v, n) {
				recv = g.union(recv, g.values.single(v))
			}
		}
		if recv != 0 {
			return recv, false
		}
	}
	return 0, false
}

// hasMember reports whether the files of the index give a value a member.
func (e *eval) hasMember(v value, n name) bool {
	g := e.g
	i := g.values.info[v]
	switch i.kind {
	case vInst, vDecl:
		k := g.classes[ID(i.id)]
		if k == nil {
			return false
		}
		_, at := g.member(k, n)
		return at >= 0
	case vExternal, vGeneric:
		return len(e.kotlinExtensions(name(i.id), n)) > 0
	}
	return false
}

// scopeFunction is what a function of the library does with what it is called on:
// that is the parameter of the lambda, or its receiver; and it returns what the
// lambda returns, or what it was called on.
type scopeFunction struct{ receiver, same bool }

var scopeFunctions = map[string]scopeFunction{
	"let": {false, false}, "also": {false, true}, "takeIf": {false, true}, "takeUnless": {false, true}, "use": {false, false},
	"run": {true, false}, "apply": {true, true}, "with": {true, false}, "runCatching": {true, false}, "onEach": {false, true},
}

// callScope calls such a function on a value.
func (e *eval) callScope(c *calling, v value) (set, bool) {
	if e.f.lang.name != "kotlin" || len(c.args) == 0 {
		return 0, false
	}
	g := e.g
	what, ok := scopeFunctions[g.names.text[c.name]]
	lambda := c.args[len(c.args)-1]
	if !ok || !e.hasFunc(lambda.value) {
		return 0, false
	}
	recv := g.values.single(v)
	out := set(0)
	if what.same {
		out = recv
	}
	for _, w := range g.elems(lambda.value) {
		i := g.values.info[w]
		if i.kind != vFunc && i.kind != vBound {
			continue
		}
		if what.receiver && g.entities[i.id].name == 0 {
			e.write(cellKey{cSelf, ID(i.id), 0}, recv)
		} else {
			e.pass(ID(i.id), 0, recv)
		}
		if !what.same {
			out = g.union(out, e.returned(ID(i.id), i.base, nil))
		}
	}
	c.external = c.name
	return out, true
}

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
		if id, ok := g.names.ids[open[at]]; ok {
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
		if id, ok := e.g.names.ids[word]; ok {
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
	id, ok := e.g.names.ids[delegateField]
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

// contextualReceiver gives lambdas the receiver and the parameters that a function
// type with a receiver has.
func (e *eval) contextualReceiver(s set, types []set, with func(valueInfo) (set, bool)) {
	g := e.g
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		if i.kind != vFunc && i.kind != vBound {
			continue
		}
		f := g.entities[i.id].file
		lambda := f != nil && g.entities[i.id].name == 0 && e.hasReceiver(f, ir.Func(g.entities[i.id].ref))
		for p, t := range types {
			if with != nil {
				t = g.subst(t, with)
			}
			switch {
			case !lambda:
				e.pass(ID(i.id), p, t)
			case p == 0:
				e.write(cellKey{cSelf, ID(i.id), 0}, t)
			default:
				e.pass(ID(i.id), p-1, t)
			}
		}
	}
}
