// Package resolve has what is special about Ruby: calls without a receiver, constants, and
// methods of classes.
package resolve

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Family is Ruby.
var Family = program.Languages{Name: "ruby", Names: map[string]string{"ruby": "ruby"}, Make: newRuby}

// language is the Language.
type language struct{ plain.Default }

func newRuby() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.ImplicitThis, t.UnknownFree = program.Global, true, true
	t.Merges, t.PathClasses, t.ClassMethodsApart, t.InheritsConstructors, t.Constructors = true, true, true, true, []string{"initialize"}
	t.Dynamic, t.GetItem = true, []string{"[]"}
	t.OperatorFuncs, t.Callable = true, []string{"call"}
	return map[string]*program.Lang{"ruby": {Traits: t, ModuleRules: &language{}}}
}

// Resolve finds required files. Constants are found by name in any case.
func (*language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	module := f.IR.String(i.Module)
	if strings.HasPrefix(module, "./") || strings.HasPrefix(module, "../") {
		if id := g.FileAt(path.Join(f.Dir, module) + ".rb"); id != 0 {
			return program.Target{In: []edge.ID{id}}
		}
		if id := g.FileAt(path.Join(f.Dir, module)); id != 0 {
			return program.Target{In: []edge.ID{id}}
		}
		return program.Target{}
	}
	if id := g.Nearest(f, g.BySuffix(strings.TrimSuffix(module, ".rb")+".rb")); id != 0 {
		return program.Target{In: []edge.ID{id}}
	}
	return g.OutsideOf(module)
}

// Call is a call without a receiver, or of self.
func (l *language) Call(e *eval.Evaluator, c *eval.Call, fn *ir.Node, _ pointsto.Set) (pointsto.Set, bool) {
	switch fn.Op {
	case ir.Name:
		name := e.File.Names[fn.Name]
		if !rubyConstant(e.Family.Names.Text[name]) {
			c.Name = name
			return rubyCall(e, c), true
		}
		if s, rule, ok := l.Read(e, fn); ok {
			c.Name = name
			return e.CallValues(c, s, rule), true
		}
	case ir.This:
		return e.CallValues(c, e.Self(e.Func), edge.ByConstructor), true
	}
	return 0, false
}

// CallOn is a call of new.
func (*language) CallOn(e *eval.Evaluator, c *eval.Call, v pointsto.Value, _ pointsto.Set) (pointsto.Set, bool) {
	if e.Family.Values.Info[v].Kind != pointsto.Class {
		return 0, false
	}
	return makeByName(e, c, v)
}

// makeByName is a call that makes an instance by a method of the class: new.
func makeByName(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	if e.Family.Names.Text[c.Name] != "new" {
		return 0, false
	}
	k := e.Family.ClassOf(v)
	if k == nil {
		return 0, false
	}
	if s, found := e.Attr(v, c.Name, 0); found && !e.Family.OnlyExternal(s) {
		return e.CallValues(c, s, edge.ByType), true
	}
	return e.Construct(c, k, 0), true
}

// Top finds what any file defines at the top.
func (*language) Top(e *eval.Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool) {
	s, found, rule = atTopRuby(e, f, n)
	return s, found, rule, true
}

// PathHead is what a name after "::" at the beginning means, which is looked for at the top alone.
func (*language) PathHead(e *eval.Evaluator, n intern.Name) (pointsto.Set, bool) {
	s, _, _ := atTopRuby(e, e.File, n)
	return s, true
}

// Read finds a constant in the body of a class, outside of methods, in the classes around it.
func (*language) Read(e *eval.Evaluator, n *ir.Node) (pointsto.Set, edge.Rule, bool) {
	for c := ir.Class(n.Ref); c != 0; c = e.File.IR.Classes[c].Outer {
		v := e.Family.Values.Intern(pointsto.Info{Kind: pointsto.Class, ID: uint32(e.Family.Canonical(e.File, c))})
		if s, found := e.Attr(v, e.File.Names[n.Name], 0); found && !e.Family.OnlyExternal(s) {
			return s, edge.ByScope, true
		}
	}
	return 0, 0, false
}

