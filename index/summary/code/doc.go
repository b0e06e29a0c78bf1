// Package code says in a line what a symbol or a file of source code does, and in some
// lines more how. It knows no index, no parser, no model and no clock: who calls it brings
// the facts, as far as they are known, and the same facts give the same text.
//
// The line of a symbol has at most 120 characters, whatever the facts are, and is "" where
// they say nothing. What is odd in a language costs a detail of the line, never the line.
//
// It does not promise a sentence: a line is as good as the names and comments that it is
// made of. Nor does it promise that what it names is all there is: of a text it reads the
// first six kilobytes, by one scanner for all languages.
package code
