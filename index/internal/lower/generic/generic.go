// Package generic lowers languages that have no lowering of their own, from what
// the query of their grammar finds: symbols, references and imports. There are no
// values in it but the plain ones: a function's body is its calls, a receiver is
// known when it is a path of names, the call before it, or a local that is bound
// to a call on the same line ("let x = make()").
//
// A receiver that begins with a name nothing in the file explains is not known,
// rather than external: it is most often a local variable.
package generic

import (
	"bytes"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns what is known of a file into its intermediate representation. It
// returns nil when nothing in the language is known to be called.
func Lower(f *syntax.File, src []byte) *ir.File {
	r, ok := languages[f.Language]
	if !ok {
		return nil
	}
	l := &lowerer{rules: r, src: src, Builder: ir.NewBuilder(f.Language, src), language: f.Language,
		known: make(map[string]bool, len(f.Symbols)+len(f.Imports)), tables: map[string]ir.Class{}, calls: map[int]ir.Expr{}}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		l.known[s.Name] = true
		if l.outside == "table" && s.Parent != "" {
			l.tables[s.Parent] = 0
		}
	}
	l.packageClause()
	l.imports(f.Imports)
	next := 0
	for i := range f.Refs {
		for next < len(f.Symbols) && f.Symbols[next].Start <= f.Refs[i].Offset {
			l.symbol(&f.Symbols[next])
			next++
		}
		l.leave(f.Refs[i].Offset)
		l.ref(&f.Refs[i])
	}
	for ; next < len(f.Symbols); next++ {
		l.symbol(&f.Symbols[next])
	}
	l.leave(len(src) + 1)
	l.exportTable()
	return l.File()
}

// rules are what differs between the languages.
type rules struct {
	this      string   // the word for the receiver
	super     string   // the word for it as one of its base
	self      string   // the word for the enclosing class
	binders   []string // words before the name of a local variable
	types     bool     // parameters and fields are written "name: Type"
	before    bool     // or "Type name"
	instances bool     // objects have a word of their own ("object X")
	outside   string   // kind of what is written outside of its type: "type" or "table"
	std       []string // lower-case names that the language defines
}

// languages are those that Lower knows: the query of each finds calls.
var languages = map[string]*rules{
	"swift":  {this: "self", super: "super", self: "Self", binders: []string{"let", "var"}, types: true, outside: "type"},
	"scala":  {this: "this", super: "super", binders: []string{"val", "var"}, types: true, instances: true, outside: "type"},
	"groovy": {this: "this", super: "super", binders: []string{"def", "var", "final"}, before: true},
	"lua": {this: "self", binders: []string{"local"}, outside: "table",
		std: []string{"string", "table", "math", "os", "io", "coroutine", "debug", "utf8", "package", "vim", "ngx"}},
	"ocaml": {},
	"elm":   {},
	"bash":  {},
	"sql":   {},
	"cue":   {},
}

type lowerer struct {
	*rules
	*ir.Builder
	language string
	src      []byte
	open     []frame
	known    map[string]bool // names of symbols and imports
	tables   map[string]ir.Class
	calls    map[int]ir.Expr // by the offset just past the call
}

// A frame is a symbol around what is read.
type frame struct {
	end   int
	path  string // with its containers
	fn    ir.Func
	class ir.Class
	ends  int    // classes to end with it, that were made for its parents
	field ir.Var // of a field or a variable of the top
}

// leave ends the symbols that end before an offset.
func (l *lowerer) leave(offset int) {
	for n := len(l.open); n > 0 && l.open[n-1].end <= offset; n-- {
		f := l.open[n-1]
		l.open = l.open[:n-1]
		switch {
		case f.fn != 0:
			l.EndFunc(f.end)
		case f.class != 0:
			l.EndClass(f.end)
		}
		for range f.ends {
			l.EndClass(f.end)
		}
	}
}

