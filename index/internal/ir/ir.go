package ir

import "slices"

// Indices into the slices of a File. 0 is none, everywhere.
type (
	Str    uint32 // Strings
	Expr   uint32 // Exprs
	Var    uint32 // Vars
	Func   uint32 // Funcs
	Class  uint32 // Classes
	Import uint32 // Imports
)

// A File is one lowered file.
type File struct {
	Language string
	// Package is the declared package or namespace, segments joined by ".": a Go
	// package clause, a Java or Kotlin package, a file-wide PHP or C# namespace.
	Package Str

	Strings []string // nil where Texts has them
	Texts   Texts
	Exprs   []Node
	Args    []Arg
	Vars    []VarInfo
	Funcs   []FuncInfo // Funcs[1] is the top-level code
	Bodies  [][]Stmt   // by Func; nil where they are not at hand
	Classes []ClassInfo
	Imports []ImportInfo

	Top     []Member // the names defined at the top of the file
	Exports []Export // names exported under another name, or values without one (JavaScript)
}

// Texts are the strings of a file where somebody else keeps them.
type Texts interface {
	Text(s Str) string
}

// String returns a string of the file.
func (f *File) String(s Str) string {
	if f.Texts != nil {
		return f.Texts.Text(s)
	}
	return f.Strings[s]
}

// Variadic reports whether a variable is a parameter that has a list of what is left.
func (f *File) Variadic(v Var) bool {
	return slices.ContainsFunc(f.Funcs[f.Vars[v].Func].Params, func(p Param) bool { return p.Var == v && p.Kind == Variadic })
}

// Body returns the statements of a function, none where they are not at hand.
func (f *File) Body(fn Func) []Stmt {
	if f.Bodies == nil {
		return nil
	}
	return f.Bodies[fn]
}

// An Op says what an expression is.
type Op uint8

// The operations. A and B are operands, Args a list of them, Name a string.
const (
	None     Op = iota
	Opaque      // unknown; Args are evaluated for the calls inside. Name: the member of the first one that an operator calls with the second
	Local       // the variable Ref (a Var)
	Name        // a free name
	Attr        // A.Name
	Call        // A(Args)
	New         // new A(Args), where the language has a form of its own; A leads to a class
	Index       // A[B]; Name is the key when it is a constant ("0", "key")
	Lit         // a literal; Name is the type in the language's own word: "str", "string", "int". Ref may be the Str of its value
	List        // a list, set or array of Args; Name is the type's word. Tuples: List named "tuple"
	Object      // a dictionary or object of Args with their Names as keys; Name is the type's word
	Lambda      // the function Ref (a Func): a function literal, or a nested definition as a value
	ClassX      // the class Ref (a Class) as a value
	Union       // any one of Args: a conditional, "a or b", the arms of a match
	This        // the receiver of the enclosing method, where the language has a word for it
	Super       // the receiver, looked up from the base classes on
	Elem        // an element of A: what a loop over it yields. Name "key": its keys
	Await       // what A holds: await, "?" and "!" of Rust and Swift
	Cast        // A as the type B: only B counts
	Assign      // A = B as an expression; its value is B
	Result      // the result number Ref (from 0) of the call A that has several
	Imported    // what the import Ref (an Import) brings, as a value: imports inside functions, require()
	Decorate    // B decorated by A
	Apply       // the generic type A with Args; or, without A, of the builtin form Name: "list", "map", "func" (its last Arg is the result), "tuple", "object"
	Deref       // A through a pointer or reference; the graph takes it for A
	TypeOf      // the class of the value A: type(x), x.class, x.constructor, Self
	Iter        // a generator or iterator over values A (generator expressions, comprehensions that stay lazy); with B, what a query of B gives: its Arg where B is no sequence
)

// A Node is an expression.
type Node struct {
	Op     Op
	Flags  uint8
	Name   Str
	A, B   Expr
	Ref    uint32 // a Var, Func, Class, Import or number, as the Op says; of a Name the class in whose body it is, or 0
	Lo, Hi uint32 // Args[Lo:Hi]
	Pos    Pos    // of the name
}

// Pointer reports whether a type is one of a pointer, which has no operators of a class.
func (n *Node) Pointer() bool { return n.Op == Deref && n.Name != 0 }

// Flags of a Node.
const (
	Optional uint8 = 1 << iota // a?.b, a?.()
	Path                       // an Attr written with "::" or a class's name before it, not with a value
	Macro                      // a Call of a macro
	Implicit                   // not in the text: made by the lowering
	Given                      // the B of a Return that counts only if the parameter is passed
)

