package ir

import (
	"bytes"
	"slices"
)

// A Builder makes a File. It keeps the scopes, so that a lowering writes names
// and the Builder tells local from free ones. It is not safe for concurrent use.
type Builder struct {
	file   File
	src    []byte
	strs   map[string]Str
	frames []frame
	line   int // the line of the last Pos
	from   int // the offset where it begins
	seen   int // an offset up to which it is known not to end
}

// A frame is a file, function or class that is being written.
type frame struct {
	fn     Func             // 0 in the frame of a class
	class  Class            // 0 in the frame of a file or function
	scopes []map[string]Var // innermost last; the first of a file is the top, and holds none
}

// NewBuilder begins a file: its top-level code is the current function.
func NewBuilder(language string, src []byte) *Builder {
	b := &Builder{src: src, strs: map[string]Str{"": 0}, line: 1}
	b.file = File{
		Language: language,
		Strings:  []string{""},
		Exprs:    make([]Node, 1, 256),
		Vars:     make([]VarInfo, 1, 64),
		Funcs:    make([]FuncInfo, 2, 32),
		Bodies:   make([][]Stmt, 2, 32),
		Classes:  make([]ClassInfo, 1, 8),
		Imports:  make([]ImportInfo, 1, 16),
	}
	b.file.Funcs[1].End = uint32(len(src))
	b.frames = []frame{{fn: 1, scopes: []map[string]Var{nil}}}
	return b
}

// File returns the finished file. The Builder must not be used after.
func (b *Builder) File() *File {
	f := b.file // a copy: the Builder holds the text, and slices grow by more than they need
	f.Strings = slices.Clip(slices.Clone(f.Strings))
	f.Exprs = slices.Clip(slices.Clone(f.Exprs))
	f.Args = slices.Clip(slices.Clone(f.Args))
	f.Vars = slices.Clip(slices.Clone(f.Vars))
	f.Funcs = slices.Clip(slices.Clone(f.Funcs))
	f.Bodies = slices.Clip(slices.Clone(f.Bodies))
	f.Classes = slices.Clip(slices.Clone(f.Classes))
	f.Imports = slices.Clip(slices.Clone(f.Imports))
	return &f
}

// Raw returns the file while it is being written, to look at or amend.
func (b *Builder) Raw() *File { return &b.file }

// Str enters a string.
func (b *Builder) Str(s string) Str {
	id, ok := b.strs[s]
	if !ok {
		id = Str(len(b.file.Strings))
		b.file.Strings = append(b.file.Strings, s)
		b.strs[s] = id
	}
	return id
}

// StrBytes is Str of bytes, which are copied only when they are new.
func (b *Builder) StrBytes(s []byte) Str {
	if id, ok := b.strs[string(s)]; ok {
		return id
	}
	return b.Str(string(s))
}

// Intern returns bytes as a string, which is copied only when it has not been entered.
func (b *Builder) Intern(s []byte) string {
	if id, ok := b.strs[string(s)]; ok {
		return b.file.Strings[id]
	}
	return string(s)
}

// Pos turns a byte offset into a Pos. It is fast when offsets come in order.
func (b *Builder) Pos(offset int) Pos {
	if offset < b.from {
		b.line -= bytes.Count(b.src[offset:b.from], []byte{'\n'})
		b.from = bytes.LastIndexByte(b.src[:offset], '\n') + 1
		b.seen = offset
	} else if offset > b.seen {
		between := b.src[b.seen:offset]
		if bytes.IndexByte(between, '\n') >= 0 {
			b.line += bytes.Count(between, []byte{'\n'})
			b.from = b.seen + bytes.LastIndexByte(between, '\n') + 1
		}
		b.seen = offset
	}
	return At(b.line, offset-b.from+1)
}

// Func returns the function whose body is being written: statements go there.
func (b *Builder) Func() Func {
	for i := len(b.frames) - 1; ; i-- {
		if b.frames[i].fn != 0 {
			return b.frames[i].fn
		}
	}
}

// Class returns the class that is being written directly, or 0: inside of a
// method it is 0, see Enclosing.
func (b *Builder) Class() Class { return b.frames[len(b.frames)-1].class }

