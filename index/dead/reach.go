package dead

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/protocol"
)

// A stage is how much a closure takes for a use: each takes what those before it do, too.
type stage uint8

const (
	sure     stage = iota // what the graph knows, and names that mean one thing
	doubtful              // and strings, settings, and names in languages without types
	anyName               // and every place in code that has the name
)

// A reach says what is alive. Stages are one more than the stage at which a node was reached, 0
// for one that was not.
type reach struct {
	p     *program
	stage []uint8
	via   []int32 // the node that led there, -1 for none
	line  []uint32
	how   []how
	queue []int32
	tests bool // what tests use is alive

	// waiting are methods that are called, by their types, which are not alive yet.
	waiting map[int32][]called
}

// called says what calls a method.
type called struct {
	method, via int32
	line        uint32
	how         how
}

// reached finds what is alive.
func (p *program) reached(roots []bool, exports string, tests bool) *reach {
	n := p.nodes()
	r := &reach{p: p, stage: make([]uint8, n), via: make([]int32, n), line: make([]uint32, n), how: make([]how, n), tests: tests, waiting: map[int32][]called{}}
	for i := range r.via {
		r.via[i] = -1
	}
	for now := sure; now <= anyName; now++ {
		if now == sure {
			for i := range p.items {
				if roots[i] && (tests || !p.testCode(int32(i))) {
					r.visit(int32(i), -1, 0, known, now)
				}
			}
			for n := range p.files {
				if tests || !p.files[n].test {
					r.visit(p.fileNode(n), -1, 0, known, now)
					r.offered(&p.files[n], exports)
				}
			}
		} else {
			for node, at := range r.stage {
				if at > 0 {
					r.follow(int32(node), now)
				}
			}
		}
		for more := true; more; {
			r.run(now)
			more = r.unnamed(now) || r.doubted(now)
		}
	}
	return r
}

func (r *reach) visit(node, via int32, line uint32, h how, now stage) {
	if r.stage[node] > 0 && h == known && r.how[node] == quoted && r.p.ofBlock(node) {
		r.how[node], r.queue = known, append(r.queue, node) // all that have the name are meant now
	}
	if r.stage[node] == 0 {
		if int(node) < len(r.p.items) {
			// What calls a method of Go by an interface, or by its name, does not make what it is called of:
			// without code that is alive and names the type, there is none.
			if one := &r.p.items[node]; one.Kind == convention.Method && one.up >= 0 && r.stage[one.up] == 0 && one.Record.Lang == "go" && r.p.items[one.up].Kind == convention.Class {
				r.waiting[one.up] = append(r.waiting[one.up], called{node, via, line, h})
				return
			}
		}
		r.stage[node], r.via[node], r.line[node], r.how[node] = uint8(now)+1, via, line, h
		r.queue = append(r.queue, node)
		for _, c := range r.waiting[node] {
			r.visit(c.method, c.via, c.line, c.how, now)
		}
	}
}

// doubted visits what is not told by links, and yet may be used, from the stage of its doubt on.
// It reports whether that is any. There is none of a member of a type that is dead itself.
func (r *reach) doubted(now stage) bool {
	p := r.p
	if now == sure {
		return false
	}
	for i := range p.items {
		if up := p.items[i].up; up >= 0 && p.items[up].Kind == convention.Class && r.stage[up] == 0 && !p.marked(int32(i)) {
			continue
		}
		if r.stage[i] == 0 && p.reported(int32(i)) && (r.tests || !p.testCode(int32(i))) {
			if d := p.doubts.of(int32(i)); d.why != "" && d.from <= now {
				r.visit(int32(i), -1, 0, doubted, now)
				if p.items[i].Shown && now < anyName {
					r.queue = r.queue[:len(r.queue)-1] // it is there to be read, and runs nothing
				}
			}
		}
	}
	return len(r.queue) > 0
}

func (r *reach) run(now stage) {
	for len(r.queue) > 0 {
		node := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.follow(node, now)
	}
}

