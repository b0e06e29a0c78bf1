package flow

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A ControlQuery asks for the control flow of a function.
type ControlQuery struct {
	Target string // as Extract reads it; a line means the function around it, a file its code outside of functions
	Limit  int    // blocks; 0: 1000
	Offset int
}

// A ControlAnswer is the control flow of a function.
type ControlAnswer struct {
	Target      string   `json:"target"`
	Function    Function `json:"function"`
	Blocks      []Block  `json:"blocks"` // never nil
	Edges       []Edge   `json:"edges"`  // between the blocks that are given; never nil
	Entry       int      `json:"entry"`
	Exits       []int    `json:"exits"`      // blocks after which the function ends; never nil
	Complexity  int      `json:"complexity"` // McCabe's: the ways that part, and one
	Loops       int      `json:"loops"`
	Unreachable []int    `json:"unreachable"` // lines that nothing leads to; never nil
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State answer.State `json:"-"`
}

// A Block is code that runs as a whole.
type Block struct {
	ID          int      `json:"id"`
	Type        string   `json:"type"` // entry, exit, raise, branch, loop, case, catch, return, deferred, body
	Line        int      `json:"line"`
	EndLine     int      `json:"end_line"`
	Text        []string `json:"text"`            // its statements, each shortened to a line; never nil
	Calls       []string `json:"calls,omitempty"` // names that are called, in order
	Dominator   *int     `json:"dominator"`       // the block that every way here passes through last; nil for the entry and what is unreachable
	Loop        int      `json:"loop,omitempty"`  // loops around it
	Unreachable bool     `json:"unreachable,omitempty"`
}

// An Edge leads from a block to one that may come next.
type Edge struct {
	From      int    `json:"from"`
	To        int    `json:"to"`
	Kind      string `json:"kind"`                // next, true, false, case, back, break, continue, return, raise, goto, fallthrough, finally, resume
	Condition string `json:"condition,omitempty"` // of true, false and case: what is tested
	Maybe     bool   `json:"maybe,omitempty"`     // of raise: what the block calls may raise
}

// defaultBlocks is how many blocks an answer has where nobody says.
const defaultBlocks = 1000

// maxText bounds the text of a statement, in bytes.
const maxText = 200

// Control answers with the control flow of a function. It returns the errors of Extract, and an
// UnsupportedError for a language without.
func Control(ctx context.Context, x *store.View, q ControlQuery) (ControlAnswer, error) {
	a := ControlAnswer{Target: q.Target, Blocks: []Block{}, Edges: []Edge{}, Exits: []int{}, Unreachable: []int{}}
	f, _, others, state, err := newMaker(x).find(q.Target)
	if a.State = state; err != nil {
		return a, err
	}
	a.Function, a.Others = f.Function, others
	s := control.ShapeOf(f.graph)
	a.Complexity, a.Entry = s.Complexity, s.Of[walk.Entry]
	for _, i := range s.Unreachable {
		if step := &f.graph.Steps[i]; step.End > step.Start {
			a.Unreachable = append(a.Unreachable, f.text.line(step.Start))
		}
	}
	slices.Sort(a.Unreachable)
	a.Unreachable = slices.Compact(a.Unreachable)
	var blocks []Block
	for id := range s.Blocks {
		b := f.block(s, id)
		blocks = append(blocks, b)
		if s.Blocks[id].Header {
			a.Loops++
		}
		for _, e := range s.Blocks[id].Next {
			if e.To == s.Of[walk.Exit] && !slices.Contains(a.Exits, id) {
				a.Exits = append(a.Exits, id)
			}
		}
	}
	f.gaps(&a.Completeness)
	a.Blocks = append(a.Blocks, answer.PageOf(&a.Page, blocks, q.Offset, cmp.Or(max(q.Limit, 0), defaultBlocks))...)
	a.edges(f, s)
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, state.Generation)
	return a, ctx.Err()
}

