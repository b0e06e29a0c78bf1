package walk

import "iter"

// A Graph is the control flow of one function or of a module's body: steps and the edges
// between them, and what each step reads and writes.
type Graph struct {
	Name       string
	Start, End int // byte offsets of the function in the text
	Steps      []Step
	Vars       []VarInfo
	Params     []Var    // in order; the receiver comes first where there is one
	Slots      []int    // of each of Params: which argument it gets, from 0; Receives: the object that the function is called of
	Results    []Var    // those with names
	Nested     []*Graph // functions written inside, in the order of the text
	Step       int      // of a nested function: the step of the outer one that makes it
	Held       Var      // of a nested function: the variable of the outer one that it is assigned to
	Gaps       []Gap    // what is not known
	Decisions  int      // ways that part inside of steps: short circuits, conditional expressions
	Generator  bool     // it yields
	leaves     bool     // a return in it leaves the function around it
	Class      bool     // it is the body of a class, which runs where it is written
}

// The steps that each graph begins with. Leave is where an error that nobody catches goes.
const (
	Entry = iota
	Exit
	Leave
)

// Receives is the slot of a parameter that gets no argument.
const Receives = -1

// A Gap is something that was not followed.
type Gap struct {
	Start, End int
	Why        string
}

// A Step is a piece of code that runs as a whole: a statement, the head of one, or an operand
// of a condition.
type Step struct {
	Kind       Kind
	Start, End int // the bytes of the text that run
	Access     []Access
	Calls      []Call
	Next       []Edge
	Parts      []int    // steps of the same statement whose values it takes
	After      []int    // of the end of a "finally": the steps that leave by way of it; where it goes on depends on them
	Same       [][2]Var // variables of which the first one may name the object of the second one after it
	Holds      [][2]Var // those of which the first one may hold it, or a part of it
	Share      [][2]Var // and those that may hold the same objects
	Fall       int      // of a jump: the step that would come next if it were not there; 0: none
}

// A Kind says what a step is.
type Kind uint8

// The kinds of step.
const (
	Plain    Kind = iota
	Begin         // the entry
	End           // the exit, or where errors leave
	Cond          // it chooses between true and false
	Loop          // the head of a loop over elements: true is the next one, false that there is none left
	Switch        // the value that cases are compared with
	Case          // a label: true is that it fits
	Jump          // break, continue, goto, fallthrough
	Return        // it leaves the function
	Raise         // it raises an error
	Catch         // the head of a handler
	Label         // a place to jump to
	Exits         // what runs when a block is left: the end of a "with"
	Deferred      // calls that run when the function is left
	Define        // a function or class is made
	Yields        // it gives a value, and is resumed
)

var kinds = [...]string{"plain", "entry", "exit", "condition", "loop", "switch", "case", "jump", "return", "raise", "catch", "label", "leave", "deferred", "definition", "yield"}

func (k Kind) String() string { return kinds[k] }

// An Edge leads to a step that may come next.
type Edge struct {
	To    int
	Kind  EdgeKind
	Maybe bool // an error that the step does not raise itself: what it calls may
}

// An EdgeKind says when an edge is taken.
type EdgeKind uint8

// The kinds of edge.
const (
	Next EdgeKind = iota
	True
	False
	Chosen // a case fits
	Back   // to the head of a loop
	Broken // break
	Continued
	Returned
	Raised
	Went    // goto
	Fell    // into the next case
	Finally // into what runs however the code before it is left
	Resumed // after a yield or an await
)

var edgeKinds = [...]string{"next", "true", "false", "case", "back", "break", "continue", "return", "raise", "goto", "fallthrough", "finally", "resume"}

func (k EdgeKind) String() string { return edgeKinds[k] }

// A Var is an index into Graph.Vars; 0 is none.
type Var int

// A VarInfo is a variable of a function, or a name that is none of its own.
type VarInfo struct {
	Name     string
	At       int  // the offset of its declaration, or of the first place that has it
	Free     bool // it is not declared in the function, nor in one around it
	Outer    Var  // in the graph of the function around it, where that has it; else 0
	Captured bool // a function inside has it, too
	Written  bool // one inside writes it
	scalar   bool // its type is one of values without parts
	refers   bool // it names an object that another one may name
	Value    bool // its type says that what it holds has no parts to be changed
	pointed  bool // its address is held somewhere: it may be written by that
}

// An AccessKind says what happens to a variable.
type AccessKind uint8

// The kinds of access.
const (
	Use AccessKind = iota
	Def
)

// An Access is one place that reads or writes a variable, or a part of it. Those of a step are
// in the order in which they happen.
type Access struct {
	Kind       AccessKind
	Var        Var
	Path       string // the part: ".name", "[]" for any element, "[0]" for one whose index is written, several in a row; "": the whole
	Start, End int    // the bytes that name it
	Update     bool   // of a Def: the old value was read, too
	Weak       bool   // of a Def: it may happen, or it changes a part that is not known
	ByCall     bool   // a call may do it
	Shallow    bool   // of a Def of a part that is not known: not of a part of a part
	Of         Var    // of a Def: the variable whose value it gets as it is
	Value      Span   // of a Def: the expression that it gets; {0, 0}: not one alone
	If         []Var  // of a Def that is Scalar: only where these have no parts
	Scalar     bool   // of a Def: what is written is a number, a text, a truth: it has no parts to be changed
	Found      bool   // of a Use: which object it is matters, and not what is in it: a part of it is written
	Inner      bool   // a function written inside does it, at some time
}

// All yields a graph and those of all functions inside, each before what is inside of it.
func (g *Graph) All() iter.Seq[*Graph] {
	return func(yield func(*Graph) bool) { g.each(yield) }
}

func (g *Graph) each(yield func(*Graph) bool) bool {
	if !yield(g) {
		return false
	}
	for _, n := range g.Nested {
		if !n.each(yield) {
			return false
		}
	}
	return true
}

// A Call is a call within a step.
type Call struct {
	At         int // the offset of the called name, as the call graph has it
	Start, End int
	Args       []Span // in order; the receiver is not among them
	Receiver   Span   // {0, 0}: none
}

// A Span is a part of the text.
type Span struct{ Start, End int }