// follow visits what a node that is alive keeps alive.
func (r *reach) follow(node int32, now stage) {
	p := r.p
	for _, l := range p.links[p.from[node]:p.from[node+1]] {
		if p.counts(&l, now) {
			r.visit(l.to, node, l.line, l.how, now)
		}
	}
	n := int(node) - len(p.items) - len(p.files)
	switch {
	case n >= 0:
		of := &p.spots[n/2]
		list := of.code
		if n%2 == 1 {
			list = of.rest
		}
		for _, i := range list {
			if r.how[node] != quoted || now == anyName || p.found(i) {
				r.visit(i, node, 0, known, now)
			}
		}
	case int(node) < len(p.items):
		one := &p.items[node]
		if one.up >= 0 {
			r.visit(one.up, node, 0, known, now)
		}
		for _, t := range p.twins[node] {
			r.visit(t, node, 0, known, now)
		}
		if one.in >= 0 {
			r.visit(one.in, node, 0, known, now)
		}
		if one.Kind == convention.Class {
			for _, m := range p.members[node] {
				if p.items[m].Kind == convention.Makes {
					r.visit(m, node, 0, known, now)
				}
			}
		}
	}
}

// counts reports whether a link is a use at a stage.
func (p *program) counts(l *link, now stage) bool {
	switch {
	case l.how == known || now == anyName:
		return true
	case now == sure:
		return false
	}
	return l.how != unsure || !static(p.familyAt(l.from))
}

// familyAt is the family of languages of an item or a file.
func (p *program) familyAt(node int32) string {
	if int(node) < len(p.items) {
		return convention.Family(p.items[node].Record.Lang)
	}
	if p.ofBlock(node) {
		return "go"
	}
	return p.files[int(node)-len(p.items)].family
}

// unnamed visits what runs without being named: what something outside of the index calls, and
// what overrides or implements a method that is alive. It reports whether it found anything.
func (r *reach) unnamed(now stage) bool {
	p := r.p
	for i := range p.items {
		one := &p.items[i]
		if r.stage[i] > 0 || !one.Code() && one.Kind != convention.Class && !annotated(one.Record.Lang) {
			continue
		}
		if !r.tests && p.testCode(int32(i)) || one.up >= 0 && r.stage[one.up] == 0 && p.items[one.up].Kind != convention.Class {
			continue
		}
		if one.up >= 0 && r.stage[one.up] == 0 && !p.marked(int32(i)) && one.Flags&ir.Extension == 0 {
			continue // it is as alive as its type, but for what is found without that, as a mark or what it extends has it
		}
		guess := p.guessed(one)
		if by := p.keepers.of(int32(i)); by != "" && (!guess || now > sure && !p.lacks(one)) {
			h := known
			if guess {
				h = interfaced
			}
			r.visit(int32(i), one.up, 0, h, now)
		} else if now > sure && one.Kind == convention.Method && one.Public && one.up >= 0 && (p.given[one.up] && (one.Record.Lang != "go" || !p.owns.of(int32(i))) || one.Record.Lang == "go" && p.completes(one)) {
			r.visit(int32(i), one.up, 0, interfaced, now)
		} else if face := p.demanded(int32(i), func(face int32) bool { return r.stage[face] > 0 && (now > sure || p.marks(int32(i))) }); face >= 0 {
			r.visit(int32(i), face, 0, map[bool]how{true: known, false: asked}[now == sure], now)
		} else if now > sure && p.asked(one) {
			r.visit(int32(i), -1, 0, asked, now)
		} else if m := cmp.Or(r.overridden(int32(i))+1, r.overriding(int32(i))+1) - 1; m >= 0 {
			r.visit(int32(i), m, 0, known, now)
		}
	}
	return len(r.queue) > 0
}

// annotated reports whether a mark at a value of a language may have something find it, too.
func annotated(lang string) bool {
	return lang == "rust" || lang == "kotlin" || lang == "java" || lang == "csharp"
}

