package lower

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// macroDefinition lowers macro_rules!: a function that does what its
// transcribers say. Local ones are bound with a "!", for they share no names
// with functions.
func (l *lowerer) macroDefinition(n syntax.Node, attrs []syntax.Node) {
	name := l.Child(n, "name")
	text, pos := l.text(name), l.Start(name)
	f := ir.Func(len(l.Raw().Funcs))
	bound := text
	if !l.AtTop() && l.Class() == 0 {
		bound += "!"
	}
	l.define(ir.Member{Name: l.Str(bound), Kind: ir.FuncMember, Ref: uint32(f), Static: l.Class() != 0,
		Exported: l.hasAttribute(attrs, "macro_export")}, pos)
	l.BeginFunc(text, pos)
	info := l.FuncInfo(f)
	info.Flags, info.Start = ir.MacroFunc, uint32(l.Start(n))
	barrier, breaks := l.barrier, l.breaks
	l.barrier, l.breaks = ir.Var(len(l.Raw().Vars)), nil
	for rule := range l.NamedChildren(n) {
		if l.Kind(rule) == "macro_rule" {
			l.Eval(l.tokenBlock(l.Child(rule, "right")))
		}
	}
	l.barrier, l.breaks = barrier, breaks
	l.EndFunc(l.End(n))
}

// macroCall lowers name!(...).
func (l *lowerer) macroCall(n syntax.Node) ir.Expr {
	macro, tree := l.Child(n, "macro"), l.ChildOf(n, "token_tree")
	pos := l.Start(macro)
	if l.Kind(macro) == "scoped_identifier" {
		name := l.Child(macro, "name")
		return l.invoke(l.pathName(l.Child(macro, "path"), name), l.text(name), tree, l.Start(name))
	}
	return l.invoke(l.macroName(l.text(macro), pos), l.text(macro), tree, pos)
}

func (l *lowerer) macroName(name string, pos int) ir.Expr {
	if v := l.Lookup(name + "!"); v != 0 {
		return l.Local(v, pos)
	}
	return l.Free(name, pos)
}

// invoke is the call of a macro with the tokens of its arguments.
func (l *lowerer) invoke(callee ir.Expr, name string, tree syntax.Node, pos int) ir.Expr {
	var args []ir.Arg
	switch name {
	case "quote", "quote_spanned", "parse_quote", "stringify", "concat", "include", "include_str", "include_bytes",
		"env", "option_env", "cfg", "asm", "global_asm", "macro_rules", "compile_error", "line", "file", "column",
		"module_path", "concat_idents", "bitflags":
		// The tokens are no code that runs here.
	case "matches", "assert_matches", "debug_assert_matches":
		args = l.matchesArgs(tree)
	case "select", "select_biased":
		l.selectArms(tree)
	default:
		args = l.tokenArgs(tree)
	}
	call := l.Flag(l.Call(callee, args, pos), ir.Macro)
	switch name {
	case "vec", "smallvec":
		if name == "vec" && !l.ofLibrary(name, pos) {
			return call
		}
		// The arguments stand in the call, too; evaluating them twice is the same.
		l.Eval(call)
		return l.List("list", args, pos)
	case "ready", "pin", "join", "try_join":
		l.Eval(call)
		return l.awaited(name, args, pos)
	case "dbg", "try":
		if len(args) == 1 && args[0].X != 0 {
			l.Eval(call)
			if name == "try" {
				return l.Unary(ir.Await, args[0].X, pos)
			}
			return args[0].X
		}
	}
	return call
}

// ofLibrary reports whether a macro at a place is that of Rust's library: by its path, or as nothing
// else of the name is defined around it or imported.
func (l *lowerer) ofLibrary(name string, pos int) bool {
	if path, ok := bytes.CutSuffix(l.Source()[:pos], []byte("::")); ok {
		return bytes.HasSuffix(path, []byte("std")) || bytes.HasSuffix(path, []byte("alloc"))
	}
	file := l.Raw()
	for i := range file.Imports {
		switch in := &file.Imports[i]; {
		case file.Strings[in.Module] == "std", file.Strings[in.Module] == "alloc":
		case in.Alias != 0 && file.Strings[in.Alias] == name, in.Alias == 0 && file.Strings[in.Name] == name:
			return false
		}
	}
	return l.Lookup(name+"!") == 0
}

// awaited is the value of a macro that waits for its arguments.
func (l *lowerer) awaited(name string, args []ir.Arg, pos int) ir.Expr {
	if name == "pin" || name == "ready" {
		if len(args) != 1 {
			return 0
		}
		if name == "pin" {
			return args[0].X
		}
		return l.unary(ir.Await, args[0].X, pos)
	}
	parts := make([]ir.Arg, len(args))
	for i, a := range args {
		x := l.unary(ir.Await, a.X, pos)
		if name == "try_join" {
			x = l.unary(ir.Await, x, pos)
		}
		parts[i].X = x
	}
	tuple := l.List("tuple", parts, pos)
	if name == "try_join" {
		return l.List("Result", ir.Args(tuple), pos)
	}
	return tuple
}

// matchesArgs are the value and the guard of matches!(value, pattern if guard).
func (l *lowerer) matchesArgs(tree syntax.Node) []ir.Arg {
	if !l.Enter(tree) {
		return nil
	}
	defer l.Leave()
	s, done := l.open(tree)
	defer done()
	l.PushScope()
	defer l.PopScope()
	value := l.once(l.element(&s), l.Start(tree))
	s.skip(l, ",")
	l.declareUntil(&s, "if")
	return ir.Args(value, l.element(&s))
}

// selectArms reads the arms of tokio::select!: pattern = future => what is done.
func (l *lowerer) selectArms(tree syntax.Node) {
	if !l.Enter(tree) {
		return
	}
	defer l.Leave()
	s, done := l.open(tree)
	defer done()
	for s.i < len(s.toks) {
		if l.separator(&s) {
			continue
		}
		start := s.i
		l.PushScope()
		name := s.peek(0)
		if l.word(name) == "identifier" && l.word(s.peek(1)) == "=" {
			s.i += 2
			value := l.element(&s)
			l.bindName(l.text(name), l.Start(name), l.unary(ir.Await, value, l.Start(name)))
		} else if l.word(name) == "else" {
			s.i++
		} else if l.word(s.peek(1)) != ";" { // biased;
			l.declareUntil(&s, "=")
			l.Eval(l.element(&s))
		}
		if s.skip(l, "=>") {
			l.Eval(l.element(&s))
		}
		l.PopScope()
		s.i = max(s.i, start+1)
	}
}