// Member leaves what lies in a hash out: it is no member of it.
func (*language) Member(e *eval.Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (s pointsto.Set, found, ok bool) {
	g := e.Family
	i := g.Values.Info[v]
	if i.Kind != pointsto.Object {
		return 0, false, false
	}
	if list := g.Find(g.Foreign[g.Entities[i.ID].Name], n); len(list) > 0 {
		return e.Bound(list, v, nil, pos), true, true
	}
	return 0, false, true
}

// rubyCall resolves a call without a receiver: of a method of what self is, else of
// a function at the top of any file, which every object has, else of the library.
func rubyCall(e *eval.Evaluator, c *eval.Call) pointsto.Set {
	g := e.Family
	text := g.Names.Text[c.Name]
	out := pointsto.Set(0)
	if text == ir.Evaluation || text == ir.Lookup {
		c.Reason = edge.UnknownMember
		return out
	}
	if self := e.Self(e.Func); self != 0 {
		out = e.CallMember(c, self, edge.BySelf)
	}
	if len(c.Callees) > 0 || c.External != 0 && !kernelMethods[text] {
		return out
	}
	s, found := pointsto.Set(0), 0
	for _, m := range g.Find(g.Bag(e.File.Pkg), c.Name) {
		if m.Kind == ir.FuncMember {
			s = g.Union(s, e.EntryValue(m, 0))
			if found++; found == program.MaxSame {
				break
			}
		}
	}
	if s != 0 {
		return e.CallValues(c, s, edge.ByScope)
	}
	c.Reason = edge.UnknownMember
	if kernelMethods[text] {
		c.External = c.Name
		return g.Union(out, e.Outside(c, 0))
	}
	return out
}

// atTopRuby finds a name at the top: what any file defines there is seen in all.
func atTopRuby(e *eval.Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	g := e.Family
	if list := g.Find(g.Bag(f.Pkg), n); len(list) > 0 {
		rule = edge.ByImport
		for _, m := range list {
			if g.Entities[m.ID].File == f {
				rule = edge.ByScope
				break
			}
		}
		return g.Union(e.Entries(list, 0), e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)})), true, rule
	}
	if s := e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)}); s != 0 {
		return s, true, edge.ByScope
	}
	if rubyConstant(g.Names.Text[n]) {
		return e.External(n), false, 0
	}
	return 0, false, 0
}

// rubyConstant reports whether a name is a constant's. One that no file defines is
// of a library: constants are the same in all files.
func rubyConstant(text string) bool { return text != "" && text[0] >= 'A' && text[0] <= 'Z' }

// rubyLibrary are constants of the library whose methods call no others than what Ruby itself
// calls.
var rubyLibrary = program.Words(`
Array Hash String Integer Float Numeric Symbol Kernel Object BasicObject Module Class Struct Data Set File Dir IO Time Date DateTime
Process Thread Mutex Monitor Queue SizedQueue Enumerator Enumerable Comparable Math Random Regexp MatchData Range Proc Method
UnboundMethod Rational Complex Marshal ObjectSpace GC Signal Fiber Ractor Exception StandardError ArgumentError RuntimeError
JSON YAML Psych ERB CSV Logger Pathname URI OpenStruct StringIO SecureRandom Digest Benchmark Timeout Tempfile FileUtils ENV
RbConfig Shellwords Etc Zlib Base64 Open3 Socket TCPSocket NilClass TrueClass FalseClass BigDecimal PP Ripper`)

// Unresolved says that a call without an edge is one of a method of the library that
// every object has.
func (*language) Unresolved(e *eval.Evaluator, c *eval.Call) {
	if c.External != 0 {
		first, rest, _ := strings.Cut(strings.ReplaceAll(e.Family.Names.Text[c.External], "::", "."), ".")
		if rest != "" && rubyConstant(first) && !rubyLibrary[first] {
			library.HandOut(e, c)
		}
		return
	}
	switch e.Family.Names.Text[c.Name] {
	case "is_a?", "kind_of?", "instance_of?", "nil?", "respond_to?", "freeze", "frozen?", "dup", "clone", "itself", "object_id", "hash", "inspect",
		"to_s", "instance_variable_get", "instance_variable_set", "instance_variables", "instance_variable_defined?", "methods", "tap", "then",
		"class", "singleton_class", "name", "ancestors", "instance_methods", "method_defined?", "const_get", "const_set", "class_eval",
		"instance_eval", "instance_exec", "module_eval", "private_constant", "private_class_method", "public_instance_methods", "superclass",
		"is_a", "equal?", "eql?", "display", "extend", "to_enum", "enum_for", "define_singleton_method", "singleton_methods", "class_exec",
		"alias_method", "remove_method", "undef_method", "instance_method", "const_missing", "attr_accessor", "attr_reader", "attr_writer",
		"public", "private", "protected", "module_function", "include", "prepend", "define_method", "constants", "const_defined?", "included_modules":
		c.External = c.Name
	}
}

