package ir

// What a Node of an operation has, unless its encoding says otherwise.
const (
	hasName uint8 = 1 << iota
	hasA
	hasB
	hasRef
	hasArgs
	hasPlace // of its own, with the next thing to the right of it
)

// usual is what the Nodes of each operation have.
var usual = [...]uint8{
	Opaque: hasArgs, Local: hasRef | hasPlace, Name: hasName | hasPlace, Attr: hasName | hasA | hasPlace,
	Call: hasA | hasArgs, New: hasA | hasArgs, Index: hasA, Lit: hasName | hasPlace, List: hasName | hasArgs,
	Object: hasName | hasArgs, Lambda: hasRef, ClassX: hasRef, Union: hasArgs, This: hasPlace, Super: hasPlace,
	Elem: hasA, Await: hasA, Cast: hasA | hasB, Assign: hasA | hasB, Result: hasA | hasRef, Imported: hasRef,
	Decorate: hasA | hasB, Apply: hasName | hasArgs, Deref: hasA, TypeOf: hasA, Iter: hasA,
}

// A guess is what follows from the part of a file that has been written or read, which
// is the same for both sides.
type guess struct {
	f     *File
	first []Expr // by expression: where it begins, with all that only it holds
	lits  []Expr // the literals
	args  uint32 // how many arguments there were
	known Str    // the last string that a node had
	seen  uint32 // the last variable that a node had
	base  uint32 // the first one of its function that a node had
	later []bool // by variable: its place is that of the first node that has it

	at     Pos // where the next name is
	indent int // the column of the last one that was in another line
}

func newGuess(f *File, first []Expr, later []bool) guess {
	return guess{f: f, first: first, later: later, at: At(1, 1)}
}

// place guesses the place of a node of which all else is known: that of what it
// belongs to, that of the variable, or behind the last name.
func (g *guess) place(n *Node) Pos {
	switch {
	case n.Op == Local:
		if n.Ref > g.seen && !g.later[n.Ref] {
			return g.f.Vars[n.Ref].Pos
		}
	case usual[n.Op]&hasPlace == 0 && n.A != 0:
		return g.f.Exprs[n.A].Pos
	}
	return g.at
}

// done takes note of a node, with all that it holds from first on.
func (g *guess) done(x, first Expr, n *Node) {
	g.first[x] = first
	switch n.Op {
	case Lit:
		g.lits = append(g.lits, x)
	case Local:
		if n.Ref <= g.seen {
			break
		}
		g.seen = n.Ref
		if g.base == 0 || g.f.Vars[n.Ref].Func != g.f.Vars[g.base].Func {
			g.base = n.Ref
		}
	}
	if usual[n.Op]&hasPlace == 0 || n.Pos == 0 || n.Op == Lit && n.Pos.Line() < g.at.Line() {
		return // A lowering may write one literal of each type, at the top.
	}
	width := 4
	if n.Op != Lit && n.Name != 0 {
		width = len(g.f.Strings[n.Name]) + 1
	}
	g.at = At(n.Pos.Line(), n.Pos.Column()+width)
}

// repeats reports whether a node is a further result of the call that the one before
// it is of, but for its operand.
func (g *guess) repeats(x Expr, op Op) bool {
	return op == Result && g.f.Exprs[x-1].Op == Result
}

// A forest is the expressions that are in no other, in order: what statements are of.
type forest []Expr

// newForest makes one of a list of zeros, which is one longer.
func newForest(roots, first []Expr) forest {
	for x := 1; x < len(first); x++ {
		roots[first[x]] = Expr(x)
	}
	return roots
}

// after returns the expression that follows one, or 0.
func (f forest) after(x Expr) Expr { return f[x+1] }
