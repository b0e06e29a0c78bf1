package walk

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// MaxSteps bounds the steps of a function and of those inside it. What comes after is left
// out, and said to be.
const MaxSteps = 200_000

// maxDepth bounds the nesting that is followed.
const maxDepth = 2000

// A Builder makes a Graph.
type Builder struct {
	*syntax.Tree
	g       *Graph
	rules   *Grammar
	outer   *Builder
	at      []way // what leads to the next step
	open    int   // the step that is being written; none: no one is
	frames  []frame
	scopes  []scope
	ahead   map[Var]bool // declared by DeclareHere
	dead    map[int]bool // steps that nothing leads to
	rests   map[int]bool // steps that are resumed: see Resumed
	labels  map[string]int
	gotos   []jump
	weak    int // >0: what is written may not happen
	depth   int
	label   string       // of the statement that comes next
	head    int          // one more than where the next step begins; 0: at its node
	mode    []targetMode // of the patterns around
	slot    int          // of the next parameter, see Graph.Slots
	own     int          // >0: names are those of the innermost block
	dry     bool         // only names are declared
	through bool         // see Function.Through
	left    bool         // a return in it leaves the function around
	returns bool         // the step that is open has a function that may do so
	typed   bool         // what is declared has values without parts
	early   bool         // of the parameters: the defaults are not evaluated here
	defers  bool         // it has a statement of Grammar.Defers
	whole   bool         // the next block is the body of the function
	hoisted map[syntax.Node]bool
	steps   *int            // of all functions of the question
	modules map[string]bool // see Grammar.Modules
	known   map[string]bool // see Grammar.Computes: what was asked
	file    bool            // what is built is the whole text
}

// A way leads from a step.
type way struct {
	from  int
	kind  EdgeKind
	maybe bool // see Edge
}

// A frame is a statement that a jump may leave or go on with.
type frame struct {
	label    string
	loop     bool
	breaks   bool  // a break without a label ends it
	exits    []way // what leaves it by break
	next     []way // what goes on by continue
	handlers []way // of a try: what raises goes here
	catches  bool
	finally  bool // what leaves it passes through its last block
	function bool // it is all of a function with Grammar.Defers
	first    int  // the first step in it
	head     int  // of a switch whose cases are labels: its step
	other    bool // it has a default
	jumps    []jump
}

// A jump is on its way to its target.
type jump struct {
	from  way
	op    JumpOp
	label string
	more  int // loops that it passes before the one that it leaves
}

// A JumpOp says where a jump goes.
type JumpOp uint8

// The targets of jumps.
const (
	ToBreak JumpOp = iota
	ToContinue
	ToExit
	ToRaise
	ToLabel
	ToLeave // the program ends: no handler runs
)

type scope map[string]Var

// Build makes the graph of the function at n, or of the whole text where n is the root.
func Build(t *syntax.Tree, rules *Grammar, n syntax.Node) *Graph {
	steps := 0
	b := newBuilder(t, rules, nil, &steps)
	b.known, b.file = map[string]bool{}, n == t.Root()
	if rules.Modules != nil {
		b.modules = rules.Modules(t)
	}
	b.function(n)
	return b.g
}

func newBuilder(t *syntax.Tree, rules *Grammar, outer *Builder, steps *int) *Builder {
	b := &Builder{
		Tree: t, rules: rules, outer: outer, steps: steps, labels: map[string]int{}, ahead: map[Var]bool{}, dead: map[int]bool{}, rests: map[int]bool{}, hoisted: map[syntax.Node]bool{},
		g: &Graph{Vars: make([]VarInfo, 1), Steps: []Step{{Kind: Begin}, {Kind: End}, {Kind: End}}},
	}
	b.scopes, b.open = []scope{{}}, none
	b.at = []way{{from: Entry}}
	return b
}

