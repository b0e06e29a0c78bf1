// Package ir is the intermediate representation of a file that the call graph is
// made from: what is defined, what is assigned to what, and what is called.
//
// Each language has a lowering (index/internal/lower/NAME) that turns a syntax
// tree into a File; index/internal/graph reads Files of all languages alike. The
// form keeps what decides where a call goes and drops the rest: control flow,
// arithmetic and the order of statements. So two branches are two statements,
// a loop is its body once, and a conditional expression is a Union of its arms.
//
// # Names
//
// A lowering resolves the names of its own functions: a parameter, a local
// variable, a local function or class is a Var, and its uses are Local. The
// Builder keeps the scopes for that. Every other name is a free Name, and the
// graph finds it: in the enclosing classes where the language looks there
// without "this", at the top of the file, in its package, in what is imported.
//
// # Functions and units
//
// Funcs[1] is the file's top-level code, a function without a name. Functions
// written inside another one have Outer set; a function that is written directly
// at the top of the file or in a class is a unit with all that is inside it.
//
// # Types
//
// Declared types are expressions, too, marked by where they stand: a Name or
// Attr that leads to a class means an instance of it there. Apply is a generic
// type with its arguments, with the names "list", "map", "func", "tuple" and
// "object" for the types that a language writes without a name. A language without
// declared types leaves them None, and values flow instead.
//
// # What a lowering must keep to
//
//   - Every call in the text is one Call or New in the function that contains it,
//     with Pos at the called name (the last one of a dotted path).
//   - A name that is only read is Eval'd or part of what uses it, so that functions
//     passed as values are seen.
//   - What it does not understand becomes an Opaque with what is inside as its Args;
//     never nothing, so that the calls inside are kept, and never a guess.
//   - Operands and arguments come before what they are of, what something lies in comes
//     before it, and the arguments of a Node after those of all before it, as the
//     Builder makes them: else a saved File does not come back.
package ir
