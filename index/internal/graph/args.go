package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// choose leaves of several functions of one name those that a call can mean: by
// the number of arguments, then by their types. possible says that more than one
// is left where only one can run.
func (e *eval) choose(list []entry, args []argument) (chosen []entry, possible bool) {
	g := e.g
	list, overloads := e.f.lang.Narrow(g, list)
	var defined []entry
	for _, m := range list {
		if fn := g.fn(m.id); m.kind == ir.FuncMember && fn != nil && fn.Flags&ir.Prototype == 0 {
			defined = append(defined, m)
		}
	}
	if len(defined) == 0 {
		defined = list
	}
	if len(defined) == 1 {
		return defined, false
	}
	if e.f.lang.variants {
		return defined, e.variants(defined)
	}
	for _, m := range defined {
		f := g.entities[m.id].file
		overloads = overloads || f != nil && f.lang.overloads
	}
	if !overloads {
		return defined, false
	}
	fitting := defined[:0:0]
	for _, m := range defined {
		if fn := g.fn(m.id); fn != nil && takes(fn, args) {
			fitting = append(fitting, m)
		}
	}
	if len(fitting) == 0 {
		fitting = defined
	}
	if own := g.withoutExtensions(fitting); len(own) > 0 {
		fitting = own
	}
	if len(fitting) == 1 {
		return fitting, false
	}
	// One that takes a variable number counts only where no other can be meant, and
	// one whose defaults are needed only where none fits without.
	best, score, rest := fitting[:0:0], -1, 1<<10
	for _, m := range fitting {
		n := e.match(m.id, args)
		spare := spareParams(g.fn(m.id), len(args))
		switch {
		case n < 0:
		case spare > rest:
			continue
		case spare < rest:
			best, score, rest = append(best[:0], m), n, spare
			continue
		}
		switch {
		case n > score:
			best, score = append(best[:0], m), n
		case n == score:
			best = append(best, m)
		}
	}
	if score < 0 {
		return fitting, true
	}
	return best, len(best) > 1
}

// overload is choose for a call. Where more of them fit than a set may have, nobody can
// tell which is meant, and the call says so.
func (e *eval) overload(c *calling, list []entry) (chosen []entry, possible bool) {
	chosen, possible = e.choose(list, c.args)
	if len(chosen) > maxValues {
		c.many = true
		return nil, false
	}
	return chosen, possible
}

// withoutExtensions leaves out the methods that are written outside of a class:
// its own come first.
func (g *family) withoutExtensions(list []entry) []entry {
	var own []entry
	for _, m := range list {
		if fn := g.fn(m.id); fn == nil || fn.Flags&ir.Extension == 0 {
			own = append(own, m)
		}
	}
	return own
}

// spareParams is the number of parameters that n arguments leave to their
// defaults; more than any for a function that takes a variable number.
func spareParams(fn *ir.FuncInfo, n int) int {
	for _, p := range fn.Params {
		if p.Kind == ir.Variadic {
			return 1 << 9
		}
	}
	return max(0, len(fn.Params)-n)
}

// takes reports whether a function can be called with so many arguments.
func takes(fn *ir.FuncInfo, args []argument) bool {
	least, most := 0, 0
	for _, p := range fn.Params {
		switch p.Kind {
		case ir.Positional, ir.KwOnly:
			most++
			if p.Default == 0 {
				least++
			}
		case ir.Variadic, ir.KwVariadic:
			most = 1 << 20
		}
	}
	for _, a := range args {
		if a.kind == ir.Spread || a.kind == ir.KwSpread {
			return true
		}
	}
	return len(args) >= least && len(args) <= most
}

// match says how well arguments fit declared parameters: -1 when one cannot be
// what is declared, else a number that grows with each that surely is.
func (e *eval) match(id ID, args []argument) int {
	g := e.g
	fn, f := g.fn(id), g.entities[id].file
	score := 0
	for i, a := range args {
		p := paramFor(fn, f, i, a.name, e.f)
		if p < 0 && a.name != 0 {
			return -1
		}
		if p < 0 || a.value == 0 {
			continue
		}
		declared := f.varTypes[fn.Params[p].Var]
		if fn.Params[p].Kind == ir.Variadic {
			declared = e.elements(declared, nil)
		}
		if declared == 0 {
			continue
		}
		best := -1
		for _, d := range g.elems(declared) {
			for _, v := range g.elems(a.value) {
				best = max(best, e.suits(d, v))
			}
		}
		if best < 0 {
			return -1
		}
		score += best
	}
	return score
}

