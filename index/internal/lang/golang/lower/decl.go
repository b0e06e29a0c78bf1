package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// packageClause lowers the first line.
func (l *lowerer) packageClause(n syntax.Node) {
	l.Raw().Package = l.Str(l.Text(l.NamedChild(n, 0)))
}

// A param is a parameter or result of a signature; name may be 0.
type param struct {
	name syntax.Node
	typ  ir.Expr
	kind ir.ParamKind
}

// signature lowers the types of a signature. It is to be called outside of the
// function, where a parameter does not hide the type of the next.
func (l *lowerer) signature(n syntax.Node) (params, results []param) {
	params = l.params(l.Child(n, "parameters"), nil)
	result := l.Child(n, "result")
	switch l.Kind(result) {
	case "":
	case "parameter_list":
		results = l.params(result, nil)
	default:
		results = []param{{typ: l.typ(result)}}
	}
	return params, results
}

func (l *lowerer) params(list syntax.Node, to []param) []param {
	for c := range l.NamedChildren(list) {
		p := param{typ: l.typ(l.Child(c, "type"))}
		switch l.Kind(c) {
		case "variadic_parameter_declaration":
			p.kind = ir.Variadic
		case "parameter_declaration":
		default:
			continue
		}
		named := false
		for name := range l.NamedChildren(c) {
			if l.Field(name) != "name" {
				continue
			}
			named = true
			p.name = name
			to = append(to, p)
		}
		if !named {
			to = append(to, p)
		}
	}
	return to
}

// declare enters the parameters and results of a function that has just begun.
func (l *lowerer) declare(f ir.Func, params, results []param) {
	for _, p := range params {
		v := l.paramVar(p)
		info := l.FuncInfo(f)
		info.Params = append(info.Params, ir.Param{Var: v, Name: l.Raw().Vars[v].Name, Type: p.typ, Kind: p.kind})
	}
	l.results = nil
	for _, r := range results {
		info := l.FuncInfo(f)
		info.Results = append(info.Results, r.typ)
		if r.name != 0 {
			l.results = append(l.results, l.paramVar(r))
		}
	}
}

// paramVar declares the variable of a parameter. "_" and none are variables
// that nothing refers to.
func (l *lowerer) paramVar(p param) ir.Var {
	name := l.Text(p.name)
	var v ir.Var
	if name == "" || name == "_" {
		v = l.Temp(l.Start(p.name))
		l.VarInfo(v).Name = l.Str(name)
	} else {
		v = l.Declare(name, l.Start(p.name))
	}
	l.VarInfo(v).Type = p.typ
	return v
}

// function lowers a declaration of a function, or of a method with its receiver.
func (l *lowerer) function(n syntax.Node) {
	name := l.Child(n, "name")
	text := l.Text(name)
	if text == "" {
		return
	}
	outer := l.generics
	typeParams := l.typeParams(l.Child(n, "type_parameters"))
	recv := l.NamedChild(l.Child(n, "receiver"), 0)
	if recv != 0 {
		l.receiverParameters(l.Child(recv, "type"))
	}
	recvType := l.typ(l.Child(recv, "type"))
	params, results := l.signature(n)
	f := l.BeginFunc(text, l.Start(name))
	info := l.FuncInfo(f)
	info.Start, info.Recv = uint32(l.Start(n)), recvType
	info.SetTypeParams(typeParams)
	if recv == 0 {
		info.Flags = l.roleOf(text, n)
	} else if self := l.Child(recv, "name"); self != 0 {
		v := l.paramVar(param{name: self, typ: recvType})
		l.FuncInfo(f).Self = v
	}
	l.declare(f, params, results)
	l.body(l.Child(n, "body"))
	l.EndFunc(l.End(n))
	l.generics = outer
	if recv == 0 {
		l.DefineFunc(f, false, exported(text), l.Start(name))
	}
}

// body lowers the block of a function in the scope of its parameters, which is
// the same one in Go.
func (l *lowerer) body(n syntax.Node) {
	results := l.results
	l.bare = false
	l.block(n)
	if l.bare {
		mark := l.Mark()
		for _, v := range results {
			l.PushArg(ir.Arg{X: l.Local(v, l.Start(n))})
		}
		l.returnArgs(mark, l.Start(n))
	}
}

// funcLit lowers a function literal.
func (l *lowerer) funcLit(n syntax.Node) ir.Expr {
	results, bare := l.results, l.bare
	params, out := l.signature(n)
	f := l.BeginFunc("", l.Start(n))
	l.declare(f, params, out)
	l.body(l.Child(n, "body"))
	l.EndFunc(l.End(n))
	l.results, l.bare = results, bare
	return l.Lambda(f, l.Start(n))
}

// roleOf says by whom a function is called that nobody calls: the runtime, or
// the test runner, which knows its functions by name and parameter.
func (l *lowerer) roleOf(name string, n syntax.Node) ir.FuncFlag {
	params := l.Child(n, "parameters")
	first := l.NamedChild(params, 0)
	if first == 0 {
		if name == "init" || name == "main" && l.Raw().String(l.Raw().Package) == "main" {
			return ir.Entry
		}
		if isTestName(name, "Example") && l.Child(n, "result") == 0 {
			return ir.TestFunc
		}
		return 0
	}
	typ := l.Text(l.Child(first, "type"))
	for _, kind := range [...]struct{ prefix, typ string }{
		{"Test", "*testing.T"}, {"Benchmark", "*testing.B"}, {"Fuzz", "*testing.F"}, {"Test", "*testing.M"},
	} {
		if typ == kind.typ && isTestName(name, kind.prefix) && l.NamedChild(params, 1) == 0 {
			return ir.TestFunc
		}
	}
	return 0
}

