package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// rubyCall resolves a call without a receiver: of a method of what self is, else of
// a function at the top of any file, which every object has, else of the library.
func (e *eval) rubyCall(c *calling) set {
	g := e.g
	text := g.names.text[c.name]
	out := set(0)
	if self := e.self(e.fn); self != 0 {
		out = e.callMember(c, self, BySelf)
	}
	if len(c.hits) > 0 || c.external != 0 && !kernelMethods[text] {
		return out
	}
	s, found := set(0), 0
	for _, m := range g.find(g.bag(e.f.pkg), c.name) {
		if m.kind == ir.FuncMember {
			s = g.union(s, e.entryValue(m, 0))
			if found++; found == maxSame {
				break
			}
		}
	}
	if s != 0 {
		return e.callValues(c, s, ByScope)
	}
	c.reason = UnknownMember
	if kernelMethods[text] {
		c.external = c.name
		return g.union(out, e.outside(c, 0))
	}
	return out
}

// atTopRuby finds a name at the top: what any file defines there is seen in all.
func (e *eval) atTopRuby(f *file, n name) (s set, found bool, rule Rule) {
	g := e.g
	if list := g.find(g.bag(f.pkg), n); len(list) > 0 {
		rule = ByImport
		for _, m := range list {
			if g.entities[m.id].file == f {
				rule = ByScope
				break
			}
		}
		return g.union(e.entries(list, 0), e.cell(cellKey{cName, f.id, uint32(n)})), true, rule
	}
	if s := e.cell(cellKey{cName, f.id, uint32(n)}); s != 0 {
		return s, true, ByScope
	}
	if rubyConstant(g.names.text[n]) {
		return e.external(n), false, 0
	}
	return 0, false, 0
}

// rubyConstant reports whether a name is a constant's. One that no file defines is
// of a library: constants are the same in all files.
func rubyConstant(text string) bool { return text != "" && text[0] >= 'A' && text[0] <= 'Z' }

// rubyObject says that a call without an edge is one of a method of the library that
// every object has.
func (e *eval) rubyObject(c *calling) {
	if e.f.lang.family != "ruby" || c.external != 0 {
		return
	}
	switch e.g.names.text[c.name] {
	case "is_a?", "kind_of?", "instance_of?", "nil?", "respond_to?", "freeze", "frozen?", "dup", "clone", "itself", "object_id", "hash", "inspect",
		"to_s", "instance_variable_get", "instance_variable_set", "instance_variables", "instance_variable_defined?", "methods", "tap", "then",
		"class", "singleton_class", "name", "ancestors", "instance_methods", "method_defined?", "const_get", "const_set", "class_eval",
		"instance_eval", "instance_exec", "module_eval", "private_constant", "private_class_method", "public_instance_methods", "superclass",
		"is_a", "equal?", "eql?", "display", "extend", "to_enum", "enum_for", "define_singleton_method", "singleton_methods", "class_exec",
		"alias_method", "remove_method", "undef_method", "instance_method", "const_missing", "attr_accessor", "attr_reader", "attr_writer",
		"public", "private", "protected", "module_function", "include", "prepend", "define_method", "constants", "const_defined?", "included_modules":
		c.external = c.name
	}
}

// rubyLibrary is a call of a method of a container that the lowering has followed
// into its block already.
func (e *eval) rubyLibrary(c *calling, recv value) (set, bool) {
	if e.f.lang.family != "ruby" || recv == 0 {
		return 0, false
	}
	for _, a := range c.args {
		if a.kind != ir.Block {
			continue
		}
		for _, v := range e.g.elems(a.value) {
			i := e.g.values.info[v]
			if i.kind != vFunc && i.kind != vBound {
				return 0, false
			}
			if fn := e.g.fn(ID(i.id)); fn == nil || fn.Name != 0 {
				return 0, false // a method as a block
			}
		}
	}
	switch e.g.names.text[c.name] {
	case "each", "reverse_each", "each_pair", "select", "filter", "reject", "each_with_index", "sort_by", "partition", "find_all", "filter_map",
		"map", "collect", "flat_map", "any?", "all?", "none?", "one?", "count", "sum", "find", "detect", "find_index", "min_by", "max_by",
		"each_with_object", "each_value", "inject", "reduce", "push", "append", "unshift", "first", "last", "sample", "pop", "shift", "size",
		"length", "empty?", "include?", "key?", "keys", "join", "to_s", "inspect", "sort", "reverse", "compact", "uniq", "take", "drop", "to_a":
		return e.external(c.external), true
	}
	return 0, false
}