// An Arg is an argument of a call or an element of a literal.
type Arg struct {
	Name Str // keyword or key; 0: by position
	X    Expr
	Kind ArgKind
}

// An ArgKind is how an argument is passed.
type ArgKind uint8

// The kinds of argument.
const (
	Plain    ArgKind = iota
	Spread           // *args, ...args
	KwSpread         // **kwargs, {...object}
	Block            // a block after the call (Ruby, Kotlin, Swift)
)

// A StmtOp says what a statement does.
type StmtOp uint8

// The statements.
const (
	Eval   StmtOp = iota // A is evaluated
	Bind                 // A = B. A is Local, Name, Attr, Index, or a List or Object of such (destructuring)
	Return               // A is returned; several results are a List named "results". Where there is a B, only if that, a parameter, is absent: nothing, or None; or if it is Given
	Yield                // A is yielded
	Raise                // A is thrown
)

// A Stmt is a statement. Its order among others does not matter.
type Stmt struct {
	Op   StmtOp
	A, B Expr
}

// A VarInfo is a variable: local, parameter, field or at the top of the file.
type VarInfo struct {
	Name Str
	Type Expr // declared, or 0
	Init Expr // of fields and enum members: their value, evaluated where the class is written
	Func Func // that declares it; 0: a field, or at the top of the file
	Pos  Pos
}

// A ParamKind is how a parameter takes arguments.
type ParamKind uint8

// The kinds of parameter.
const (
	Positional ParamKind = iota
	Variadic             // *args, ...rest: a list of what is left
	KwVariadic           // **kwargs
	KwOnly
	BlockParam // &block
)

// A Param is a parameter.
type Param struct {
	Var     Var
	Name    Str
	Type    Expr
	Default Expr
	Kind    ParamKind
	Valued  bool // the default is something other than None
}

// A FuncFlag says something about a function.
type FuncFlag uint32

// The flags.
const (
	Static      FuncFlag = 1 << iota // no receiver
	ClassMethod                      // the receiver is the class
	Getter                           // a read of the name calls it
	Setter                           // an assignment to the name calls it
	Constructor                      // run when an instance is made
	Abstract                         // without a body, to be implemented
	Generator                        // returns an iterator of what it yields
	Async                            // returns an awaitable of what it returns
	Private                          // not visible outside its file or class
	MacroFunc                        // a macro
	TestFunc                         // run by a test runner, by the language's rules
	Extension                        // a method of Recv that is written elsewhere (Kotlin, C#, Swift)
	Entry                            // called from outside: main, init
	Prototype                        // a declaration whose definition is elsewhere (C headers, overload signatures)
	Operator                         // called by an operator
	Virtual                          // may be overridden, in a language where not every method may
	Explicit                         // found through an interface alone, whose name stands before its own
)

// A TypeParam is a generic parameter.
type TypeParam struct {
	Name  Str
	Bound Expr
}

// A FuncInfo is a function, method, lambda or the top-level code.
type FuncInfo struct {
	Name       Str // "" for literals and top-level code
	Class      Class
	Outer      Func // the function it is written in; 0: none (the top-level code does not count)
	Recv       Expr // the type it is a method of, where it is written outside of it (Go, Kotlin extensions, C++ A::f)
	Self       Var  // the parameter that holds the receiver (Go, Python, Rust); not among Params
	Flags      FuncFlag
	Params     []Param
	Results    []Expr // declared result types, several where the language has several
	rare       *funcRare
	Pos        Pos // of the name, or where a literal begins
	Start, End uint32
}

// A funcRare is what few functions have. There are millions of functions.
type funcRare struct {
	typeParams []TypeParam
	decorators []Expr
}

// TypeParams returns the type parameters of a function.
func (f *FuncInfo) TypeParams() []TypeParam {
	if f.rare == nil {
		return nil
	}
	return f.rare.typeParams
}

// Decorators returns the decorators of a function, or its annotations.
func (f *FuncInfo) Decorators() []Expr {
	if f.rare == nil {
		return nil
	}
	return f.rare.decorators
}

// SetTypeParams gives a function type parameters in place of those that it has.
func (f *FuncInfo) SetTypeParams(list []TypeParam) { f.setRare(funcRare{list, f.Decorators()}) }

// SetDecorators gives a function decorators in place of those that it has.
func (f *FuncInfo) SetDecorators(list []Expr) { f.setRare(funcRare{f.TypeParams(), list}) }

