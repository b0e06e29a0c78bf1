package graph

import (
	"hash/maphash"
	"slices"
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A name is an interned string.
type name uint32

// names interns strings.
type names struct {
	text   []string // the first is ""
	byText table
}

func newNames() names {
	n := names{text: []string{""}}
	for _, b := range basicTypes {
		n.intern(b)
	}
	return n
}

// basicTypes are numbers, strings and truth values, by the names that most languages
// have for them. They come first, so that basic is one comparison.
var basicTypes = [...]string{"bool", "byte", "complex64", "complex128", "float32", "float64", "int", "int8", "int16", "int32", "int64",
	"rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"}

// basic reports whether values of an external type hold nothing that can be called.
func (n name) basic() bool { return n-1 < name(len(basicTypes)) }

// lookup returns the number of a string that is known.
func (n *names) lookup(s string) (id name, ok bool) {
	if s == "" {
		return 0, true
	}
	id = name(n.byText.find(maphash.String(seed, s), func(i uint32) bool { return n.text[i] == s }))
	return id, id != 0
}

func (n *names) intern(s string) name {
	id, ok := n.lookup(s)
	if !ok {
		id = name(len(n.text))
		n.text = append(n.text, strings.Clone(s))
		n.byText.add(uint32(id), func(i uint32) uint64 { return maphash.String(seed, n.text[i]) })
	}
	return id
}

// entity is a node.
type entity struct {
	kind  Kind
	name  name
	outer ID
	nth   uint32
	class *class // what the solver knows of it, where it is one
	file  *file  // nil: it is gone, or belongs to no file
	ref   uint32
}

// entityKey is what makes a node the same one after an edit.
type entityKey struct {
	outer ID
	kind  Kind
	name  name
	nth   uint32 // among those of this name in the same container
}

func (e *entity) key() entityKey { return entityKey{e.outer, e.kind, e.name, e.nth} }

func (k entityKey) hash() uint64 {
	return mix(uint64(k.outer), uint64(k.name), uint64(k.nth)<<8|uint64(k.kind))
}

// stable is a hash of a name, or of what makes a node the same one after an edit.
func (g *family) stable(id uint32, named bool) uint64 {
	if named {
		return xxhash.Sum64String(g.names.text[id])
	}
	h := uint64(0)
	for id != 0 {
		e := &g.entities[id]
		h = mix(h, xxhash.Sum64String(g.names.text[e.name]), uint64(e.nth)<<8|uint64(e.kind))
		id = uint32(e.outer)
	}
	return h
}

// lookEntity finds a node, or returns 0.
func (g *family) lookEntity(key entityKey) ID {
	return ID(g.byKey.find(key.hash(), func(n uint32) bool { return g.entities[n].key() == key }))
}

// entity finds or makes a node.
func (g *family) entity(key entityKey) ID {
	if id := g.lookEntity(key); id != 0 {
		return id
	}
	id := ID(len(g.entities))
	g.entities = append(g.entities, entity{kind: key.kind, name: key.name, outer: key.outer, nth: key.nth})
	g.byKey.add(uint32(id), func(n uint32) uint64 { return g.entities[n].key().hash() })
	return id
}

// namespace returns the node of a namespace path below a language family's root.
func (g *family) namespace(family, path string) ID {
	id := g.entity(entityKey{kind: NamespaceNode, name: g.names.intern(family)})
	for path != "" {
		var segment string
		segment, path, _ = strings.Cut(path, ".")
		if segment != "" {
			id = g.subspace(id, g.names.intern(segment))
		}
	}
	return id
}

func (g *family) subspace(outer ID, n name) ID {
	return g.entity(entityKey{outer: outer, kind: NamespaceNode, name: n})
}

// lookspace finds a namespace that exists below another.
func (g *family) lookspace(outer ID, n name) ID {
	id := g.lookEntity(entityKey{outer: outer, kind: NamespaceNode, name: n})
	if id != 0 && g.populated[id] == 0 {
		return 0
	}
	return id
}

// populate counts a file in or out of a namespace and those around it.
func (g *family) populate(id ID, n int) {
	for ; id != 0; id = g.entities[id].outer {
		if g.populated[id] += n; g.populated[id] == 0 {
			delete(g.populated, id)
		}
	}
}

// An entry is a member of a container.
type entry struct {
	name   name
	kind   ir.MemberKind
	static bool
	open   bool // exported by the language's rules
	id     ID   // the node; of an import the file's
	ref    uint32
}

// A bag holds the members of a file, package, namespace or class, by name.
type bag struct {
	entries []entry
	sorted  bool
}

func (b *bag) add(e entry) {
	b.entries = append(b.entries, e)
	b.sorted = false
}

// find returns the entries of a name. g orders those of one name by path and place,
// never by number: numbers depend on the order of work.
func (g *family) find(b *bag, n name) []entry {
	if b == nil {
		return nil
	}
	if !b.sorted {
		slices.SortStableFunc(b.entries, func(x, y entry) int {
			if x.name != y.name {
				return int(x.name) - int(y.name)
			}
			return g.compare(x.id, y.id)
		})
		b.sorted = true
	}
	lo := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].name >= n })
	hi := lo
	for hi < len(b.entries) && b.entries[hi].name == n {
		if hi++; hi-lo == 16 { // most are one or two
			rest := b.entries[hi:]
			hi += sort.Search(len(rest), func(i int) bool { return rest[i].name != n })
			break
		}
	}
	return b.entries[lo:hi]
}

