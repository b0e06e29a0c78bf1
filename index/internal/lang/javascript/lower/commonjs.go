package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// CommonJS: what a file exports is the object "exports", or what is assigned to
// module.exports instead. Both are the variable "exports" at the top of the file
// here, so that the file's own uses find what it holds, and each assignment to it
// or to a member of it is an Export as well.

// exportsVar makes that variable.
func (l *lowerer) exportsVar() {
	if l.exports {
		return
	}
	l.exports = true
	f := l.Raw()
	name := l.Str("exports")
	f.Vars = append(f.Vars, ir.VarInfo{Name: name})
	f.Top = append(f.Top, ir.Member{Name: name, Kind: ir.VarMember, Ref: uint32(len(f.Vars) - 1)})
	target := l.Expr(ir.Node{Op: ir.Name, Name: name, Flags: ir.Implicit})
	empty := l.Expr(ir.Node{Op: ir.Object, Name: l.Str("object"), Flags: ir.Implicit})
	f.Bodies[1] = append(f.Bodies[1], ir.Stmt{Op: ir.Bind, A: target, B: empty})
}

// free reports whether n is the identifier name and not a local variable.
func (l *lowerer) free(n syntax.Node, name string) bool {
	return l.Kind(n) == "identifier" && l.Is(n, name) && l.Lookup(name) == 0
}

// isModuleExports reports whether n is module.exports.
func (l *lowerer) isModuleExports(n syntax.Node) bool {
	return l.Kind(n) == "member_expression" && l.Is(l.Child(n, "property"), "exports") && l.free(l.Child(n, "object"), "module")
}

// isExports reports whether the member expression n is module.exports, or a
// member of it or of exports.
func (l *lowerer) isExports(n syntax.Node) bool {
	object := l.Child(n, "object")
	return l.free(object, "exports") || l.isModuleExports(n) || l.isModuleExports(object)
}

// exportsRead is the use of a member expression for which isExports holds.
func (l *lowerer) exportsRead(n syntax.Node) ir.Expr {
	l.exportsVar()
	if l.isModuleExports(n) {
		return l.Free("exports", l.Start(l.Child(n, "property")))
	}
	at := l.Child(n, "property")
	return l.Attr(l.Free("exports", l.Start(n)), l.Text(at), l.Start(at))
}

// exportAssignment lowers an assignment to module.exports or to a member of it.
func (l *lowerer) exportAssignment(left, right syntax.Node) (target, value ir.Expr) {
	target = l.exportsRead(left)
	name, at := "=", l.Child(left, "property")
	if !l.isModuleExports(left) {
		name = l.Text(at)
	}
	self := &receiver{kind: thisName, name: "exports"}
	switch inner := l.literal(right); {
	case isFunction(l.Kind(inner)):
		start := l.Start(at)
		if own := l.Child(inner, "name"); own != 0 && name == "=" {
			start = l.Start(own)
		}
		value = l.Lambda(l.function(inner, l.exportedName(name, inner), 0, start, self), start)
	case l.Kind(inner) == "class":
		pos := l.Start(inner)
		value = l.ClassX(l.class(inner, l.exportedName(name, inner), pos), pos)
	case l.Kind(inner) == "object":
		value = l.object(inner, "exports", "exports")
	default:
		value = l.expr(right)
	}
	pos := l.Start(at)
	if l.Func() == 1 && value != 0 {
		l.Export(name, value, pos)
	} else {
		l.Export(name, target, pos)
	}
	return target, value
}

// exportedName is the name of an exported function or class: that under which it
// is exported, or for the module's only export its own.
func (l *lowerer) exportedName(name string, n syntax.Node) string {
	if name != "=" {
		return name
	}
	if at := l.Child(n, "name"); at != 0 {
		return l.Text(at)
	}
	return "exports"
}

// require lowers require("m"), or 0 when n is no such call. name is the export
// that is taken from the module, "" for all of it.
func (l *lowerer) require(n syntax.Node, name string) ir.Expr {
	info, ok := l.requireInfo(n)
	if !ok {
		return 0
	}
	if name != "" {
		info.Name = l.Str(name)
	}
	return l.imported(info, l.Start(n))
}

func (l *lowerer) requireInfo(n syntax.Node) (ir.ImportInfo, bool) {
	if l.Kind(n) != "call_expression" || !l.Is(l.Child(n, "function"), "require") {
		return ir.ImportInfo{}, false
	}
	arguments := l.Child(n, "arguments")
	at := l.NamedChild(arguments, 0)
	if l.Kind(at) != "string" || l.NamedChild(arguments, 1) != 0 {
		return ir.ImportInfo{}, false
	}
	return ir.ImportInfo{Module: l.Str(l.stringText(at)), Name: l.Str("=")}, true
}

// requireVariable lowers const x = require("m") and const x = require("m").y as
// the imports they are.
func (l *lowerer) requireVariable(name string, value syntax.Node, exported bool, pos int) bool {
	property := ""
	if l.Kind(value) == "member_expression" {
		property = l.Text(l.Child(value, "property"))
		value = l.Child(value, "object")
	}
	info, ok := l.requireInfo(value)
	if !ok {
		return false
	}
	if property != "" {
		info.Name = l.Str(property)
	}
	if name != property {
		info.Alias = l.Str(name)
	}
	l.AddImport(info, name, exported, pos)
	return true
}

// requirePattern lowers const {a, b: c} = require("m"), unless the pattern has
// more than names.
func (l *lowerer) requirePattern(at, value syntax.Node, exported bool) bool {
	info, ok := l.requireInfo(value)
	if !ok || l.Kind(at) != "object_pattern" {
		return false
	}
	for c := range l.NamedChildren(at) {
		switch l.Kind(c) {
		case "shorthand_property_identifier_pattern":
		case "pair_pattern":
			if l.Kind(l.Child(c, "value")) != "identifier" {
				return false
			}
		default:
			return false
		}
	}
	for c := range l.NamedChildren(at) {
		local := c
		info.Alias = 0
		if l.Kind(c) == "pair_pattern" {
			local = l.Child(c, "value")
			info.Name = l.Str(l.key(l.Child(c, "key")))
			info.Alias = l.Str(l.Text(local))
		} else {
			info.Name = l.Str(l.Text(c))
		}
		l.AddImport(info, l.Text(local), exported, l.Start(local))
	}
	return true
}

// objectUtility lowers the calls of Object that return what they are given: the
// call is kept, and its value is the argument's. 0: n is no such call.
func (l *lowerer) objectUtility(callee, arguments syntax.Node) ir.Expr {
	if l.Kind(callee) != "member_expression" || !l.free(l.Child(callee, "object"), "Object") {
		return 0
	}
	at := l.Child(callee, "property")
	name := l.Text(at)
	switch name {
	case "freeze", "seal", "preventExtensions", "assign":
	default:
		return 0
	}
	args := l.args(arguments)
	if len(args) == 0 || args[0].X == 0 {
		return 0
	}
	l.Eval(l.Call(l.expr(callee), args, l.Start(at)))
	if name != "assign" {
		return args[0].X
	}
	merged := make([]ir.Arg, len(args))
	for i, a := range args {
		merged[i] = ir.Arg{X: a.X, Kind: ir.KwSpread}
	}
	if l.Kind(l.NamedChild(arguments, 0)) == "object" {
		return l.Object("object", merged, l.Start(at))
	}
	return l.Union(args[0].X, l.Object("object", merged, l.Start(at)))
}