// Outside is a call of a method of a container that the lowering has followed
// into its block already.
func (*language) Outside(e *eval.Evaluator, c *eval.Call, recv pointsto.Value) (pointsto.Set, bool) {
	if recv == 0 {
		return 0, false
	}
	for _, a := range c.Args {
		if a.Kind != ir.Block {
			continue
		}
		for _, v := range e.Family.Elems(a.Value) {
			i := e.Family.Values.Info[v]
			if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
				return 0, false
			}
			if fn := e.Family.Func(edge.ID(i.ID)); fn == nil || fn.Name != 0 {
				return 0, false // a method as a block
			}
		}
	}
	switch e.Family.Names.Text[c.Name] {
	case "each", "reverse_each", "each_pair", "select", "filter", "reject", "each_with_index", "sort_by", "partition", "find_all", "filter_map",
		"map", "collect", "flat_map", "any?", "all?", "none?", "one?", "count", "sum", "find", "detect", "find_index", "min_by", "max_by",
		"each_with_object", "each_value", "inject", "reduce", "push", "append", "unshift", "first", "last", "sample", "pop", "shift", "size",
		"length", "empty?", "include?", "key?", "keys", "join", "to_s", "inspect", "sort", "reverse", "compact", "uniq", "take", "drop", "to_a":
		return e.External(c.External), true
	}
	return 0, false
}

// CallLibrary calls what the files add to a class of the library, of a value that is one of it.
func (*language) CallLibrary(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	g := e.Family
	i := g.Values.Info[v]
	if i.Kind != pointsto.External && i.Kind != pointsto.Generic || !rubyLibrary[g.Names.Text[i.ID]] {
		return 0, false
	}
	for _, m := range g.Find(g.Bag(e.File.Pkg), intern.Name(i.ID)) {
		if m.Kind != ir.ClassMember {
			continue
		}
		if k := g.Classes[g.CanonicalID(m.ID)]; k != nil {
			if list := g.Declared(k, c.Name); len(list) > 0 {
				c.External = 0
				return e.CallValues(c, e.Bound(list, v, nil, c.Node.Pos), edge.ByType), true
			}
		}
	}
	return 0, false
}

// ClassMethodsOf are the methods that a module gives the classes that include it, by
// the convention of ActiveSupport's concerns.
func (*language) ClassMethodsOf(e *eval.Evaluator, c *program.Class, v pointsto.Value, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	if c.Info.Kind != ir.Trait {
		return 0, false
	}
	for _, m := range g.Declared(c, g.Names.Intern("ClassMethods")) {
		if m.Kind != ir.ClassMember {
			continue
		}
		if k := g.Classes[g.CanonicalID(m.ID)]; k != nil {
			if list, _ := g.Member(k, n); len(list) > 0 {
				return e.Bound(list, v, nil, pos), true
			}
		}
	}
	return 0, false
}

// kernelMethods are those of the library that are called without a receiver.
var kernelMethods = program.Words(`
	Array Complex Float Hash Integer Rational String abort at_exit autoload binding block_given? caller caller_locations catch exec exit exit!
	fail fork format gets global_variables lambda load local_variables loop open p pp print printf proc putc puts raise rand readline
	readlines require require_relative select set_trace_func sleep spawn sprintf srand syscall system test throw trap warn
	attr attr_accessor attr_reader attr_writer private public protected module_function private_constant private_class_method
	public_class_method define_method alias_method remove_method undef_method include extend prepend using refine freeze is_a? nil?
	respond_to? instance_variable_get instance_variable_set instance_variable_defined? class_eval instance_eval instance_exec
	module_eval class_variable_get class_variable_set const_get const_set const_defined? method methods object_id hash
	inspect dup clone tap then itself singleton_class define_singleton_method extend instance_of? kind_of? frozen? to_enum enum_for`)
