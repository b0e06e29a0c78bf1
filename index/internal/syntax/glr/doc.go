// Package glr makes the syntax tree of a text by a grammar of tree-sitter: its tables, its
// lexer and its scanner, but not the library's parser, which is made for text that is being
// edited. The parser here, in C, makes the same trees in less than half of the time, and
// leaves to the library what it is not sure of. README.md says why, how the trees are held
// equal, and how it is switched off.
//
// What it promises: the tree of a text is the library's, node for node, or there is none.
// What it does not: it knows no language, and a grammar's own code may end the process that
// it runs in (index/internal/parsing is for that).
package glr