func (f *FuncInfo) setRare(r funcRare) {
	f.rare = nil
	if len(r.typeParams) > 0 || len(r.decorators) > 0 {
		f.rare = &r
	}
}

// A ClassKind is what a class is.
type ClassKind uint8

// The kinds.
const (
	PlainClass ClassKind = iota
	Struct
	Interface // also protocols and pure traits
	Trait     // with methods that have bodies, mixed in: traits, mixins, Ruby modules
	Enum
	Alias     // Target is what the name means
	Namespace // merged with others of the same name; also inline modules
	Singleton // an object with one instance: Kotlin object, Scala object
	Extends   // adds members and bases to Target: impl blocks, extensions, reopened classes
	Named     // another named type over Target, with methods of its own (Go: type T []int)
)

// A BaseKind is how a base is inherited.
type BaseKind uint8

// The kinds of base.
const (
	Extend    BaseKind = iota // a base class, or a trait that is derived from another
	Implement                 // an interface or trait
	Embed                     // an embedded field whose members are promoted (Go)
	Mixin                     // included after the class itself (Ruby include, PHP use)
	Prepend                   // before it (Ruby prepend)
	Meta                      // its methods are the class's own (Ruby extend)
)

// A Base is one base of a class.
type Base struct {
	X    Expr
	Kind BaseKind
}

// A ClassInfo is a class or any other type or namespace with members.
type ClassInfo struct {
	Name       Str // may be a path, segments joined by ".", for namespaces; "" for literals
	Kind       ClassKind
	Outer      Class // the class or namespace it is written in
	Func       Func  // the function it is written in; 0: none
	Bases      []Base
	Members    []Member
	TypeParams []TypeParam
	Target     Expr // of Alias, Extends and Named
	Decorators []Expr
	Private    bool
	Pos        Pos
	Start, End uint32
}

// A MemberKind is what a member is.
type MemberKind uint8

// The kinds of member.
const (
	FuncMember MemberKind = iota
	ClassMember
	VarMember
	ImportMember
)

// A Member is a name in a class or at the top of a file. Several may have the
// same name: overloads, or definitions on two branches.
type Member struct {
	Name     Str
	Kind     MemberKind
	Ref      uint32 // a Func, Class, Var or Import
	Static   bool   // of the class, not of its instances
	Exported bool   // by the language's rules
}

// An ImportInfo is one imported name.
//
//	language    text                     Module     Name     Alias
//	Go          import p "a/b"           a/b                 p      (Alias "" : the package's own name)
//	            import . "a/b"           a/b        *
//	Python      import a.b               a.b                        (binds a)
//	            import a.b as c          a.b                 c
//	            from .a import b as c    .a         b        c
//	            from a import *          a          *
//	JavaScript  import d, {x as y}       ./a        default  d      and  ./a  x  y
//	            import * as n            ./a                 n
//	            export * from            ./a        *               Reexport
//	            export {x as y} from     ./a        x        y      Reexport
//	            require("./a")           ./a        =               (an Imported expression)
//	Java        import a.b.C             a.b        C
//	            import a.b.*             a.b        *
//	            import static a.B.m      a.B        m               Static
//	Kotlin      import a.b.c as d        a.b        c        d
//	C#          using A.B                A.B        *
//	            using X = A.B.C          A.B        C        X
//	PHP         use A\B\C as D           A.B        C        D
//	Rust        use a::b::{c, d as e}    a::b       c               and  a::b  d  e
//	            use a::b::*              a::b       *
//	            mod x;                   x          *        x      Mod
//	C           #include "a/b.h"         a/b.h      *               Include  (<...>: System)
//	Ruby        require_relative "a"     ./a        *               Include
type ImportInfo struct {
	Module Str
	Name   Str
	Alias  Str
	Flags  ImportFlag
	Pos    Pos
}

// An ImportFlag says something about an import.
type ImportFlag uint8

// The flags.
const (
	Reexport   ImportFlag = 1 << iota // the name is exported from here, too
	TypeOnly                          // import type
	StaticName                        // import static, using static: members of a class
	Include                           // everything of the file becomes visible
	System                            // #include <...>
	Mod                               // declares a submodule that lies in a file of its own
	FuncName                          // use function (PHP)
	Global                            // global using (C#)

	// Conditional is an import of Rust that only some builds have, whose bit is C's otherwise.
	Conditional = System
)

// An Export is a name that a file exports apart from its definition: export {a as
// b}, export default x, module.exports = x (Name "="), exports.a = x.
type Export struct {
	Name Str
	X    Expr // evaluated at the top of the file
	Pos  Pos
}
