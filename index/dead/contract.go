package dead

import (
	"path"
	"regexp"
	"slices"
	"sync"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var (
	demands = regexp.MustCompile(`[{;\n]\s*([\pL_][\pL\d_]*)[ \t]*\(`)             // a method of an interface
	embeds  = regexp.MustCompile(`[{;\n]\s*\*?(\w+)\.\w+[ \t]*(?:\x60|//|[;}\n])`) // a type of another package in a type
	mark    = regexp.MustCompile(`\{\s*\}$`)
)

// contracts are the interfaces of Go.
type contracts struct {
	methods map[int32][]string // that an interface itself lists, in order
	by      map[string][]int32 // the interfaces that have a method of a name, also by what they embed
	mu      sync.Mutex         // of types
	types   map[int32]*implemented
	made    map[string][]string   // the methods that generated files have, by folder and type
	asks    map[string][][]string // the methods of interfaces in generated files, by each of them
}

// implemented is what a type of Go has.
type implemented struct {
	methods map[string]bool // with those of what it embeds
	foreign bool            // it embeds a type that is not in the index
}

// contractsOf finds the interfaces of Go.
func (p *program) contractsOf() *contracts {
	c := &contracts{methods: map[int32][]string{}, by: map[string][]int32{}, types: map[int32]*implemented{}, made: map[string][]string{}, asks: map[string][][]string{}}
	for n := range p.files {
		for _, b := range p.files[n].blocks {
			for _, m := range b.asks {
				c.asks[m] = append(c.asks[m], b.asks)
			}
			if b.method != "" {
				key := path.Dir(p.files[n].path) + ":" + b.of
				c.made[key] = append(c.made[key], b.method)
			}
		}
	}
	for i := range p.items {
		if one := &p.items[i]; one.Kind == convention.Class && one.Record.Lang == "go" && one.Sym().Kind() == syntax.Interface {
			s := one.Sym()
			for _, m := range demands.FindAllSubmatch(one.Record.Text.Slice(int(s.Start), int(s.End)), -1) {
				c.methods[int32(i)] = append(c.methods[int32(i)], string(m[1]))
			}
		}
	}
	for i, own := range c.methods {
		for _, name := range own {
			c.by[name] = append(c.by[name], i)
		}
		for up := range p.typesAbove(i) {
			for _, name := range c.methods[up] {
				c.by[name] = append(c.by[name], i)
			}
		}
	}
	for _, list := range c.by {
		slices.Sort(list)
	}
	return c
}

// of returns what a type has.
func (c *contracts) of(p *program, class int32) *implemented {
	c.mu.Lock()
	defer c.mu.Unlock()
	if has := c.types[class]; has != nil {
		return has
	}
	has := &implemented{methods: map[string]bool{}}
	c.types[class] = has
	take := func(i int32) {
		one := &p.items[i]
		s := one.Sym()
		has.foreign = has.foreign || s.Kind() == syntax.Struct && embedsForeign(one.Record.Text.Slice(int(s.Start), int(s.End)))
		for _, m := range p.members[i] {
			has.methods[p.items[m].Sym().Name] = true
		}
		for _, name := range slices.Concat(c.methods[i], c.made[path.Dir(one.Record.Path)+":"+s.Name]) {
			has.methods[name] = true
		}
	}
	take(class)
	taken := 1
	for up := range p.typesAbove(class) {
		if taken++; taken > maxAbove {
			break
		}
		take(up)
	}
	return has
}

// embedsForeign reports whether a type embeds one of another package, but for a lock.
func embedsForeign(text []byte) bool {
	return slices.ContainsFunc(embeds.FindAllSubmatch(text, -1), func(m [][]byte) bool { return string(m[1]) != "sync" })
}

// demanded returns an interface that a method of Go is part of and that its type, or one that embeds it, has all methods
// of by their names, as far as accept has it; -1: none. Without the method, what makes such an
// interface of the type would not compile.
func (p *program) demanded(i int32, accept func(int32) bool) int32 {
	one := &p.items[i]
	if one.Record.Lang != "go" || one.Kind != convention.Method || one.up < 0 {
		return -1
	}
	name := one.Sym().Name
	list := p.contracts.by[name]
	if len(list) == 0 {
		return -1
	}
	types := p.having(one.up)
	for _, face := range list {
		at := &p.items[face]
		if !one.Public && path.Dir(at.Record.Path) != path.Dir(one.Record.Path) || !accept(face) {
			continue
		}
		if slices.ContainsFunc(types, func(has *implemented) bool {
			return has.foreign || !slices.ContainsFunc(p.contracts.methods[face], func(m string) bool { return !has.methods[m] })
		}) {
			return face
		}
	}
	return -1
}

// asked reports whether an interface in generated code has a method of Go, and its type all that it lists.
func (p *program) asked(one *item) bool {
	if one.Record.Lang != "go" || one.Kind != convention.Method || one.up < 0 {
		return false
	}
	faces := p.contracts.asks[one.Sym().Name]
	return len(faces) > 0 && slices.ContainsFunc(p.having(one.up), func(has *implemented) bool {
		return slices.ContainsFunc(faces, func(methods []string) bool {
			return has.foreign || !slices.ContainsFunc(methods, func(m string) bool { return !has.methods[m] })
		})
	})
}

// having returns what a type of Go has, and those that have its methods by embedding it.
func (p *program) having(class int32) []*implemented {
	types := []*implemented{p.contracts.of(p, class)}
	for _, below := range p.below[class][:min(len(p.below[class]), maxAbove)] {
		types = append(types, p.contracts.of(p, below))
	}
	return types
}

// lacks reports whether a method of Go can be none of the interface of Go's library that its name is like: no type
// that has it has the others of that.
func (p *program) lacks(one *item) bool {
	return one.up >= 0 && !slices.ContainsFunc(p.having(one.up), func(has *implemented) bool {
		return has.foreign || protocol.GoWhole(one.Sym().Name, has.methods)
	})
}

// marks reports whether a method of Go does nothing: it is there to mark its type.
func (p *program) marks(i int32) bool {
	s := p.items[i].Sym()
	return mark.Match(p.items[i].Record.Text.Slice(int(s.Start), int(s.End)))
}

// completes reports whether a method of Go may be there for an interface of Go's library that the
// library may not call it by.
func (p *program) completes(one *item) bool {
	if !protocol.GoMethod(one.Sym().Name) || one.up < 0 {
		return false
	}
	has := p.contracts.of(p, one.up)
	return has.foreign || protocol.GoInterfaceOf(one.Sym().Name, has.methods)
}
