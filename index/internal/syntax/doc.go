// Package syntax finds the definitions, references and imports of one file.
//
// What is particular to a language is no part of it: a Language says what is known of one,
// and is a value that somebody else has (index/internal/lang). Almost every language has a
// grammar and a query; a file is parsed by the grammar (package glr), which gives a Tree, and
// the query is run over that (package query). Of some languages so little is asked that a
// scan finds it without a tree (Language.Scan). A language with neither gets definitions by
// pattern (package pattern), and a file in no known language gets none.
//
// What it promises: a symbol that is there in plain syntax is found with its
// right line range. What it does not: it resolves nothing, sees no macro
// expansion, and takes conditional compilation as written.
//
// # Queries
//
// A query holds only captures; there are no predicates in it, so everything else
// is decided in extract.go. Package query says which part of the query
// language there is. The captures are:
//
//	@def.KIND      a whole definition; KIND is one of the Kind constants
//	@name          the name in a definition or a reference
//	@body          the part of a definition that its signature leaves out; in a match
//	               without a definition, that of the definition that ends with it
//	@receiver      in a definition: the type it belongs to (Go methods, C++ Foo::bar);
//	               in a reference: the expression before the dot
//	@export        a node around a definition that exports it; the definition then
//	               begins where this node begins. Also @outer: decorators, templates
//	@ref.KIND      a whole reference; KIND is one of the RefKind constants
//	@import        a whole import
//	@path          the imported path
//	@import.name   one name picked out of it
//	@alias         its local name
//	@comment       any comment, from which docs are gathered
//	@docstring     a doc text inside a body (Python, Elixir)
//	@head          a node of the file's head (package clause, licence, use lines)
//	@decorator     a node directly before a definition that belongs to it, where the
//	               grammar makes it a sibling (attributes of Rust)
//	@scope         a container that is no symbol itself (impl, extension); its @name, if
//	               it has one, is part of the Parent of what is inside. @scope.public and
//	               @scope.private say whether that is exported, too
//	@section       a label inside a container that holds for what follows ("private:")
//	@export.name   a name that is exported apart from its definition
//	@default       in an import: the local name of the default import
//	@keyword       a word that decides, by the rules of the language, the kind of a
//	               definition, whether a call is an import or what reference it makes
//	               (def, require, include)
//	@start         where a definition begins when its node begins earlier
//	@level         in a definition: it runs to the next one that has it, or to the end of
//	               the file
//	@attribute     a node whose @keyword says by the rules of the language whether it is a
//	               comment, a docstring or a decorator
//
// Captures whose names begin with "_" mean nothing. A reference without @name is
// its own name, which saves a capture. Where two definitions have the same
// name node, that of the earlier pattern counts; so special cases come first.
package syntax
