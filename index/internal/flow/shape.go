package flow

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
)

// A Block is a list of steps that run one after the other.
type Block struct {
	Steps     []int
	Next      []Edge
	Prev      []int
	Dominator int  // the block that every way here passes through last; the block itself for the entry, -1 where nothing leads here
	Loop      int  // the number of loops around
	Header    bool // a loop begins here
}

// An Edge leads to a block.
type Edge struct {
	To    int
	Kind  walk.EdgeKind
	Maybe bool // see walk.Edge
}

// A Shape is the control flow of a function in blocks.
type Shape struct {
	Blocks      []Block
	Of          []int // the block of each step
	Unreachable []int // steps that nothing leads to
	Complexity  int   // McCabe's: ways that part, and one
}

// prev returns for each step those that lead to it.
func prev(g *walk.Graph) [][]int {
	list := make([][]int, len(g.Steps))
	for i := range g.Steps {
		for _, e := range g.Steps[i].Next {
			list[e.To] = append(list[e.To], i)
		}
	}
	return list
}

// ShapeOf joins the steps of a graph to blocks. Edges along which an error is raised by a
// step that is not there for that end a block, too, and so does what waits to be resumed.
func ShapeOf(g *walk.Graph) *Shape {
	s := &Shape{Of: make([]int, len(g.Steps))}
	before := prev(g)
	for i := range s.Of {
		s.Of[i] = -1
	}
	leads := func(i int) bool { // a block begins here
		if i <= walk.Leave || len(before[i]) != 1 {
			return true
		}
		p := before[i][0]
		return len(g.Steps[p].Next) != 1 || p <= walk.Leave || g.Steps[p].Next[0].Kind == walk.Resumed
	}
	for i := range g.Steps {
		if !leads(i) {
			continue
		}
		id := len(s.Blocks)
		b := Block{Dominator: -1}
		for at := i; ; {
			b.Steps = append(b.Steps, at)
			s.Of[at] = id
			next := g.Steps[at].Next
			if len(next) != 1 || leads(next[0].To) || s.Of[next[0].To] >= 0 {
				break
			}
			at = next[0].To
		}
		s.Blocks = append(s.Blocks, b)
	}
	for i := range g.Steps { // a cycle that nothing leads into
		if s.Of[i] < 0 {
			s.Of[i] = len(s.Blocks)
			s.Blocks = append(s.Blocks, Block{Dominator: -1, Steps: []int{i}})
		}
	}
	for id := range s.Blocks {
		b := &s.Blocks[id]
		for _, e := range g.Steps[b.Steps[len(b.Steps)-1]].Next {
			to := s.Of[e.To]
			b.Next = append(b.Next, Edge{to, e.Kind, e.Maybe})
			if !slices.Contains(s.Blocks[to].Prev, id) {
				s.Blocks[to].Prev = append(s.Blocks[to].Prev, id)
			}
		}
	}
	s.dominate()
	s.loops()
	s.Complexity = 1 + g.Decisions
	for i := range g.Steps {
		b := &s.Blocks[s.Of[i]]
		if b.Dominator < 0 && i > walk.Leave {
			s.Unreachable = append(s.Unreachable, i)
			continue
		}
		if g.Steps[i].Kind == walk.Catch {
			s.Complexity++
			continue
		}
		ways := 0
		for _, e := range g.Steps[i].Next {
			if e.Kind != walk.Raised {
				ways++
			}
		}
		s.Complexity += max(0, ways-1)
	}
	return s
}

// dominate finds the dominators, as Cooper, Harvey and Kennedy do ("A Simple, Fast Dominance
// Algorithm", 2001).
func (s *Shape) dominate() {
	order := postorder(len(s.Blocks), 0, func(b int, visit func(int)) {
		for _, e := range s.Blocks[b].Next {
			visit(e.To)
		}
	})
	idom := dominators(len(s.Blocks), 0, order, func(b int) []int { return s.Blocks[b].Prev })
	for i := range s.Blocks {
		s.Blocks[i].Dominator = idom[i]
	}
}

// postorder returns the nodes that can be reached from root, each after those that it leads to
// first.
func postorder(n, root int, next func(node int, visit func(int))) []int {
	seen := make([]bool, n)
	var order []int
	type frame struct {
		node int
		rest []int
	}
	push := func(node int) frame {
		seen[node] = true
		f := frame{node: node}
		next(node, func(to int) { f.rest = append(f.rest, to) })
		return f
	}
	stack := []frame{push(root)}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.rest) == 0 {
			order = append(order, f.node)
			stack = stack[:len(stack)-1]
			continue
		}
		to := f.rest[0]
		f.rest = f.rest[1:]
		if !seen[to] {
			stack = append(stack, push(to))
		}
	}
	return order
}

// dominators returns the immediate dominator of each node, -1 for those that are not in order.
func dominators(n, root int, order []int, before func(int) []int) []int {
	at := make([]int, n)
	idom := make([]int, n)
	for i := range idom {
		idom[i] = -1
	}
	for i, node := range order {
		at[node] = i
	}
	idom[root] = root
	meet := func(a, b int) int {
		for a != b {
			for at[a] < at[b] {
				a = idom[a]
			}
			for at[b] < at[a] {
				b = idom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			node := order[i]
			if node == root {
				continue
			}
			found := -1
			for _, p := range before(node) {
				if idom[p] < 0 {
					continue
				}
				if found < 0 {
					found = p
				} else {
					found = meet(found, p)
				}
			}
			if found >= 0 && idom[node] != found {
				idom[node], changed = found, true
			}
		}
	}
	return idom
}

// dominates reports whether every way to b passes through a.
func (s *Shape) dominates(a, b int) bool {
	for b >= 0 {
		if a == b {
			return true
		}
		up := s.Blocks[b].Dominator
		if up == b {
			return false
		}
		b = up
	}
	return false
}

// loops counts the loops around each block: those of an edge to a block that dominates it.
func (s *Shape) loops() {
	bodies := map[int]map[int]bool{} // by header
	for id := range s.Blocks {
		for _, e := range s.Blocks[id].Next {
			if s.Blocks[id].Dominator < 0 || !s.dominates(e.To, id) {
				continue
			}
			body := bodies[e.To]
			if body == nil {
				body = map[int]bool{e.To: true}
				bodies[e.To] = body
			}
			for stack := []int{id}; len(stack) > 0; {
				b := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if !body[b] {
					body[b] = true
					stack = append(stack, s.Blocks[b].Prev...)
				}
			}
		}
	}
	for header, body := range bodies {
		s.Blocks[header].Header = true
		for b := range body {
			s.Blocks[b].Loop++
		}
	}
}
