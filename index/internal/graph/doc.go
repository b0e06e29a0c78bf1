// Package graph holds who calls, reads, makes and inherits what, over the files of
// one root.
//
// # From files to edges
//
// A file comes in as package ir has it. The work is in three steps:
//
//	declare   what names mean: imports, the parts of a class, its bases, declared types.
//	          It depends on no function body.
//	solve     which values can reach each variable, field, parameter and result: the
//	          least sets that satisfy every assignment, call and return (a
//	          context-insensitive, flow-insensitive inclusion analysis, after Andersen,
//	          "Program Analysis and Specialization for the C Programming Language",
//	          1994). A declared type says what a variable is, and no value flows into
//	          it, unless the type is an interface, abstract, a type parameter or a
//	          function.
//	edges     read off while the last evaluation of each function runs.
//
// Each family of languages is solved by itself, for nothing leads from one to another:
// not even where both add a method to a type of the same name that is outside the index.
//
// A unit of solving is a function with the functions inside it. What units share lies
// in cells; when a cell that a unit read has grown, those of its statements are
// evaluated again that read it, or a variable that changed in turn. Cells never
// shrink while that goes on, but evaluation is not monotone everywhere, so that the result
// depends on the order of work. That order is one of the files alone: units are evaluated
// in rounds, by path and place, and values are taken by what they are. Values, sets and
// nodes are numbers given as work goes on, which is why they never decide anything and
// never reach an answer.
//
// An update declares again the files that mention a name whose meaning changed, and
// evaluates their units while it replays what all others gave. Where that does
// not lead to what there would be from nothing, the family is made afresh; so is one that
// is large, or comes from a snapshot, and has only what answers need (shrink.go).
// TestEdits and TestHistories compare with a rebuild.
//
// # What it promises
//
// With "sound" for no call missed and "precise" for no call invented: neither holds
// without limits, and docs/graph.md says for each language what was measured. What does
// hold: a call site is in exactly one of three states. It has edges (resolved, or
// Possible: one of several by the hierarchy or the overloads), or it is a Site with a
// Reason. Nothing is bound by its bare name alone. Something outside the index is
// External, and never bound to a definition of the same name.
//
// What it does not: it follows no reflection, no strings that become names but constant
// ones, no generated code that is not there, and no code between two languages.
//
// # Packages
//
// This one has the Graph: all families together, what solves them side by side and what is
// kept of them. Package edge has its vocabulary, intern and pointsto numbers and sets,
// program what is solved, eval the evaluation of expressions and body that of units, with
// frame, call, typeparam and transfer for what of it needs no evaluation, solver the fixed
// point and the answers of one family, frozen what a snapshot holds of it. Packages below lang have what
// languages do differently; no other knows one.
package graph