// classMethodsOf are the methods that a module gives the classes that include it, by
// the convention of ActiveSupport's concerns.
func (e *eval) classMethodsOf(c *class, v value, n name, pos ir.Pos) (set, bool) {
	g := e.g
	if c.file.lang.family != "ruby" || c.info.Kind != ir.Trait {
		return 0, false
	}
	for _, m := range g.declared(c, g.names.intern("ClassMethods")) {
		if m.kind != ir.ClassMember {
			continue
		}
		if k := g.classes[g.canonicalID(m.id)]; k != nil {
			if list := g.declared(k, n); len(list) > 0 {
				return e.bound(list, v, nil, pos), true
			}
		}
	}
	return 0, false
}

// A pathPart is a class that is written by its path: class A::B.
type pathPart struct {
	file *file
	c    ir.Class
}

// mergePaths puts classes that are written by their paths where their paths lead.
func (g *family) mergePaths(list []pathPart, first map[place]ID) {
	for _, x := range list {
		f, info := x.file, &x.file.ir.Classes[x.c]
		path := f.ir.String(info.Name)
		last := strings.LastIndexByte(path, '.')
		var around []ID // where the path may begin
		for c := info.Outer; c != 0; c = f.ir.Classes[c].Outer {
			around = append(around, g.canonical(f, c))
		}
		outer := ID(0)
		for _, at := range append(around, f.pkg) {
			outer = at
			for _, segment := range strings.Split(path[:last], ".") {
				if outer = first[place{outer: outer, name: g.names.intern(segment)}]; outer == 0 {
					break
				}
				outer = g.canonicalID(outer)
			}
			if outer != 0 {
				break
			}
		}
		if outer == 0 {
			continue
		}
		own := g.names.intern(path[last+1:])
		at := place{outer: outer, name: own}
		id := f.classes[x.c]
		if main, ok := first[at]; ok {
			g.partOf[id] = main
			continue
		}
		first[at] = id
		g.inner[outer] = append(g.inner[outer], entry{name: own, kind: ir.ClassMember, static: true, open: true, id: id, ref: uint32(x.c)})
	}
}

// memberClasses are the classes of a file that have a name in what they are
// written in.
func (f *file) memberClasses() []bool {
	named := make([]bool, len(f.ir.Classes))
	mark := func(list []ir.Member) {
		for _, m := range list {
			if m.Kind == ir.ClassMember {
				named[m.Ref] = true
			}
		}
	}
	mark(f.ir.Top)
	for c := range f.ir.Classes {
		mark(f.ir.Classes[c].Members)
	}
	return named
}

// kernelMethods are those of the library that are called without a receiver.
var kernelMethods = words(`
	Array Complex Float Hash Integer Rational String abort at_exit autoload binding block_given? caller caller_locations catch exec exit exit!
	fail fork format gets global_variables lambda load local_variables loop open p pp print printf proc putc puts raise rand readline
	readlines require require_relative select set_trace_func sleep spawn sprintf srand syscall system test throw trap warn
	attr attr_accessor attr_reader attr_writer private public protected module_function private_constant private_class_method
	public_class_method define_method alias_method remove_method undef_method include extend prepend using refine freeze is_a? nil?
	respond_to? instance_variable_get instance_variable_set instance_variable_defined? class_eval instance_eval instance_exec
	module_eval class_variable_get class_variable_set const_get const_set const_defined? method methods object_id hash
	inspect dup clone tap then itself singleton_class define_singleton_method extend instance_of? kind_of? frozen? to_enum enum_for`)