// Enclosing returns the innermost class around what is being written, or 0.
func (b *Builder) Enclosing() Class {
	for i := len(b.frames) - 1; i > 0; i-- {
		if c := b.frames[i].class; c != 0 {
			return c
		}
	}
	return 0
}

// AtTop reports whether a definition here is one of the file's top level: not in
// a class, a function or a block.
func (b *Builder) AtTop() bool { return len(b.frames) == 1 && len(b.frames[0].scopes) == 1 }

// BeginFunc begins a function at byte offset pos, the end of which is not known
// yet, and makes its scope. It is not bound to its name: Define does that, before
// or after.
func (b *Builder) BeginFunc(name string, pos int) Func {
	f := Func(len(b.file.Funcs))
	info := FuncInfo{Name: b.Str(name), Class: b.Class(), Pos: b.Pos(pos), Start: uint32(pos)}
	if outer := b.Func(); outer != 1 && info.Class == 0 {
		info.Outer = outer
	}
	b.file.Funcs = append(b.file.Funcs, info)
	b.file.Bodies = append(b.file.Bodies, nil)
	b.frames = append(b.frames, frame{fn: f, scopes: []map[string]Var{nil}})
	return f
}

// ResumeFunc goes on with a function that has ended, in a scope of its own: the
// further clauses of one that is written in several. EndFunc ends it again.
func (b *Builder) ResumeFunc(f Func) {
	b.frames = append(b.frames, frame{fn: f, scopes: []map[string]Var{nil}})
}

// EndFunc ends the innermost function at byte offset end.
func (b *Builder) EndFunc(end int) {
	f := b.pop().fn
	b.file.Funcs[f].End = uint32(end)
}

// BeginClass begins a class, as BeginFunc.
func (b *Builder) BeginClass(name string, kind ClassKind, pos int) Class {
	c := Class(len(b.file.Classes))
	info := ClassInfo{Name: b.Str(name), Kind: kind, Outer: b.Class(), Pos: b.Pos(pos), Start: uint32(pos)}
	if outer := b.Func(); outer != 1 {
		info.Func = outer
	}
	b.file.Classes = append(b.file.Classes, info)
	b.frames = append(b.frames, frame{class: c})
	return c
}

// EndClass ends the innermost class at byte offset end.
func (b *Builder) EndClass(end int) {
	c := b.pop().class
	b.file.Classes[c].End = uint32(end)
}

func (b *Builder) pop() frame {
	top := b.frames[len(b.frames)-1]
	b.frames = b.frames[:len(b.frames)-1]
	return top
}

// FuncInfo returns the function to be filled in. The pointer is valid until the
// next BeginFunc.
func (b *Builder) FuncInfo(f Func) *FuncInfo { return &b.file.Funcs[f] }

// ClassInfo returns the class to be filled in. The pointer is valid until the
// next BeginClass.
func (b *Builder) ClassInfo(c Class) *ClassInfo { return &b.file.Classes[c] }

// PushScope begins a block with names of its own.
func (b *Builder) PushScope() {
	top := &b.frames[len(b.frames)-1]
	top.scopes = append(top.scopes, nil)
}

// PopScope ends the innermost block.
func (b *Builder) PopScope() {
	top := &b.frames[len(b.frames)-1]
	top.scopes = top.scopes[:len(top.scopes)-1]
}

// Declare makes a variable in the innermost block. At the top of the file it
// becomes a Member of it (not exported; DeclareTop says otherwise), in a class a
// field. An equal name in the same block gives the same variable.
func (b *Builder) Declare(name string, pos int) Var { return b.declare(name, pos, len(b.frames)-1, -1) }

// DeclareFunc is Declare in the outermost block of the innermost function: var
// of JavaScript, every assignment of Python.
func (b *Builder) DeclareFunc(name string, pos int) Var {
	for i := len(b.frames) - 1; ; i-- {
		if b.frames[i].fn != 0 {
			return b.declare(name, pos, i, 0)
		}
	}
}

