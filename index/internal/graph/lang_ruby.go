package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

var rubyFamily = langFamily{name: "ruby", names: map[string]string{"ruby": "ruby"}, make: newRuby}

// ruby is the Language.
type ruby struct{ Default }

func newRuby() map[string]*lang {
	var t traits
	t.pack, t.implicitThis, t.unknownFree = global, true, true
	t.merges, t.pathClasses, t.classMethodsApart, t.inheritsConstructors, t.constructors = true, true, true, true, []string{"initialize"}
	t.dynamic, t.getItem = true, []string{"[]"}
	t.operatorFuncs, t.callable = true, []string{"call"}
	return map[string]*lang{"ruby": {traits: t, Language: &ruby{}}}
}

// Resolve finds required files. Constants are found by name in any case.
func (*ruby) Resolve(g *family, f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if strings.HasPrefix(module, "./") || strings.HasPrefix(module, "../") {
		if id := g.fileAt(path.Join(f.dir, module) + ".rb"); id != 0 {
			return target{in: []ID{id}}
		}
		if id := g.fileAt(path.Join(f.dir, module)); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	if id := g.nearest(f, g.bySuffix(strings.TrimSuffix(module, ".rb")+".rb")); id != 0 {
		return target{in: []ID{id}}
	}
	return g.outsideOf(module)
}

// Call is a call without a receiver, or of self.
func (*ruby) Call(e *eval, c *calling, fn *ir.Node, _ set) (set, bool) {
	switch fn.Op {
	case ir.Name:
		if name := e.f.names[fn.Name]; !rubyConstant(e.g.names.text[name]) {
			c.name = name
			return e.rubyCall(c), true
		}
	case ir.This:
		return e.callValues(c, e.self(e.fn), ByConstructor), true
	}
	return 0, false
}

// CallOn is a call of new.
func (*ruby) CallOn(e *eval, c *calling, v value, _ set) (set, bool) {
	if e.g.values.info[v].kind != vClass {
		return 0, false
	}
	return e.makeByName(c, v)
}

// makeByName is a call that makes an instance by a method of the class: new.
func (e *eval) makeByName(c *calling, v value) (set, bool) {
	if e.g.names.text[c.name] != "new" {
		return 0, false
	}
	k := e.g.classOf(v)
	if k == nil {
		return 0, false
	}
	if s, found := e.attr(v, c.name, 0); found && !e.g.onlyExternal(s) {
		return e.callValues(c, s, ByType), true
	}
	return e.construct(c, k, 0), true
}

// Top finds what any file defines at the top.
func (*ruby) Top(e *eval, f *file, n name) (s set, found bool, rule Rule, ok bool) {
	s, found, rule = e.atTopRuby(f, n)
	return s, found, rule, true
}

// Member leaves what lies in a hash out: it is no member of it.
func (*ruby) Member(e *eval, v value, n name, pos ir.Pos) (s set, found, ok bool) {
	g := e.g
	i := g.values.info[v]
	if i.kind != vObject {
		return 0, false, false
	}
	if list := g.find(g.foreign[g.entities[i.id].name], n); len(list) > 0 {
		return e.bound(list, v, nil, pos), true, true
	}
	return 0, false, true
}

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

// Unresolved says that a call without an edge is one of a method of the library that
// every object has.
func (*ruby) Unresolved(e *eval, c *calling) {
	if c.external != 0 {
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

// Outside is a call of a method of a container that the lowering has followed
// into its block already.
func (*ruby) Outside(e *eval, c *calling, recv value) (set, bool) {
	if recv == 0 {
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

// ClassMethodsOf are the methods that a module gives the classes that include it, by
// the convention of ActiveSupport's concerns.
func (*ruby) ClassMethodsOf(e *eval, c *class, v value, n name, pos ir.Pos) (set, bool) {
	g := e.g
	if c.info.Kind != ir.Trait {
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
