package dead

import (
	"context"
	"go/token"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// collect takes the items of all files.
func (p *program) collect(ctx context.Context, sources []texts.Source, search *texts.Search) error {
	p.inFolder = map[int32][]ownName{}
	p.members = map[int32][]int32{}
	p.dirs, p.clauses, p.included = map[string]int32{}, map[int32]string{}, map[string]bool{}
	for n, one := range sources {
		f := file{path: one.Path, record: one.Record, test: one.Traits.Test, settings: one.Traits.Config, assembly: convention.Assembly(one.Path), template: convention.Template(one.Path), number: int32(n)}
		if f.record != nil {
			f.lang = one.Record.Lang
		} else {
			f.lang = source.Language(one.Path, nil)
		}
		if f.family = convention.Family(f.lang); f.family == "" && !sourceOf(one.Path, one.Traits) && !convention.HasEntries(one.Path) {
			continue
		}
		family, _ := slices.BinarySearch(families, f.family)
		f.scope = int64(family)
		dir := path.Dir(one.Path)
		if _, ok := p.dirs[dir]; !ok {
			p.dirs[dir] = int32(len(p.dirs))
		}
		f.dir = p.dirs[dir]
		p.module(&f)
		if f.family == "c" && f.record != nil {
			p.includes(f.record)
		}
		p.files = append(p.files, f)
	}
	taken := make([]taken, len(p.files))
	if err := each(ctx, len(p.files), func(_, n int) {
		f := &p.files[n]
		switch {
		case f.record == nil && f.family == "go":
			f.blocks = blocksOf(f, search)
		case f.record != nil && f.family != "" && p.walk.G.Has(f.path):
			taken[n] = p.take(f.record)
		}
		if f.family == "go" && f.record != nil {
			f.clause = clauseOf(f.record.Text.Slice(0, 16<<10))
		}
	}); err != nil {
		return err
	}
	p.clause()
	all := 0
	for n := range taken {
		all += len(taken[n].items)
	}
	p.items, p.byNode = make([]item, 0, all), make(map[graph.ID]int32, all)
	for n := range p.files {
		f := &p.files[n]
		for i := range f.blocks {
			b := &f.blocks[i]
			b.spot = p.spotOf(p.nameOf(b.name), folderScope+int64(f.dir))
			p.spots[b.spot].generated = true
		}
	}
	for n := range p.files {
		p.enterFile(n, &taken[n])
	}
	if err := p.join(ctx); err != nil {
		return err
	}
	p.pair()
	for n := range p.files {
		p.belong(&p.files[n])
	}
	return nil
}

// taken is what a file has.
type taken struct {
	items []item // in, up and name not yet known among all
	nodes []ownNode
}

// ownNode is a node of the call graph and its item.
type ownNode struct {
	node graph.ID
	item int32
}

// enterFile numbers what a file has, and enters its names.
func (p *program) enterFile(n int, t *taken) {
	f := &p.files[n]
	f.first = int32(len(p.items))
	p.items = append(p.items, t.items...)
	f.last = int32(len(p.items))
	for _, own := range t.nodes {
		p.byNode[own.node] = f.first + own.item
	}
	for i := f.first; i < f.last; i++ {
		if one := &p.items[i]; one.in >= 0 {
			one.in += f.first
			one.up = one.in
		}
		p.call(i, n)
	}
}

// take takes the items of a file.
func (p *program) take(r *store.Record) (t taken) {
	nodes := p.walk.G.NamedIn(r.Path)
	var src []byte
	own := sync.OnceValue(func() bool { return module(r) }) // the whole text is read for that
	var open []int32
	for i := range r.Symbols {
		s := &r.Symbols[i]
		for len(open) > 0 && r.Symbols[t.items[open[len(open)-1]].Number].End < s.End {
			open = open[:len(open)-1]
		}
		up := int32(-1)
		if len(open) > 0 {
			up = open[len(open)-1]
		}
		k, ok := kindOf(r, int32(i), up)
		if !ok || s.Name == "" || s.Name == "_" {
			continue
		}
		one := item{Symbol: convention.Symbol{Record: r, Number: int32(i), Kind: k, Test: r.Traits.Test, Public: s.Exported}, in: up, up: up}
		for _, id := range nodes[graph.Spot{Name: strings.TrimPrefix(s.Name, "r#"), Line: int(s.NameLine)}] {
			switch n := p.walk.G.Node(id); {
			case one.Code() && n.Kind == graph.FuncNode:
				one.Flags |= n.Flags
			case one.Code() || k == convention.Class && n.Kind != graph.ClassNode:
				continue
			}
			one.node = id
			t.nodes = append(t.nodes, ownNode{id, int32(len(t.items))})
		}
		if one.Flags&ir.Constructor != 0 {
			one.Kind = convention.Makes
		}
		if family := convention.Family(r.Lang); family == "javascript" && one.Code() {
			if src == nil {
				src = r.Text.All()
			}
			one.Assigned = property(src, s)
		}
		one.Shown = shown(&one)
		one.hidden = !one.Assigned && hidden(r, s, &one, up >= 0, own) && !p.included[path.Base(r.Path)]
		t.items = append(t.items, one)
		open = append(open, int32(len(t.items)-1))
	}
	return t
}

// belong finds the types of methods that are written outside of them, and the types above types.
func (p *program) belong(f *file) {
	if f.first == f.last {
		return
	}
	types := map[string]int32{}
	if f.family == "go" || f.family == "rust" || f.family == "c" {
		for i := f.first; i < f.last; i++ {
			name := p.items[i].Sym().Name
			if old, ok := types[name]; p.items[i].Kind == convention.Class && (!ok || p.items[old].in >= 0) { // none that is local to a function
				types[name] = i
			}
		}
	}
	for i := f.first; i < f.last; i++ {
		one := &p.items[i]
		if s := one.Sym(); one.up < 0 && s.Parent != "" && one.Code() {
			_, last, _ := calls.LastPart(s.Parent)
			at, ok := types[last]
			if !ok {
				at, ok = p.elsewhere(f, last)
			}
			if ok && !p.within(at, i) {
				one.up = at
			}
		}
		if one.up >= 0 {
			p.members[one.up] = append(p.members[one.up], i)
		}
	}
}

// elsewhere finds a type by its name in other files: of its folder in Go, of any else if there is
// one only.
func (p *program) elsewhere(f *file, name string) (int32, bool) {
	found, n := int32(-1), 0
	if f.family == "go" {
		if id, ok := p.byName.get(name); ok {
			if spot, ok := p.names[id].in(folderScope + int64(f.dir)); ok && len(p.spots[spot].rest) == 1 {
				return p.spots[spot].rest[0], true
			}
		}
		return -1, false
	}
	for _, d := range p.walk.Types(name, f.lang) {
		if i, ok := p.itemOf(d.Record, int32(d.Symbol)); ok {
			found = i
			n++
		}
	}
	return found, n == 1
}

// itemOf returns the item of a symbol.
func (p *program) itemOf(r *store.Record, symbol int32) (int32, bool) {
	n, ok := slices.BinarySearchFunc(p.files, r.Path, func(f file, path string) int { return strings.Compare(f.path, path) })
	if !ok {
		return 0, false
	}
	f := &p.files[n]
	at, ok := slices.BinarySearchFunc(p.items[f.first:f.last], symbol, func(i item, symbol int32) int { return int(i.Number - symbol) })
	return f.first + int32(at), ok
}

// call enters an item under its name.
func (p *program) call(i int32, n int) {
	one, f := &p.items[i], &p.files[n]
	s := one.Sym()
	id := p.nameOf(strings.TrimPrefix(strings.TrimLeft(s.Name, "#"), "r#")) // as the text has it
	one.name = id
	family, _ := slices.BinarySearch(families, f.family)
	switch {
	case one.hidden:
		p.enter(i, id, fileScope+int64(n))
	case f.family == "go" && one.Kind != convention.Method:
		p.enter(i, id, folderScope+int64(f.dir))
	case f.family == "go" && !token.IsExported(s.Name):
		p.enter(i, id, ownScope+int64(f.dir)) // no other package can call it
	default:
		p.enter(i, id, int64(family))
	}
}

// nameOf returns the number of a name.
func (p *program) nameOf(word string) int32 {
	id, ok := p.byName.get(word)
	if !ok {
		id = p.byName.add(word)
		p.names = append(p.names, name{})
	}
	return id
}

func (p *program) enter(i, id int32, scope int64) {
	to := &p.spots[p.spotOf(id, scope)]
	if p.items[i].Code() {
		to.code = append(to.code, i)
	} else {
		to.rest = append(to.rest, i)
	}
}

// spotOf returns the spot of a name in a scope.
func (p *program) spotOf(id int32, scope int64) int32 {
	of := &p.names[id]
	at, ok := of.find(scope)
	if !ok {
		of.scopes = slices.Insert(of.scopes, at, scoped{scope, int32(len(p.spots))})
		if folder := scope - folderScope; folder >= 0 && scope < ownScope {
			p.inFolder[int32(folder)] = append(p.inFolder[int32(folder)], ownName{id, int32(len(p.spots))})
		}
		p.spots = append(p.spots, spot{})
	}
	return of.scopes[at].spot
}
