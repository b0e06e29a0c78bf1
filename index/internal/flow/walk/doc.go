// Package walk makes the graph of a function's control flow from its syntax tree, by a
// Grammar: a table that says what the nodes of a language's trees do. There is one walk for all
// languages; a table is made of the forms here (IfForm, LoopForm, EachForm, SwitchForm,
// CasesForm, TryForm, Labeled, jumps) and of a few functions of its own.
//
// A step is what runs as a whole: a statement, the head of one, an operand of a condition. The
// Builder keeps the ways that lead to the next step (Builder.at), the statements around (frames:
// what a break, a continue or an error leaves) and the names of each block. A jump has an edge to
// its target, and notes what would come next if it were not there (Step.Fall), which is no edge.
// A "finally" is there once: every way out of its "try" leads through it, and goes on from its
// end.
//
// Where statements are values (Grammar.Values), those within an expression are written before
// the step that takes them, and are its Parts; the side of an operator that is not always
// evaluated is a way of its own where a statement stands in it.
//
// Accesses are in the order in which they happen. A variable is one of the function, of a
// function around it (VarInfo.Outer) or of none (VarInfo.Free).
package walk