// isTestName reports whether the rest of a name after prefix is none or begins
// with no lower-case letter.
func isTestName(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

// typeParams lowers a list of type parameters and enters their names.
func (l *lowerer) typeParams(list syntax.Node) []ir.TypeParam {
	if list == 0 {
		return nil
	}
	// A bound may name a parameter after it.
	l.generics = append([]string(nil), l.generics...)
	for c := range l.NamedChildren(list) {
		for name := range l.NamedChildren(c) {
			if l.Field(name) == "name" {
				l.generics = append(l.generics, l.Text(name))
			}
		}
	}
	var params []ir.TypeParam
	for c := range l.NamedChildren(list) {
		bound := l.typ(l.Child(c, "type"))
		for name := range l.NamedChildren(c) {
			if l.Field(name) == "name" {
				params = append(params, ir.TypeParam{Name: l.Str(l.Text(name)), Bound: bound})
			}
		}
	}
	return params
}

// receiverParameters enters the names that a receiver gives to the parameters of
// its type: K and V of (m *Map[K, V]).
func (l *lowerer) receiverParameters(n syntax.Node) {
	for range walk.MaxDepth {
		switch l.Kind(n) {
		case "pointer_type", "parenthesized_type":
			n = l.NamedChild(n, 0)
			continue
		case "generic_type":
			for c := range l.NamedChildren(l.Child(n, "type_arguments")) {
				l.generics = append(l.generics, l.Text(c))
			}
		}
		return
	}
}

// types lowers a declaration of types.
func (l *lowerer) types(n syntax.Node) {
	for spec := range l.NamedChildren(n) {
		switch l.Kind(spec) {
		case "type_spec", "type_alias":
			l.typeSpec(spec)
		}
	}
}

func (l *lowerer) typeSpec(n syntax.Node) {
	name := l.Child(n, "name")
	text := l.Text(name)
	if text == "" {
		return
	}
	pos, target := l.Start(name), l.Child(n, "type")
	local := !l.AtTop()
	if local {
		// The name is known in its own declaration.
		l.localTypes[l.Shadow(text, pos)] = target
	}
	outer := l.generics
	typeParams := l.typeParams(l.Child(n, "type_parameters"))
	var c ir.Class
	switch kind := l.Kind(target); {
	case kind == "struct_type" && l.Kind(n) == "type_spec":
		c = l.structType(target, text, pos)
	case kind == "interface_type" && l.Kind(n) == "type_spec":
		c = l.interfaceType(target, text, pos)
	default:
		// An alias with parameters is a type_spec with an "=" that the grammar
		// does not know.
		as := ir.Named
		if l.Kind(n) == "type_alias" || l.ChildOf(n, "ERROR") != 0 {
			as = ir.Alias
		}
		x := l.typ(target)
		c = l.BeginClass(text, as, pos)
		l.ClassInfo(c).Target = x
		l.EndClass(l.End(n))
	}
	info := l.ClassInfo(c)
	info.TypeParams, info.Start = typeParams, uint32(l.Start(n))
	l.generics = outer
	l.DefineClass(c, false, exported(text), pos)
}

// values lowers a declaration of variables or constants.
func (l *lowerer) values(n syntax.Node) {
	first, typ := ir.Expr(0), ir.Expr(0) // of the last constant that has a value
	l.eachSpec(n, func(spec syntax.Node) {
		values := l.Child(spec, "value")
		if typeNode := l.Child(spec, "type"); typeNode != 0 || values != 0 {
			typ = l.typ(typeNode)
			first = 0
		}
		mark := l.Mark()
		for v := range l.NamedChildren(values) {
			l.PushArg(ir.Arg{X: l.expr(v)})
		}
		vals := append([]ir.Arg(nil), l.Take(mark)...)
		targets := l.declareValues(spec, typ)
		for i, target := range targets {
			switch {
			case values == 0 && first != 0 && target != 0:
				// A constant without a value repeats the one before, and has its type.
				l.bind(target, first)
			case values != 0:
				l.bindPart(target, vals, i, len(targets))
				if i == 0 {
					first = target
				}
			}
		}
	})
}

// declareValues declares the names of a spec and returns them as targets; 0 for
// "_".
func (l *lowerer) declareValues(spec syntax.Node, typ ir.Expr) []ir.Expr {
	var targets []ir.Expr
	for n := range l.NamedChildren(spec) {
		if l.Kind(n) != "identifier" || l.Field(n) != "name" {
			break
		}
		name, pos := l.Text(n), l.Start(n)
		switch {
		case name == "_":
			if typ != 0 {
				l.VarInfo(l.Temp(pos)).Type = typ
			}
			targets = append(targets, 0)
		case l.AtTop():
			v := l.Temp(pos)
			info := l.VarInfo(v)
			info.Name, info.Type, info.Func = l.Str(name), typ, 0
			file := l.Raw()
			file.Top = append(file.Top, ir.Member{Name: info.Name, Kind: ir.VarMember, Ref: uint32(v), Exported: exported(name)})
			targets = append(targets, l.Free(name, pos))
		default:
			v := l.Shadow(name, pos)
			l.VarInfo(v).Type = typ
			targets = append(targets, l.Local(v, pos))
		}
	}
	return targets
}
