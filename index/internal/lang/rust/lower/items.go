package lower

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// itemList lowers the items of a file, module, trait or impl.
func (l *lowerer) itemList(list syntax.Node) {
	var attrs []syntax.Node
	end := l.Start(list)
	for c := range l.Children(list) {
		l.hidden(end, l.Start(c))
		end = l.End(c)
		switch l.Kind(c) {
		case "attribute_item":
			attrs = append(attrs, c)
			continue
		case "line_comment", "block_comment":
			continue
		}
		if l.Named(c) {
			l.item(c, attrs)
			attrs = attrs[:0]
		}
	}
}

// hidden lowers the macros that stand around items: the parser sees only what is in
// them (maskRust), and their names are left between its nodes.
func (l *lowerer) hidden(from, to int) {
	for from < to {
		i := bytes.IndexByte(l.Source()[from:to], '!')
		if i < 0 {
			return
		}
		end := from + i
		start := end
		for start > from && isWord(l.Source()[start-1]) {
			start--
		}
		if start < end {
			name := string(l.Source()[start:end])
			l.Eval(l.Flag(l.Call(l.macroName(name, start), nil, start), ir.Macro))
		}
		from = end + 1
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// item lowers one item, and reports whether it is one.
func (l *lowerer) item(n syntax.Node, attrs []syntax.Node) bool {
	if !l.Enter(n) {
		return true
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "function_item", "function_signature_item":
		l.function(n, attrs)
	case "struct_item", "union_item":
		l.structItem(n, attrs)
	case "enum_item":
		l.enumItem(n)
	case "trait_item":
		l.traitItem(n)
	case "impl_item":
		l.implItem(n)
	case "type_item", "associated_type":
		l.typeItem(n)
	case "const_item", "static_item":
		l.constItem(n)
	case "mod_item":
		l.modItem(n, attrs)
	case "foreign_mod_item":
		l.itemList(l.Child(n, "body"))
	case "use_declaration":
		l.conditional = l.isConditional(attrs)
		l.useTree(l.Child(n, "argument"), "", l.visible(n))
		l.conditional = false
	case "extern_crate_declaration":
		l.externCrate(n)
	case "macro_definition":
		l.macroDefinition(n, attrs)
	case "inner_attribute_item", "empty_statement", "attribute_item":
	default:
		if !l.AtTop() && l.Class() == 0 {
			return false
		}
		l.loose(n)
	}
	return true
}

// loose lowers what stands among items and is none: macros, broken text.
func (l *lowerer) loose(n syntax.Node) {
	switch l.Kind(n) {
	case "ERROR":
		l.itemList(n)
	case "expression_statement", "macro_invocation":
		l.PushScope()
		l.Eval(l.expr(n))
		l.PopScope()
	case "let_declaration", "block":
		l.PushScope()
		l.stmt(n)
		l.PopScope()
	}
}

func (l *lowerer) visible(n syntax.Node) bool { return l.ChildOf(n, "visibility_modifier") != 0 }

// structItem lowers a struct. One of a name that the module has already is that of other
// builds: a part of the first.
func (l *lowerer) structItem(n syntax.Node, attrs []syntax.Node) {
	if name := l.Child(n, "name"); l.isConditional(attrs) && (l.AtTop() || l.Class() != 0) {
		key := join(strings.Join(l.modules, "::"), l.text(name))
		if l.structs[key] {
			c := l.OpenClass(n, "", ir.Extends, l.Start(name))
			l.typeParams(n, func(p ir.TypeParam) { l.addClassParam(c, p) })
			l.ClassInfo(c).Target = l.scopeName(l.text(name), l.Start(name))
			l.fields(l.Child(n, "body"))
			l.EndClass(l.End(n))
			return
		}
		l.structs[key] = true
	}
	c, done := l.beginClass(n, ir.Struct)
	defer done()
	l.typeParams(n, func(p ir.TypeParam) { l.addClassParam(c, p) })
	l.fields(l.Child(n, "body"))
}

// beginClass begins the class of a definition with a name, and binds it. The
// returned function ends it.
func (l *lowerer) beginClass(n syntax.Node, kind ir.ClassKind) (ir.Class, func()) {
	name := l.Child(n, "name")
	pos := l.Start(name)
	c := ir.Class(len(l.Raw().Classes))
	l.define(ir.Member{Name: l.Str(l.text(name)), Kind: ir.ClassMember, Ref: uint32(c), Static: l.Class() != 0, Exported: l.visible(n)}, pos)
	if l.Class() == 0 && !l.AtTop() {
		l.items[l.Lookup(l.text(name))] = c
	}
	l.BeginClass(l.text(name), kind, pos)
	l.ClassInfo(c).Start = uint32(l.Start(n))
	self, trait, generics := l.self, l.trait, len(l.generics)
	l.self, l.trait = l.Flag(l.ClassX(c, pos), ir.Implicit), kind == ir.Trait
	return c, func() {
		l.EndClass(l.End(n))
		l.self, l.trait, l.generics = self, trait, l.generics[:generics]
	}
}

// define binds a name, and remembers a local one as an item.
func (l *lowerer) define(m ir.Member, pos int) {
	l.Define(m, pos)
	if l.Class() == 0 && !l.AtTop() {
		if v := l.Lookup(l.Raw().Strings[m.Name]); v != 0 && !l.isItem(v) {
			l.items[v] = 0
		}
	}
}

func (l *lowerer) addClassParam(c ir.Class, p ir.TypeParam) {
	info := l.ClassInfo(c)
	info.TypeParams = merge(info.TypeParams, p, l.Builder)
}

// merge adds a type parameter, or a bound to the one of that name.
func merge(list []ir.TypeParam, p ir.TypeParam, b *ir.Builder) []ir.TypeParam {
	for i := range list {
		if list[i].Name == p.Name {
			list[i].Bound = b.Union(list[i].Bound, p.Bound)
			return list
		}
	}
	return append(list, p)
}

// fields declares the fields of a struct, union or variant.
func (l *lowerer) fields(body syntax.Node) {
	i := 0
	for c := range l.NamedChildren(body) {
		switch {
		case l.Kind(c) == "field_declaration":
			name := l.Child(c, "name")
			l.field(l.text(name), l.Start(name), l.Child(c, "type"), l.visible(c))
		case l.Field(c) == "type":
			l.field(strconv.Itoa(i), l.Start(c), c, true)
			i++
		}
	}
}

func (l *lowerer) field(name string, pos int, typ syntax.Node, exported bool) {
	v := l.Declare(name, pos)
	x := l.typ(typ)
	l.VarInfo(v).Type = x
	if m := l.member(v); m != nil {
		m.Exported = exported
	}
}

// member returns the entry of a variable that was just declared in a class or at
// the top of the file, or nil.
func (l *lowerer) member(v ir.Var) *ir.Member {
	list := l.Raw().Top
	if c := l.Class(); c != 0 {
		list = l.ClassInfo(c).Members
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Kind == ir.VarMember && list[i].Ref == uint32(v) {
			return &list[i]
		}
	}
	return nil
}

func (l *lowerer) enumItem(n syntax.Node) {
	c, done := l.beginClass(n, ir.Enum)
	defer done()
	l.typeParams(n, func(p ir.TypeParam) { l.addClassParam(c, p) })
	for v := range l.NamedChildren(l.Child(n, "body")) {
		if l.Kind(v) != "enum_variant" {
			continue
		}
		name, body := l.Child(v, "name"), l.Child(v, "body")
		pos := l.Start(name)
		if body == 0 {
			x := l.Declare(l.text(name), pos)
			value := l.expr(l.Child(v, "value"))
			info := l.VarInfo(x)
			info.Type, info.Init = l.self, l.Opaque(value)
			if m := l.member(x); m != nil {
				m.Static, m.Exported = true, true
			}
			continue
		}
		variant := l.BeginClass(l.text(name), ir.Struct, pos)
		l.ClassInfo(variant).Bases = []ir.Base{{X: l.self, Kind: ir.Extend}}
		l.fields(body)
		l.EndClass(l.End(v))
		l.DefineClass(variant, true, true, pos)
	}
}

func (l *lowerer) traitItem(n syntax.Node) {
	c, done := l.beginClass(n, ir.Trait)
	defer done()
	l.typeParams(n, func(p ir.TypeParam) { l.addClassParam(c, p) })
	l.bases(c, l.Child(n, "bounds"))
	l.itemList(l.Child(n, "body"))
}

// bases adds the traits of bounds as bases.
func (l *lowerer) bases(c ir.Class, bounds syntax.Node) {
	for b := range l.NamedChildren(bounds) {
		switch l.Kind(b) {
		case "lifetime", "removed_trait_bound":
		default:
			x := l.typ(b)
			info := l.ClassInfo(c)
			info.Bases = append(info.Bases, ir.Base{X: x, Kind: ir.Extend})
		}
	}
}

func (l *lowerer) implItem(n syntax.Node) {
	typ, trait := l.Child(n, "type"), l.Child(n, "trait")
	c := l.OpenClass(n, "", ir.Extends, l.Start(typ))
	self, isTrait, generics := l.self, l.trait, len(l.generics)
	l.typeParams(n, func(p ir.TypeParam) { l.addClassParam(c, p) })
	target, pointee := l.typ(typ), l.pointee
	l.self, l.trait, l.pointee = target, false, l.pointeeOf(typ)
	var bases []ir.Base
	if trait != 0 {
		bases = []ir.Base{{X: l.typ(trait), Kind: ir.Implement}}
	}
	info := l.ClassInfo(c)
	info.Target, info.Bases = target, bases
	l.itemList(l.Child(n, "body"))
	l.EndClass(l.End(n))
	l.self, l.trait, l.pointee, l.generics = self, isTrait, pointee, l.generics[:generics]
	if trait != 0 && isOperatorTrait(l.pathEnd(trait)) {
		for _, m := range l.ClassInfo(c).Members {
			if m.Kind == ir.FuncMember {
				l.FuncInfo(ir.Func(m.Ref)).Flags |= ir.Operator
			}
		}
	}
}

// isOperatorTrait reports whether the methods of a trait of the standard library
// are called by operators, by the compiler or by the library itself.
func isOperatorTrait(name string) bool {
	switch name {
	case "Add", "Sub", "Mul", "Div", "Rem", "Neg", "Not", "BitAnd", "BitOr", "BitXor", "Shl", "Shr",
		"AddAssign", "SubAssign", "MulAssign", "DivAssign", "RemAssign", "BitAndAssign", "BitOrAssign",
		"BitXorAssign", "ShlAssign", "ShrAssign", "Index", "IndexMut", "Deref", "DerefMut", "Drop",
		"PartialEq", "PartialOrd", "Eq", "Ord", "Hash", "Hasher", "Clone", "Default", "Display", "Debug", "LowerHex", "UpperHex", "Binary",
		"Iterator", "IntoIterator", "DoubleEndedIterator", "FromIterator", "Extend", "Sum", "Product",
		"From", "Into", "TryFrom", "TryInto", "FromStr", "AsRef", "AsMut", "Borrow", "BorrowMut", "ToOwned", "ToString",
		"Read", "Write", "BufRead", "Seek", "Error", "Future", "Stream", "Fn", "FnMut", "FnOnce", "Serialize", "Deserialize":
		return true
	}
	return false
}

func (l *lowerer) typeItem(n syntax.Node) {
	self, trait := l.self, l.trait
	c, done := l.beginClass(n, ir.Alias)
	defer done()
	l.self, l.trait = self, trait
	l.typeParams(n, func(p ir.TypeParam) { l.addClassParam(c, p) })
	target := l.typ(l.Child(n, "type"))
	if target == 0 {
		target = l.bounds(l.Child(n, "bounds"))
	}
	l.ClassInfo(c).Target = target
}

func (l *lowerer) constItem(n syntax.Node) {
	name := l.Child(n, "name")
	pos := l.Start(name)
	v := l.Declare(l.text(name), pos)
	typ := l.typ(l.Child(n, "type"))
	value := l.scoped(func() ir.Expr { return l.exprOf(l.Child(n, "value"), typ) })
	l.VarInfo(v).Type = typ
	switch {
	case l.Class() != 0:
		l.VarInfo(v).Init = value
		if m := l.member(v); m != nil {
			m.Static, m.Exported = true, l.visible(n)
		}
	case l.AtTop():
		if m := l.member(v); m != nil {
			m.Exported = l.visible(n)
		}
		if value != 0 {
			l.Bind(l.Free(l.text(name), pos), value)
		}
	case value != 0:
		l.Bind(l.Local(v, pos), value)
	}
}

// scoped calls f within a block of its own.
func (l *lowerer) scoped(f func() ir.Expr) ir.Expr {
	if l.Class() != 0 {
		return f()
	}
	l.PushScope()
	defer l.PopScope()
	return f()
}

// pathEnd returns the last name of a path.
func (l *lowerer) pathEnd(n syntax.Node) string {
	for range 8 {
		switch l.Kind(n) {
		case "scoped_identifier", "scoped_type_identifier":
			return l.text(l.Child(n, "name"))
		case "generic_type", "generic_type_with_turbofish":
			n = l.Child(n, "type")
		case "identifier", "type_identifier":
			return l.text(n)
		default:
			return ""
		}
	}
	return ""
}