func (b *Builder) declare(name string, pos, at, scope int) Var {
	f := &b.frames[at]
	info := VarInfo{Name: b.Str(name), Func: f.fn, Pos: b.Pos(pos)}
	if f.class != 0 {
		return b.member(&b.file.Classes[f.class].Members, info)
	}
	if scope < 0 {
		scope = len(f.scopes) - 1
	}
	if at == 0 && scope == 0 {
		info.Func = 0
		return b.member(&b.file.Top, info)
	}
	if v, ok := f.scopes[scope][name]; ok {
		return v
	}
	if f.scopes[scope] == nil {
		f.scopes[scope] = map[string]Var{}
	}
	v := b.add(info)
	f.scopes[scope][name] = v
	return v
}

// member finds or adds a variable in a list of members.
func (b *Builder) member(list *[]Member, info VarInfo) Var {
	for _, m := range *list {
		if m.Kind == VarMember && m.Name == info.Name {
			return Var(m.Ref)
		}
	}
	v := b.add(info)
	*list = append(*list, Member{Name: info.Name, Kind: VarMember, Ref: uint32(v)})
	return v
}

func (b *Builder) add(info VarInfo) Var {
	b.file.Vars = append(b.file.Vars, info)
	return Var(len(b.file.Vars) - 1)
}

// Shadow is Declare of a new variable even where the block has the name already:
// let of Rust, := of Go after an inner block.
func (b *Builder) Shadow(name string, pos int) Var {
	f := &b.frames[len(b.frames)-1]
	if f.class != 0 || len(b.frames) == 1 && len(f.scopes) == 1 {
		return b.Declare(name, pos)
	}
	v := b.add(VarInfo{Name: b.Str(name), Func: f.fn, Pos: b.Pos(pos)})
	last := len(f.scopes) - 1
	if f.scopes[last] == nil {
		f.scopes[last] = map[string]Var{}
	}
	f.scopes[last][name] = v
	return v
}

// Temp makes a variable without a name.
func (b *Builder) Temp(pos int) Var {
	return b.add(VarInfo{Func: b.Func(), Pos: b.Pos(pos)})
}

// Lookup finds the local variable that a name means here, or 0 when it is none.
func (b *Builder) Lookup(name string) Var {
	for i := len(b.frames) - 1; i >= 0; i-- {
		for s := len(b.frames[i].scopes) - 1; s >= 0; s-- {
			if v, ok := b.frames[i].scopes[s][name]; ok {
				return v
			}
		}
	}
	return 0
}

// VarInfo returns the variable to be filled in. The pointer is valid until the
// next variable is made.
func (b *Builder) VarInfo(v Var) *VarInfo { return &b.file.Vars[v] }

// Define binds a name to a function, class, or import where it is written: as a
// member of the class, at the top of the file, or as a local variable.
func (b *Builder) Define(m Member, pos int) {
	top := &b.frames[len(b.frames)-1]
	switch {
	case top.class != 0:
		members := &b.file.Classes[top.class].Members
		*members = append(*members, m)
	case b.AtTop():
		b.file.Top = append(b.file.Top, m)
	default:
		v := b.Declare(b.file.Strings[m.Name], pos)
		n := Node{Ref: m.Ref, Pos: b.Pos(pos), Flags: Implicit}
		switch m.Kind {
		case FuncMember:
			n.Op = Lambda
		case ClassMember:
			n.Op = ClassX
		case ImportMember:
			n.Op = Imported
		}
		b.Bind(b.Expr(Node{Op: Local, Ref: uint32(v), Flags: Implicit}), b.Expr(n))
	}
}

// AddImport enters an import and binds its local name, if name is not "".
func (b *Builder) AddImport(info ImportInfo, name string, exported bool, pos int) Import {
	info.Pos = b.Pos(pos)
	i := Import(len(b.file.Imports))
	b.file.Imports = append(b.file.Imports, info)
	if name != "" {
		b.Define(Member{Name: b.Str(name), Kind: ImportMember, Ref: uint32(i), Exported: exported}, pos)
	}
	return i
}

// Param adds a parameter to the innermost function and returns its variable.
func (b *Builder) Param(name string, typ, def Expr, kind ParamKind, pos int) Var {
	v := b.Declare(name, pos)
	b.file.Vars[v].Type = typ
	f := &b.file.Funcs[b.Func()]
	f.Params = append(f.Params, Param{Var: v, Name: b.Str(name), Type: typ, Default: def, Kind: kind})
	return v
}