// drop takes the entries of a file out.
func (g *family) drop(b *bag, f *file) {
	b.entries = slices.DeleteFunc(b.entries, func(e entry) bool {
		return g.entities[e.id].file == f || e.kind == ir.ImportMember && e.id == f.id
	})
}

// compare orders two nodes by path and place.
func (g *family) compare(a, b ID) int {
	x, y := &g.entities[a], &g.entities[b]
	if x.file != y.file {
		switch {
		case x.file == nil:
			return -1
		case y.file == nil:
			return 1
		}
		return strings.Compare(x.file.path, y.file.path)
	}
	if x.file == nil {
		return strings.Compare(g.qualified(a), g.qualified(b))
	}
	if x.kind != y.kind {
		return int(x.kind) - int(y.kind)
	}
	return int(x.ref) - int(y.ref)
}

// qualified returns the name of a node with its containers, without the file.
func (g *family) qualified(id ID) string {
	var parts []string
	for id != 0 {
		e := &g.entities[id]
		if e.kind == FileNode || e.kind == NamespaceNode && e.outer == 0 {
			break
		}
		if text := g.label(id); text != "" {
			parts = append(parts, text)
		}
		id = e.outer
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// label is the own part of a node's qualified name: a method that is written
// outside of its type has the type's name before its own.
func (g *family) label(id ID) string {
	e := &g.entities[id]
	text, before := g.names.text[e.name], g.names.text[g.before(id)]
	switch {
	case before == "":
		return text
	case e.kind == ClassNode:
		return before
	}
	return before + "." + text
}

// before is what a node's label has before its name, or of a class in place of it.
func (g *family) before(id ID) name {
	e := &g.entities[id]
	switch {
	case e.file == nil:
	case e.kind == FuncNode && e.file.outer != nil:
		return e.file.outer[e.ref]
	case e.kind == ClassNode && e.file.extends != nil:
		return e.file.extends[e.ref]
	}
	return 0
}

// entitle notes the types that are part of names of what is written outside of them.
func (g *family) entitle(r *file) {
	for i := 2; i < len(r.ir.Funcs); i++ {
		if fn := &r.ir.Funcs[i]; fn.Recv != 0 && (fn.Class == 0 || fn.Self == 0) {
			if t := receiverName(r, fn.Recv); t != "" {
				if r.outer == nil {
					r.outer = make([]name, len(r.ir.Funcs))
				}
				r.outer[i] = g.names.intern(t)
			}
		}
	}
	for i := 2; i < len(r.ir.Funcs); i++ {
		if list := r.ir.Funcs[i].Results; len(list) > 0 && r.lang.fluent {
			if x := &r.ir.Exprs[list[0]]; x.Op == ir.TypeOf && r.ir.Exprs[x.A].Op == ir.This {
				if r.fluent == nil {
					r.fluent = map[ir.Func]bool{}
				}
				r.fluent[ir.Func(i)] = true
			}
		}
	}
	for i := 1; i < len(r.ir.Classes); i++ {
		if c := &r.ir.Classes[i]; c.Kind == ir.Extends {
			if t := lastName(r.ir, c.Target); t != "" {
				if r.extends == nil {
					r.extends = make([]name, len(r.ir.Classes))
				}
				r.extends[i] = g.names.intern(t)
			}
		}
	}
}

// receiverName is the type of a method as its name begins: the whole path of a
// class of C++, which the method names from outside of its namespaces.
func receiverName(f *file, x ir.Expr) string {
	n := &f.ir.Exprs[x]
	if f.lang.spaceReceivers && n.Op == ir.Attr {
		return receiverName(f, n.A) + "." + f.ir.String(n.Name)
	}
	return lastName(f.ir, x)
}

// lastName returns the last name of a dotted type.
func lastName(f *ir.File, x ir.Expr) string {
	for range 8 {
		n := &f.Exprs[x]
		switch n.Op {
		case ir.Name, ir.Attr, ir.Lit:
			return f.String(n.Name)
		case ir.Imported:
			return f.String(f.Imports[n.Ref].Name)
		case ir.ClassX:
			return f.String(f.Classes[n.Ref].Name)
		case ir.Apply:
			if n.A == 0 {
				return f.String(n.Name)
			}
			x = n.A
		case ir.Deref:
			x = n.A
		default:
			return ""
		}
	}
	return ""
}