// edges fills in those between the blocks of the page.
func (a *ControlAnswer) edges(f *function, s *control.Shape) {
	for i := range a.Blocks {
		from := a.Blocks[i].ID
		last := &f.graph.Steps[s.Blocks[from].Steps[len(s.Blocks[from].Steps)-1]]
		for _, e := range s.Blocks[from].Next {
			if !a.has(e.To) {
				continue
			}
			edge := Edge{From: from, To: e.To, Kind: e.Kind.String(), Maybe: e.Maybe}
			switch e.Kind {
			case walk.True, walk.False, walk.Chosen:
				edge.Condition = f.words(last)
			}
			a.Edges = append(a.Edges, edge)
		}
	}
}

func (a *ControlAnswer) has(block int) bool {
	return len(a.Blocks) > 0 && block >= a.Blocks[0].ID && block <= a.Blocks[len(a.Blocks)-1].ID
}

// block describes a block.
func (f *function) block(s *control.Shape, id int) Block {
	from := &s.Blocks[id]
	first, last := &f.graph.Steps[from.Steps[0]], &f.graph.Steps[from.Steps[len(from.Steps)-1]]
	b := Block{ID: id, Type: typeOf(from, last), Line: f.text.line(first.Start), Text: []string{}, Loop: from.Loop, Unreachable: from.Dominator < 0 && from.Steps[0] > walk.Leave}
	if from.Steps[0] == walk.Leave {
		b.Type = "raise"
	}
	if d := from.Dominator; d >= 0 && d != id {
		b.Dominator = &d
	}
	if i := from.Steps[0]; i == walk.Exit || i == walk.Leave {
		b.Line, b.EndLine = f.EndLine, f.EndLine
		return b
	}
	for _, i := range from.Steps {
		step := &f.graph.Steps[i]
		b.EndLine = max(b.EndLine, f.text.line(max(step.Start, step.End-1)))
		if words := f.words(step); words != "" {
			b.Text = append(b.Text, words)
		}
		for _, c := range step.Calls {
			b.Calls = append(b.Calls, f.called(c.At))
		}
	}
	return b
}

// typeOf says what a block is, by its last step.
func typeOf(b *control.Block, last *walk.Step) string {
	switch last.Kind {
	case walk.Begin:
		return "entry"
	case walk.End:
		return "exit"
	case walk.Loop:
		return "loop"
	case walk.Cond:
		if b.Header {
			return "loop"
		}
		return "branch"
	case walk.Switch:
		return "branch"
	case walk.Case:
		return "case"
	case walk.Catch:
		return "catch"
	case walk.Return:
		return "return"
	case walk.Raise:
		return "raise"
	case walk.Deferred:
		return "deferred"
	}
	return "body"
}

// words is the text of a step on one line.
func (f *function) words(s *walk.Step) string {
	return oneLine(f.text.src[s.Start:s.End])
}

func oneLine(src []byte) string {
	words := strings.Join(strings.Fields(string(src[:min(len(src), 4*maxText)])), " ")
	if len(words) > maxText {
		words = strings.ToValidUTF8(words[:maxText], "") + "..."
	}
	return words
}

// called returns the name at an offset.
func (f *function) called(at int) string {
	end := at
	for end < len(f.text.src) && isName(f.text.src[end]) {
		end++
	}
	return string(f.text.src[at:end])
}

func isName(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Given returns how many entries the answer has.
func (a *ControlAnswer) Given() int { return len(a.Blocks) }

// Keep leaves out all but the first n blocks, and the edges of the others.
func (a *ControlAnswer) Keep(n int) {
	a.Blocks = a.Blocks[:min(n, len(a.Blocks))]
	a.Edges = slices.DeleteFunc(a.Edges, func(e Edge) bool { return !a.has(e.From) || !a.has(e.To) })
}

// Places calls visit for each place of the answer.
func (a *ControlAnswer) Places(visit func(string, *bool)) {
	visit(a.Function.File, &a.Function.Changed)
}