// function writes the body of a function.
func (b *Builder) function(n syntax.Node) {
	f, is := b.rules.Functions[b.Kind(n)]
	b.g.Start, b.g.End = b.Start(n), b.End(n)
	for i := range b.g.Steps {
		b.g.Steps[i].Start, b.g.Steps[i].End = b.g.Start, b.g.Start
		if i != Entry {
			b.g.Steps[i].Start, b.g.Steps[i].End = b.g.End, b.g.End
		}
	}
	body := n
	if is {
		b.g.Name = b.Text(f.NameNode(b.Tree, n))
		body = f.BodyOf(b.Tree, n)
		b.open = Entry
		b.params(n, f)
		b.open = none
	}
	if b.rules.Hoists != nil {
		b.rules.Hoists(b, n, body)
	} else if b.rules.Flat {
		b.Known(func() { b.Stmt(body) })
	}
	b.whole, b.through = !f.Class, f.Through
	if is && len(b.rules.Defers) > 0 && !b.isValue(body) {
		b.deferring(func() { b.Stmt(body) })
		body = 0
	}
	switch {
	case body == 0:
	case !is && b.isValue(body):
		b.Stmts(body)
	case is && b.isValue(body):
		b.Jump(b.Step(Return, body, func() { b.Expr(body) }), ToExit, "", Returned)
	default:
		b.Stmt(body)
	}
	b.join(Exit)
	b.missing(n)
	if b.rules.Gotos {
		b.unused()
	}
	for _, j := range b.gotos {
		to, ok := b.labels[j.label]
		if !ok {
			b.Gap(n, "a label is not found: "+j.label)
			to = Exit
		}
		b.edge(j.from, to)
	}
	b.called()
	b.settle()
	for _, v := range b.g.Results {
		b.g.Steps[Exit].Access = append(b.g.Steps[Exit].Access, Access{Kind: Use, Var: v, Start: b.g.End, End: b.g.End})
	}
}

// none is no step.
const none = -1

// ghost is the kind of an edge that a jump would have if it were not there.
const ghost EdgeKind = 255

// edge connects two steps, once for each kind.
func (b *Builder) edge(w way, to int) {
	if w.kind == ghost {
		b.g.Steps[w.from].Fall = to
		return
	}
	if w.kind == Next && b.rests[w.from] {
		w.kind = Resumed
	}
	next := &b.g.Steps[w.from].Next
	for i := range *next {
		if e := &(*next)[i]; e.To == to && e.Kind == w.kind {
			e.Maybe = e.Maybe && w.maybe
			return
		}
	}
	*next = append(*next, Edge{to, w.kind, w.maybe})
}

// join connects all that leads here to a step.
func (b *Builder) join(to int) {
	for _, w := range b.at {
		b.edge(w, to)
	}
	b.at = b.at[:0:0]
}

// Step writes a step for a node. do says what happens in it; nil: nothing.
func (b *Builder) Step(kind Kind, n syntax.Node, do func()) int {
	return b.StepOf(kind, b.Start(n), b.codeEnd(n), n, do)
}

// codeEnd returns where a node ends without a comment after what it is made of.
func (b *Builder) codeEnd(n syntax.Node) int {
	end, last := b.End(n), b.Start(n)
	for c := range b.Tree.Children(n) {
		if b.Comment(c) {
			end = last
		} else {
			end, last = b.End(n), b.End(c)
		}
	}
	return end
}

// StepOf is Step for a part of the text of a node.
func (b *Builder) StepOf(kind Kind, start, end int, n syntax.Node, do func()) int {
	if b.dry {
		if do != nil {
			do()
		}
		return Entry
	}
	if b.open != none { // within another step: a part of it
		if do != nil {
			do()
		}
		return b.open
	}
	if *b.steps >= MaxSteps {
		b.Gap(n, "the function is too large")
		return Entry
	}
	var parts []int
	if n != 0 && do != nil && b.rules.Values {
		parts = b.hoist(n, start != b.Start(n) || end != b.End(n) && end != b.codeEnd(n))
	}
	if b.head > 0 {
		start, b.head = min(start, b.head-1), 0
	}
	*b.steps++
	id := len(b.g.Steps)
	b.g.Steps = append(b.g.Steps, Step{Kind: kind, Start: start, End: end, Parts: parts})
	if kind != Label && kind != Case && !slices.ContainsFunc(b.at, b.alive) { // a goto, or the value of a switch, may come later
		b.dead[id] = true
	}
	b.join(id)
	b.at = append(b.at, way{from: id})
	if do != nil {
		b.open = id
		do()
		b.open = none
	}
	if kind != Catch && b.raises(id) {
		b.mayRaise(id)
	}
	if b.returns {
		b.returns, b.left = false, b.left || b.through
		b.send(jump{from: way{id, Returned, true}, op: ToExit}, len(b.frames))
	}
	return id
}