// path is the name of the innermost symbol around, with its containers.
func (l *lowerer) path() string {
	if n := len(l.open); n > 0 {
		return l.open[n-1].path
	}
	return ""
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

// symbol begins a definition.
func (l *lowerer) symbol(s *syntax.Symbol) {
	l.leave(s.Start)
	path := join(s.Parent, s.Name)
	pos := l.nameOffset(s)
	f := frame{end: s.End, path: path}
	// A getter is a property with a body: what is called in it is called by it.
	getter := s.Kind == syntax.Field && l.language == "swift" && s.End > s.Start && l.src[min(s.End, len(l.src))-1] == '}' &&
		!strings.Contains(s.Signature, "=")
	kind, isClass := classKind(s, l.rules)
	switch {
	case isClass:
		name := strings.TrimPrefix(strings.TrimPrefix(path, l.path()), ".")
		if l.language == "swift" || l.language == "scala" || l.language == "groovy" {
			name = s.Name
		}
		f.class = l.class(name, kind, s, pos)
	case s.Kind == syntax.Function || s.Kind == syntax.Method || s.Kind == syntax.Constructor || s.Kind == syntax.Macro || getter:
		l.function(&f, s, pos, getter)
	case s.Kind == syntax.Variable || s.Kind == syntax.Constant || s.Kind == syntax.Field:
		if _, ok := l.tables[path]; ok {
			l.table(path, s, pos)
			return
		}
		f.field = l.variable(s, pos)
	default:
		return
	}
	l.open = append(l.open, f)
}

func classKind(s *syntax.Symbol, r *rules) (ir.ClassKind, bool) {
	switch s.Kind {
	case syntax.Class:
		if r.instances && strings.Contains(" "+s.Signature, " object ") {
			return ir.Singleton, true
		}
		return ir.PlainClass, true
	case syntax.Struct:
		return ir.Struct, true
	case syntax.Interface:
		return ir.Interface, true
	case syntax.Trait:
		return ir.Trait, true
	case syntax.Enum:
		return ir.Enum, true
	case syntax.Module, syntax.Namespace:
		return ir.Namespace, true
	case syntax.Type:
		return ir.PlainClass, true
	}
	return 0, false
}

func (l *lowerer) class(name string, kind ir.ClassKind, s *syntax.Symbol, pos int) ir.Class {
	c := ir.Class(len(l.Raw().Classes))
	l.Define(ir.Member{Name: l.Str(name), Kind: ir.ClassMember, Ref: uint32(c), Static: l.Class() != 0, Exported: s.Exported}, pos)
	l.BeginClass(name, kind, pos)
	l.ClassInfo(c).Start = uint32(s.Start)
	return c
}

// function begins a function.
func (l *lowerer) function(f *frame, s *syntax.Symbol, pos int, getter bool) {
	params := l.params(s.Signature, s.Name)
	f.ends = l.outer(s, pos)
	in := l.Class()
	fn := ir.Func(len(l.Raw().Funcs))
	static := in != 0 && (l.ClassInfo(in).Kind == ir.Namespace || strings.Contains(" "+s.Signature, " static "))
	member := ir.Member{Name: l.Str(s.Name), Kind: ir.FuncMember, Ref: uint32(fn), Static: static, Exported: s.Exported}
	l.Define(member, pos)
	l.BeginFunc(s.Name, pos)
	for _, p := range params {
		l.Param(p.name, l.typeOf(p.typ, pos), 0, ir.Positional, pos)
	}
	result := l.typeOf(l.result(s.Signature), pos)
	info := l.FuncInfo(fn)
	info.Start = uint32(s.Start)
	if result != 0 {
		info.Results = []ir.Expr{result}
	}
	switch {
	case getter:
		info.Flags |= ir.Getter
	case s.Kind == syntax.Constructor:
		info.Flags |= ir.Constructor
	case s.Kind == syntax.Macro:
		info.Flags |= ir.MacroFunc
	}
	if static {
		info.Flags |= ir.Static
	}
	if in != 0 && (l.ClassInfo(in).Kind == ir.Interface || l.ClassInfo(in).Kind == ir.Trait) && !l.hasBody(s) {
		info.Flags |= ir.Abstract
	}
	f.fn = fn
}

// hasBody reports whether a function of an interface or trait has one.
func (l *lowerer) hasBody(s *syntax.Symbol) bool {
	text := l.src[s.Start:min(s.End, len(l.src))]
	text = text[min(len(s.Signature), len(text)):] // all that the signature leaves out
	return bytes.IndexByte(text, '{') >= 0 || l.instances && bytes.IndexByte(text, '=') >= 0
}

// outer makes the class that a function belongs to where it is written outside
// of it: an extension, a table. It returns how many.
func (l *lowerer) outer(s *syntax.Symbol, pos int) int {
	parent := strings.TrimPrefix(strings.TrimPrefix(s.Parent, l.path()), ".")
	if s.Parent == l.path() || parent == "" || l.outside == "" {
		return 0
	}
	if l.outside == "table" {
		l.table(parent, s, pos)
	} else if i := strings.LastIndexByte(parent, '.'); i >= 0 {
		parent = parent[i+1:]
	}
	c := l.BeginClass("", ir.Extends, pos)
	target := l.Free(parent, pos)
	l.ClassInfo(c).Target = target
	return 1
}

// table makes the class of a table that functions are put into, once.
func (l *lowerer) table(name string, s *syntax.Symbol, pos int) {
	if l.tables[name] != 0 {
		return
	}
	l.tables[name] = l.class(name, ir.PlainClass, s, pos)
	l.EndClass(s.End)
}

func (l *lowerer) variable(s *syntax.Symbol, pos int) ir.Var {
	if s.Parent != l.path() && l.outside == "table" {
		return 0 // M.x = 1
	}
	v := l.Declare(s.Name, pos)
	if typ := l.fieldType(s.Signature, s.Name); typ != "" {
		x := l.typeOf(typ, pos)
		l.VarInfo(v).Type = x
	}
	return v
}

// nameOffset finds the name in a definition.
func (l *lowerer) nameOffset(s *syntax.Symbol) int {
	at, end := s.Start, min(s.End, len(l.src))
	for range s.NameLine - s.Line {
		i := bytes.IndexByte(l.src[at:end], '\n')
		if i < 0 {
			return s.Start
		}
		at += i + 1
	}
	name := s.Name
	if i := bytes.Index(l.src[at:min(end, at+maxSpan)], []byte(name)); i >= 0 {
		return at + i
	}
	return s.Start
}
