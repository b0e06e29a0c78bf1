package ir

import (
	"fmt"
	"strings"
)

// Dump writes a file as text for people and golden files, one statement a line.
func Dump(f *File) string {
	d := &dumper{f: f}
	if f.Package != 0 {
		d.line(0, "package %s", f.String(f.Package))
	}
	for _, i := range f.Imports[1:] {
		d.line(0, "import %s", d.importText(i))
	}
	for _, e := range f.Exports {
		d.line(0, "export %s = %s", f.String(e.Name), d.expr(e.X))
	}
	d.members(0, f.Top)
	d.body(0, 1)
	return d.b.String()
}

type dumper struct {
	f *File
	b strings.Builder
}

func (d *dumper) line(depth int, format string, args ...any) {
	d.b.WriteString(strings.Repeat("\t", depth))
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func (d *dumper) importText(i ImportInfo) string {
	s := d.f.String(i.Module)
	for _, part := range []struct {
		mark string
		str  Str
	}{{" name ", i.Name}, {" as ", i.Alias}} {
		if part.str != 0 {
			s += part.mark + d.f.String(part.str)
		}
	}
	names := []string{"reexport", "type", "static", "include", "system", "mod", "function", "global"}
	for bit, name := range names {
		if i.Flags&(1<<bit) != 0 {
			s += " " + name
		}
	}
	return s
}

func (d *dumper) members(depth int, list []Member) {
	for _, m := range list {
		marks := ""
		if m.Exported {
			marks += "exported "
		}
		if m.Static {
			marks += "static "
		}
		switch m.Kind {
		case FuncMember:
			d.fn(depth, marks, Func(m.Ref))
		case ClassMember:
			d.class(depth, marks, Class(m.Ref))
		case VarMember:
			v := d.f.Vars[m.Ref]
			d.line(depth, "%svar %s%s%s", marks, d.f.String(m.Name), d.typed(v.Type), d.value(v.Init))
		case ImportMember:
			d.line(depth, "%suse %s = %s", marks, d.f.String(m.Name), d.importText(d.f.Imports[m.Ref]))
		}
	}
}

func (d *dumper) typed(x Expr) string {
	if x == 0 {
		return ""
	}
	return ": " + d.expr(x)
}

func (d *dumper) value(x Expr) string {
	if x == 0 {
		return ""
	}
	return " = " + d.expr(x)
}

var flagNames = []string{"static", "classmethod", "getter", "setter", "constructor", "abstract", "generator",
	"async", "private", "macro", "test", "extension", "entry", "prototype", "operator", "virtual"}

func (d *dumper) fn(depth int, marks string, id Func) {
	f := &d.f.Funcs[id]
	var params []string
	for _, p := range f.Params {
		params = append(params, []string{"", "*", "**", "kw ", "&"}[p.Kind]+d.f.String(p.Name)+d.typed(p.Type)+d.value(p.Default))
	}
	for bit, name := range flagNames {
		if f.Flags&(1<<bit) != 0 {
			marks += name + " "
		}
	}
	head := fmt.Sprintf("%sfunc %s%s(%s)", marks, d.f.String(f.Name), d.typeParams(f.TypeParams()), strings.Join(params, ", "))
	if f.Self != 0 {
		head += " self " + d.variable(f.Self)
	}
	if f.Recv != 0 {
		head += " of " + d.expr(f.Recv)
	}
	for _, r := range f.Results {
		head += " -> " + d.expr(r)
	}
	for _, x := range f.Decorators() {
		head += " @" + d.expr(x)
	}
	d.line(depth, "%s at %d:%d", head, f.Pos.Line(), f.Pos.Column())
	d.body(depth+1, id)
}

func (d *dumper) typeParams(list []TypeParam) string {
	if len(list) == 0 {
		return ""
	}
	var out []string
	for _, t := range list {
		out = append(out, d.f.String(t.Name)+d.typed(t.Bound))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (d *dumper) class(depth int, marks string, id Class) {
	c := &d.f.Classes[id]
	kind := []string{"class", "struct", "interface", "trait", "enum", "alias", "namespace", "singleton", "extends", "named"}[c.Kind]
	head := fmt.Sprintf("%s%s %s%s", marks, kind, d.f.String(c.Name), d.typeParams(c.TypeParams))
	if c.Target != 0 {
		head += " = " + d.expr(c.Target)
	}
	for _, base := range c.Bases {
		head += " " + []string{"extends", "implements", "embeds", "includes", "prepends", "meta"}[base.Kind] + " " + d.expr(base.X)
	}
	for _, x := range c.Decorators {
		head += " @" + d.expr(x)
	}
	d.line(depth, "%s at %d:%d", head, c.Pos.Line(), c.Pos.Column())
	d.members(depth+1, c.Members)
	for i := range d.f.Classes { // impl blocks in modules, which are members of nothing
		if inner := &d.f.Classes[i]; i > 0 && inner.Outer == id && !isMember(c.Members, ClassMember, uint32(i)) {
			d.class(depth+1, fmt.Sprintf("#%d ", i), Class(i))
		}
	}
}

// body writes the statements of a function and the functions and classes inside.
func (d *dumper) body(depth int, id Func) {
	for _, s := range d.f.Body(id) {
		switch s.Op {
		case Bind:
			d.line(depth, "%s = %s", d.expr(s.A), d.expr(s.B))
		case Eval:
			d.line(depth, "%s", d.expr(s.A))
		default:
			d.line(depth, "%s %s", []string{2: "return", 3: "yield", 4: "raise"}[s.Op], d.expr(s.A))
		}
	}
	for i := range d.f.Funcs {
		if f := &d.f.Funcs[i]; i > 1 && f.Class == 0 && (f.Outer == id || id == 1 && f.Outer == 0 && !isMember(d.f.Top, FuncMember, uint32(i))) {
			d.fn(depth, fmt.Sprintf("#%d ", i), Func(i))
		}
	}
	for i := range d.f.Classes {
		if c := &d.f.Classes[i]; i > 0 && c.Outer == 0 && (id != 1 && c.Func == id || id == 1 && c.Func == 0 && !isMember(d.f.Top, ClassMember, uint32(i))) {
			d.class(depth, fmt.Sprintf("#%d ", i), Class(i))
		}
	}
}

func isMember(list []Member, kind MemberKind, ref uint32) bool {
	for _, m := range list {
		if m.Kind == kind && m.Ref == ref {
			return true
		}
	}
	return false
}

func (d *dumper) variable(v Var) string {
	return fmt.Sprintf("%s$%d", d.f.String(d.f.Vars[v].Name), v)
}

func (d *dumper) args(n *Node) string {
	var out []string
	for _, a := range d.f.Args[n.Lo:n.Hi] {
		s := []string{"", "*", "**", "&"}[a.Kind]
		if a.Name != 0 {
			s += d.f.String(a.Name) + ": "
		}
		out = append(out, s+d.expr(a.X))
	}
	return strings.Join(out, ", ")
}

func (d *dumper) expr(x Expr) string {
	n := &d.f.Exprs[x]
	name := d.f.String(n.Name)
	switch n.Op {
	case None:
		return "_"
	case Opaque:
		return "?" + name + "(" + d.args(n) + ")"
	case Local:
		return d.variable(Var(n.Ref))
	case Name:
		return name
	case Attr:
		if n.Flags&Path != 0 {
			return d.expr(n.A) + "::" + name
		}
		return d.expr(n.A) + "." + name
	case Call:
		return fmt.Sprintf("%s(%s)", d.expr(n.A), d.args(n))
	case New:
		return fmt.Sprintf("new %s(%s)", d.expr(n.A), d.args(n))
	case Index:
		if name != "" {
			return fmt.Sprintf("%s[%q]", d.expr(n.A), name)
		}
		return fmt.Sprintf("%s[%s]", d.expr(n.A), d.expr(n.B))
	case Lit:
		if n.Ref != 0 {
			return fmt.Sprintf("<%s %q>", name, d.f.String(Str(n.Ref)))
		}
		return "<" + name + ">"
	case List:
		return name + "[" + d.args(n) + "]"
	case Object:
		return name + "{" + d.args(n) + "}"
	case Lambda:
		return fmt.Sprintf("func#%d", n.Ref)
	case ClassX:
		return fmt.Sprintf("class#%d", n.Ref)
	case Union:
		return "(" + strings.ReplaceAll(d.args(n), ", ", " | ") + ")"
	case This:
		return "this"
	case Super:
		return "super"
	case Result:
		return fmt.Sprintf("%s#%d", d.expr(n.A), n.Ref)
	case Imported:
		return "import(" + d.importText(d.f.Imports[n.Ref]) + ")"
	case Apply:
		if n.A == 0 {
			return name + "<" + d.args(n) + ">"
		}
		return d.expr(n.A) + "<" + d.args(n) + ">"
	}
	op := map[Op]string{Elem: "elem", Await: "await", Cast: "cast", Assign: "assign", Decorate: "decorate",
		Deref: "deref", TypeOf: "typeof", Iter: "iter"}[n.Op]
	if name != "" {
		op += " " + name
	}
	if n.B != 0 {
		return fmt.Sprintf("%s(%s, %s)", op, d.expr(n.A), d.expr(n.B))
	}
	return fmt.Sprintf("%s(%s)", op, d.expr(n.A))
}