// alive reports whether a way can be taken.
func (b *Builder) alive(w way) bool { return w.kind != ghost && !b.dead[w.from] }

// raises reports whether a step may raise an error: it calls something, or raises by itself.
func (b *Builder) raises(id int) bool {
	s := &b.g.Steps[id]
	return s.Kind != Raise && (len(s.Calls) > 0 || b.rules.Raises && s.Kind != Jump && s.Kind != Label && len(s.Access) > 0)
}

// mayRaise connects a step to the handlers around it.
func (b *Builder) mayRaise(id int) {
	for i := len(b.frames) - 1; i >= 0; i-- {
		f := &b.frames[i]
		if f.catches {
			f.handlers = append(f.handlers, way{id, Raised, true})
			return
		}
		if f.finally && !f.function {
			f.jumps = append(f.jumps, jump{from: way{id, Raised, true}, op: ToRaise})
			return
		}
	}
}

// Jump sends the step that was written last to the target of a jump. What comes after it in
// the text would come next if it were not there.
func (b *Builder) Jump(step int, op JumpOp, label string, kind EdgeKind) {
	if b.dry || step == Entry {
		return
	}
	b.at = []way{{from: step, kind: ghost}}
	b.left = b.left || b.through && op == ToExit && label == ""
	b.send(jump{from: way{from: step, kind: kind}, op: op, label: label}, len(b.frames))
}

// JumpOut is Jump without a label: it passes some loops before the one that it is about.
func (b *Builder) JumpOut(step int, op JumpOp, more int, kind EdgeKind) {
	if b.dry || step == Entry {
		return
	}
	b.at = []way{{from: step, kind: ghost}}
	b.send(jump{from: way{from: step, kind: kind}, op: op, more: more}, len(b.frames))
}

// May says of the step that is open that it may jump.
func (b *Builder) May(op JumpOp, label string, kind EdgeKind) {
	if !b.dry && b.open > Leave {
		b.send(jump{from: way{from: b.open, kind: kind}, op: op, label: label}, len(b.frames))
	}
}

// send moves a jump outwards from the frames below n.
func (b *Builder) send(j jump, n int) {
	if j.op == ToLeave {
		b.edge(j.from, Leave)
		return
	}
	for i := n - 1; i >= 0; i-- {
		f := &b.frames[i]
		if j.label == "" && j.more > 0 && f.breaks && (j.op == ToBreak || j.op == ToContinue) {
			j.more--
			continue
		}
		if at, known := b.labels[j.label]; f.finally && j.op == ToLabel && (f.function || known && at >= f.first) {
			continue // to a place in it
		}
		switch {
		case f.finally:
			f.jumps = append(f.jumps, j)
			return
		case j.op == ToContinue && j.label == "" && b.rules.SwitchContinue && f.breaks && !f.loop:
			f.exits = append(f.exits, j.from)
			return
		case j.op == ToBreak && (j.label == "" && f.breaks || j.label != "" && f.label == j.label):
			f.exits = append(f.exits, j.from)
			return
		case j.op == ToContinue && f.loop && (j.label == "" || f.label == j.label):
			f.next = append(f.next, j.from)
			return
		case j.op == ToRaise && f.catches:
			f.handlers = append(f.handlers, j.from)
			return
		}
	}
	switch j.op {
	case ToRaise:
		b.edge(j.from, Leave)
	case ToLabel:
		b.gotos = append(b.gotos, j)
	default:
		b.edge(j.from, Exit)
	}
}

// Gap notes what is not known.
func (b *Builder) Gap(n syntax.Node, why string) {
	if b.dry {
		return
	}
	g := Gap{b.Start(n), b.End(n), why}
	if len(b.g.Gaps) < 100 && !slices.Contains(b.g.Gaps, g) {
		b.g.Gaps = append(b.g.Gaps, g)
	}
}

// nest bounds the nesting.
func (b *Builder) nest(n syntax.Node) bool {
	if b.depth >= maxDepth {
		b.Gap(n, "it is nested too deep")
		return false
	}
	b.depth++
	return true
}

// Known declares the names that something would, and writes nothing.
func (b *Builder) Known(do func()) {
	at := b.at
	b.dry = true
	do()
	b.dry, b.at = false, at
}
