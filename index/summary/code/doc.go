// Package code says in one line what a symbol or a file of source code does, and in a few
// more how. It knows no index, no parser, no model and no clock: the caller supplies the
// known facts, and the same facts give the same text.
//
// The line of a symbol has at most 120 characters, whatever the facts are, and is "" if
// they say nothing. A peculiarity of a language costs a detail of the line, never the line.
//
// It does not promise a sentence: a line is as good as the names and comments that it is
// made of. Nor does it promise that what it names is all there is: of a text it reads the
// first six kilobytes, by one scanner for all languages.
package code