// suits says how well a value suits a declared type: -1 not at all, 3 exactly.
func (e *eval) suits(d, v value) int {
	g := e.g
	if d == v {
		return 3
	}
	di, vi := g.values.info[d], g.values.info[v]
	up, k := g.classOf(d), g.classOf(v)
	if n, ok := e.f.lang.Suits(e, di, vi, up); ok {
		return n
	}
	switch {
	case up != nil && k != nil:
		if up == k {
			return 3
		}
		if g.isAbove(up, k) {
			return 2
		}
		return -1
	case di.kind == vParam || vi.kind == vParam || vi.kind == vMany:
		return 0
	case up != nil && (vi.kind == vFunc || vi.kind == vBound):
		if up.abstract() {
			return 1
		}
		return -1
	case up != nil && (vi.kind == vExternal || vi.kind == vGeneric):
		return -1
	case k != nil && (di.kind == vExternal || di.kind == vGeneric):
		switch g.names.text[di.id] {
		case "Object", "object", "Any", "any", "mixed", "T":
			return 0
		}
		if k.foreign {
			return 0
		}
		return -1
	case di.kind == vExternal && vi.kind == vExternal:
		return sameWord(g.names.text[di.id], g.names.text[vi.id])
	case di.kind == vGeneric && vi.kind == vGeneric:
		if di.id == vi.id {
			return 2
		}
		return 0
	case di.kind == vGeneric && g.names.text[di.id] == extensionForm && (vi.kind == vFunc || vi.kind == vBound):
		return 2
	case di.kind == vGeneric && g.names.text[di.id] == "func":
		if vi.kind == vFunc || vi.kind == vBound {
			fn := g.fn(ID(vi.id))
			if fn != nil && len(fn.Params) != len(g.args(di.args))-1 {
				return 0
			}
			return 2
		}
		if vi.kind == vExternal {
			return -1
		}
	}
	return 0
}

// literalWords are the words for the same built-in types: of a literal, and of a
// declaration.
var literalWords = map[string]string{
	"String": "string", "str": "string", "&str": "string", "Str": "string", "std.string": "string", "char*": "string", "const char": "string", "string_view": "string",
	"Int": "int", "Integer": "int", "integer": "int", "long": "int", "Long": "int", "short": "int", "byte": "int", "unsigned": "int", "size_t": "int",
	"Double": "float", "double": "float", "Float": "float", "decimal": "float",
	"Boolean": "bool", "boolean": "bool", "Bool": "bool",
	"Char": "char", "Character": "char",
}

func sameWord(a, b string) int {
	if a == b {
		return 3
	}
	x, y := a, b
	if w, ok := literalWords[a]; ok {
		x = w
	}
	if w, ok := literalWords[b]; ok {
		y = w
	}
	switch {
	case x == y:
		return 2
	case x == "Object" || x == "object" || x == "Any" || x == "any" || x == "mixed":
		return 0
	case isWord(x) && isWord(y):
		if x == "float" && y == "int" {
			return 1
		}
		return -1
	}
	return 0
}

func isWord(s string) bool {
	switch s {
	case "string", "int", "float", "bool", "char":
		return true
	}
	return false
}

// paramFor returns the number of the parameter that takes an argument, or -1.
func paramFor(fn *ir.FuncInfo, f *file, i int, keyword ir.Str, from *file) int {
	if keyword != 0 {
		n := from.names[keyword]
		for p := range fn.Params {
			if f.names[fn.Params[p].Name] == n {
				return p
			}
		}
		for p := range fn.Params {
			if fn.Params[p].Kind == ir.KwVariadic {
				return p
			}
		}
		return -1
	}
	for p := range fn.Params {
		switch fn.Params[p].Kind {
		case ir.Variadic:
			return p
		case ir.Positional:
			if i == 0 {
				return p
			}
			i--
		}
	}
	return -1
}

// passArgs lets arguments flow into parameters.
func (e *eval) passArgs(c *calling, id ID, recv value, at *step) {
	g := e.g
	fn := g.fn(id)
	if fn == nil || e.n == 0 {
		return
	}
	f := g.entities[id].file
	var found map[valueInfo]set
	for i, a := range c.args {
		switch a.kind {
		case ir.Spread, ir.KwSpread:
			items := e.elements(a.value, nil)
			for p := range fn.Params {
				if p >= i {
					e.pass(id, p, e.spread(a, fn, f, p, p-i, items))
				}
			}
			continue
		case ir.Block:
			e.write(cellKey{cBlock, id, 0}, a.value)
			if p := len(fn.Params) - 1; p >= 0 && fn.Params[p].Kind == ir.Positional {
				e.give1(c, id, fn, f, p, a.value, &found, recv)
			}
			continue
		}
		p := paramFor(fn, f, i, a.name, e.f)
		if p < 0 {
			continue
		}
		s := a.value
		switch fn.Params[p].Kind {
		case ir.Variadic:
			s = e.generic("list", s)
		case ir.KwVariadic:
			s = e.generic("map", 0, s)
		}
		e.give1(c, id, fn, f, p, s, &found, recv)
		e.f.lang.ExpectArgument(e, c, id, recv, a.x, p)
	}
}