// guessed reports whether only the name of a method of Go says that an interface outside of the
// index may be why it is there. What prints and compares finds errors and texts in any value.
func (p *program) guessed(one *item) bool {
	if one.Record.Lang != "go" || one.Kind != convention.Method {
		return false
	}
	if one.up >= 0 && p.handed(one.up) {
		return false
	}
	s := one.Sym()
	switch s.Name {
	case "Error", "String", "GoString", "Format", "Unwrap", "Is", "As":
		return false
	}
	return protocol.GoInterface(s.Name, string(one.Record.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+1000)))) != ""
}

// overridden returns a method of a type above that is alive and that a method overrides; -1: none.
func (r *reach) overridden(i int32) int32 {
	p := r.p
	one := &p.items[i]
	if one.up < 0 || one.Kind != convention.Method {
		return -1
	}
	for up := range p.typesAbove(one.up) {
		for _, m := range p.members[up] {
			if p.items[m].name == one.name && r.stage[m] > 0 {
				return m
			}
		}
	}
	return -1
}

// overriding returns a method below that is alive and that overrides a method; -1: none.
func (r *reach) overriding(i int32) int32 {
	p := r.p
	one := &p.items[i]
	if one.up < 0 || one.Kind != convention.Method {
		return -1
	}
	for _, below := range p.below[one.up] {
		for _, m := range p.members[below] {
			if p.items[m].name == one.name && r.stage[m] > 0 {
				return m
			}
		}
	}
	return -1
}

// found reports whether a text with the name of an item may have it found. A method of Go is only found by code
// that looks for the methods of types, be it of the index or what an instance is handed to.
func (p *program) found(i int32) bool {
	one := &p.items[i]
	return one.Record.Lang != "go" || one.Kind != convention.Method || one.up < 0 || p.finds || p.given[one.up] || p.handed(one.up)
}

// handed reports whether an instance of a type is handed to something outside of the index.
func (p *program) handed(class int32) (is bool) {
	if id := p.items[class].node; id != 0 {
		p.walk.G.In(id, func(e graph.Edge) bool {
			is = e.Hands()
			return !is
		})
	}
	return is
}

// kept returns what outside of the index runs an item, or makes it; "" for nothing.
func (p *program) kept(i int32) string {
	one := &p.items[i]
	r := one.Record
	text := p.textOf(r)
	if by := decoration(one, text); by != "" {
		return by
	}
	if one.Flags&ir.Operator != 0 {
		return "an operator"
	}
	if convention.Family(r.Lang) == "jvm" && one.Test && one.up >= 0 && slices.ContainsFunc(p.members[one.up], func(m int32) bool {
		return p.items[m].name == one.name && p.items[m].Flags&ir.TestFunc != 0
	}) {
		return "a test of its name, which may take its arguments from it"
	}
	if p.overrides(i) {
		return "a type that is not in the index"
	}
	if by := convention.Finder(&one.Symbol, text); by != "" {
		return by
	}
	if one.Code() && one.node != 0 {
		return p.walk.Callback(one.node)
	}
	return ""
}

// roots are the items from which all begins.
func (p *program) roots(q *Query) ([]bool, error) {
	all := make([]bool, len(p.items))
	for i := range p.items {
		one := &p.items[i]
		switch {
		case one.Flags&(ir.Entry|ir.TestFunc) != 0 && !one.Shown,
			one.up < 0 && protocol.Read(one.Record.Lang, one.Sym().Name),
			p.api(int32(i), q.Exports):
			all[i] = true
		}
	}
	p.declaredEntries(all)
	for _, entry := range q.Entries {
		file, name, both := strings.Cut(entry, ":")
		if !both {
			file, name = "", entry
		}
		found := false
		for i := range p.items {
			one := &p.items[i]
			if s := one.Sym(); (s.Name == name || s.Qualified() == name) && (file == "" || one.Record.Path == path.Clean(file)) {
				all[i], found = true, true
				if one.up >= 0 {
					all[one.up] = true
				}
			}
		}
		if !found {
			return nil, &answer.TargetError{Target: entry, Nearest: []string{}, Reason: fmt.Sprintf("nothing that could be run is called %q: an entry point is a name, or a file and a name with a colon between them", entry)}
		}
	}
	return all, nil
}
