package graph

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// kotlin is the Language.
type kotlin struct {
	jvm
	takers map[name]takers // how functions of a name take functions
}

// Universal is a member of Any, or of an enum.
func (*kotlin) Universal(e *eval, k *class, _ value, n name) (path string, typed set, ok bool) {
	return e.jvmUniversal("Any", k, n)
}

// CallUndeclared calls what the library has for everything, the copy of a data class, or
// what all objects have.
func (*kotlin) CallUndeclared(e *eval, c *calling, k *class, v value, _ int) (set, bool) {
	if s, ok := e.kotlinOutside(c, v); ok {
		return s, true
	}
	if e.g.names.text[c.name] == "copy" {
		c.external = c.name
		return e.g.values.single(v), true
	}
	return e.callUniversal(c, k, v)
}

// CallLibrary calls a scope function, a method of the library, or an extension of
// everything.
func (*kotlin) CallLibrary(e *eval, c *calling, v value) (set, bool) { return e.kotlinOutside(c, v) }

func (e *eval) kotlinOutside(c *calling, v value) (set, bool) {
	g := e.g
	if s, ok := e.callScope(c, v); ok {
		return s, true
	}
	if s, ok := e.callOutside(c, v); ok {
		return s, true
	}
	if k := g.values.info[v].kind; k == vInst || k == vDecl || k == vParam {
		if list := e.extensionsOfAll(c.name); len(list) > 0 {
			return e.callValues(c, e.bound(list, v, nil, 0), ByType), true
		}
	}
	if g.names.text[c.name] == "to" && len(c.args) == 1 {
		c.external = c.name
		return e.generic("Pair", g.values.single(v), c.args[0].value), true
	}
	return 0, false
}

// FreeCall calls a function of the library without a receiver, a method of a base outside
// of the index, or one of all objects.
func (*kotlin) FreeCall(e *eval, c *calling) (set, bool) {
	if s, ok := e.callFree(c); ok {
		return s, true
	}
	return e.callInherited(c)
}

// Property is a property of the library, or a method of Java.
func (*kotlin) Property(e *eval, v value, n name, pos ir.Pos) (set, bool) {
	if s, ok := e.libraryField(v, n); ok {
		return s, true
	}
	return e.javaProperty(v, n, pos)
}

// MissingProperty is what the compiler adds, or an extension of everything.
func (*kotlin) MissingProperty(e *eval, v value, n name, pos ir.Pos) (set, bool) {
	k, typed, ok := e.enumField(v, n)
	if ok || k == nil {
		return typed, ok
	}
	if list := e.extensionsOfAll(n); len(list) > 0 {
		return e.bound(list, v, nil, pos), true
	}
	return 0, false
}

// Extensions are those that the file sees.
func (*kotlin) Extensions(e *eval, i valueInfo, n name) []entry {
	return e.kotlinExtensions(name(i.id), n)
}

// InSight leaves the extensions that the file sees.
func (*kotlin) InSight(e *eval, list []entry) []entry { return e.inSight(list) }

// Applies says that an extension must be in sight, and take the arguments: a name is
// looked for further out otherwise.
func (*kotlin) Applies(e *eval, m entry, args []argument) bool {
	return e.seesExtension(m) && e.applies(m, args)
}

// Applicable leaves the functions that take the arguments.
func (*kotlin) Applicable(e *eval, s set, args []argument) set { return e.applicable(s, args) }

// Candidates are members before extensions.
func (*kotlin) Candidates(e *eval, list []entry, args []argument) []entry {
	return e.membersFirst(list, args)
}

// BoundReceiver is the receiver of an extension of a type parameter.
func (*kotlin) BoundReceiver(e *eval, n name, args []argument) set { return e.boundReceiver(n, args) }

// LambdaReceiver is the receiver of a lambda.
func (*kotlin) LambdaReceiver(e *eval, n name) (recv set, pending bool) { return e.lambdaReceiver(n) }

// Delegated is what the class delegates to.
func (*kotlin) Delegated(e *eval, k *class, recv value) set { return e.delegated(k, recv) }

// Read is a member of the receiver of a lambda, or a property that runs code.
func (*kotlin) Read(e *eval, n *ir.Node) (set, Rule, bool) {
	nm := e.f.names[n.Name]
	if recv, pending := e.lambdaReceiver(nm); recv != 0 || pending {
		return e.attrAt(recv, nm, n.Pos), ByType, true
	}
	if recv := e.getterReceiver(nm); recv != 0 {
		return e.attrAt(recv, nm, n.Pos), BySelf, true
	}
	return 0, 0, false
}

// Elements are entries, of a map.
func (*kotlin) Elements(e *eval, v value, _ *ir.Node) (set, bool) {
	i := e.g.values.info[v]
	if args := e.g.args(i.args); i.kind == vGeneric && len(args) == 2 && strings.HasSuffix(e.g.names.text[i.id], "Map") {
		return e.generic("Entry", args...), true
	}
	return 0, false
}

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
	if f.lang.name != "kotlin" || f.pkg == e.f.pkg {
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