// spread is what a spread argument gives a parameter.
func (e *eval) spread(a argument, fn *ir.FuncInfo, f *file, p, nth int, items set) set {
	switch {
	case fn.Params[p].Kind == ir.Variadic:
		return e.generic("list", items)
	case fn.Params[p].Kind == ir.KwVariadic:
		return e.generic("map", 0, items)
	case a.kind == ir.KwSpread:
		return e.item(a.value, f.ir.String(fn.Params[p].Name))
	}
	return e.item(a.value, itemName(nth))
}

func (e *eval) give1(c *calling, id ID, fn *ir.FuncInfo, f *file, p int, s set, found *map[valueInfo]set, recv value) {
	declared := f.varTypes[fn.Params[p].Var]
	if declared != 0 && e.hasFunc(s) {
		if *found == nil {
			*found = e.bindings(c, id, recv)
		}
		k := e.g.classOf(recv)
		e.contextual(s, declared, func(p valueInfo) (set, bool) {
			if r := (*found)[p]; r != 0 {
				return r, true
			}
			if k != nil {
				return e.g.argOf(recv, k, p)
			}
			return 0, false
		})
	}
	e.pass(id, p, s)
}

func (e *eval) hasFunc(s set) bool {
	for _, v := range e.g.elems(s) {
		if k := e.g.values.info[v].kind; k == vFunc || k == vBound {
			return true
		}
	}
	return false
}

// contextual gives the parameters of a function the types that the place where it
// is passed declares.
func (e *eval) contextual(s, declared set, with func(valueInfo) (set, bool)) {
	g := e.g
	for _, d := range g.elems(declared) {
		i := g.values.info[d]
		args := g.args(i.args)
		if i.kind == vGeneric && g.names.text[i.id] == extensionForm && len(args) > 1 {
			e.contextualReceiver(s, args[:len(args)-1], with)
			continue
		}
		if i.kind != vGeneric || g.names.text[i.id] != "func" || len(args) < 2 {
			if c := g.classOf(d); c != nil && c.target != 0 {
				e.inside(d, func() { e.contextual(s, c.target, with) })
			} else if c != nil && c.abstract() {
				e.contextualMethod(s, d, c)
			} else if i.kind == vGeneric {
				e.f.lang.ContextOf(e, s, i, with)
			}
			continue
		}
		for _, v := range g.elems(s) {
			vi := g.values.info[v]
			if vi.kind != vFunc && vi.kind != vBound {
				continue
			}
			for p := range args[:len(args)-1] {
				t := args[p]
				if with != nil {
					t = g.subst(t, with)
				}
				e.pass(ID(vi.id), p, t)
			}
		}
	}
}

// contextualMethod is contextual for an interface with one method.
func (e *eval) contextualMethod(s set, d value, c *class) {
	g := e.g
	var only *ir.FuncInfo
	var f *file
	for _, m := range c.bag.entries {
		if fn := g.fn(m.id); m.kind == ir.FuncMember && fn != nil && fn.Flags&ir.Abstract != 0 {
			if only != nil {
				return
			}
			only, f = fn, g.entities[m.id].file
		}
	}
	if only == nil {
		return
	}
	for _, v := range g.elems(s) {
		vi := g.values.info[v]
		if vi.kind != vFunc && vi.kind != vBound {
			continue
		}
		for p := range only.Params {
			t := g.subst(f.varTypes[only.Params[p].Var], func(q valueInfo) (set, bool) { return g.argOf(d, c, q) })
			e.pass(ID(vi.id), p, t)
		}
	}
}

// pass lets a value flow into a parameter.
func (e *eval) pass(id ID, p int, s set) {
	fn := e.g.fn(id)
	if fn == nil || s == 0 || p < 0 || p >= len(fn.Params) { // a deleter takes nothing
		return
	}
	f := e.g.entities[id].file
	if f.closed(e.g, fn.Params[p].Var) {
		return
	}
	e.become(f.varTypes[fn.Params[p].Var], s)
	e.write(cellKey{cParam, id, uint32(p)}, e.admit(f.varTypes[fn.Params[p].Var], s))
}

// passSelf lets a receiver flow into a method.
func (e *eval) passSelf(id ID, recv value) {
	if recv == 0 {
		return
	}
	f := e.g.entities[id].file
	if f == nil || !f.lang.dynamic && e.g.values.info[recv].kind != vObject {
		return
	}
	e.write(cellKey{cSelf, id, 0}, e.g.values.single(recv))
}

// builtinForms are the types that are written without a name.
var builtinForms = words("list map chan func tuple object iterator")

// variants reports whether functions of one name are for different builds, of
// which each has one: they lie in different files.
func (e *eval) variants(list []entry) bool {
	for i, m := range list {
		for _, o := range list[:i] {
			if e.g.entities[m.id].file == e.g.entities[o.id].file {
				return false
			}
		}
	}
	return true
}

func literalWord(s string) string {
	if w, ok := literalWords[s]; ok {
		return w
	}
	return s
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

// hasReceiver reports whether a function literal of a file has a receiver.
func (e *eval) hasReceiver(f *file, fn ir.Func) bool { return f.lang.HasReceiver(e.g, f, fn) }
