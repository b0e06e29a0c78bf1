// Package query finds in a syntax tree what a query of tree-sitter asks for: it compiles the
// text of a query for a grammar, and runs it over the trees of index/internal/syntax/glr.
//
// What it promises: the matches of the library's cursor, but for their order. What it does
// not: it reads the part of the query language that our queries are written in, and refuses
// the rest.
package query
