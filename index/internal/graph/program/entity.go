package program

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Entity is a node.
type Entity struct {
	Kind  edge.Kind
	Name  intern.Name
	Outer edge.ID
	Nth   uint32
	Class *Class // what the solver knows of it, where it is one
	File  *File  // nil: it is gone, or belongs to no file
	Ref   uint32
}

// EntityKey is what makes a node the same one after an edit.
type EntityKey struct {
	Outer edge.ID
	Kind  edge.Kind
	Name  intern.Name
	Nth   uint32 // among those of this name in the same container
}

func (e *Entity) key() EntityKey { return EntityKey{e.Outer, e.Kind, e.Name, e.Nth} }

func (k EntityKey) hash() uint64 {
	return intern.Mix(uint64(k.Outer), uint64(k.Name), uint64(k.Nth)<<8|uint64(k.Kind))
}

// stable is a hash of a name, or of what makes a node the same one after an edit.
func (g *Family) stable(id uint32, named bool) uint64 {
	if named {
		return xxhash.Sum64String(g.Names.Text[id])
	}
	h := uint64(0)
	for id != 0 {
		e := &g.Entities[id]
		h = intern.Mix(h, xxhash.Sum64String(g.Names.Text[e.Name]), uint64(e.Nth)<<8|uint64(e.Kind))
		id = uint32(e.Outer)
	}
	return h
}

// lookEntity finds a node, or returns 0.
func (g *Family) lookEntity(key EntityKey) edge.ID {
	return edge.ID(g.ByKey.Find(key.hash(), func(n uint32) bool { return g.Entities[n].key() == key }))
}

// Entity finds or makes a node.
func (g *Family) Entity(key EntityKey) edge.ID {
	if id := g.lookEntity(key); id != 0 {
		return id
	}
	id := edge.ID(len(g.Entities))
	g.Entities = append(g.Entities, Entity{Kind: key.Kind, Name: key.Name, Outer: key.Outer, Nth: key.Nth})
	g.ByKey.Add(uint32(id), func(n uint32) uint64 { return g.Entities[n].key().hash() })
	return id
}

// Namespace returns the node of a namespace path below a language family's root.
func (g *Family) Namespace(family, path string) edge.ID {
	id := g.Entity(EntityKey{Kind: edge.NamespaceNode, Name: g.Names.Intern(family)})
	for path != "" {
		var segment string
		segment, path, _ = strings.Cut(path, ".")
		if segment != "" {
			id = g.Subspace(id, g.Names.Intern(segment))
		}
	}
	return id
}

// Subspace returns the node of a namespace in another one.
func (g *Family) Subspace(outer edge.ID, n intern.Name) edge.ID {
	return g.Entity(EntityKey{Outer: outer, Kind: edge.NamespaceNode, Name: n})
}

// Lookspace finds a namespace that exists below another.
func (g *Family) Lookspace(outer edge.ID, n intern.Name) edge.ID {
	id := g.lookEntity(EntityKey{Outer: outer, Kind: edge.NamespaceNode, Name: n})
	if id != 0 && g.populated[id] == 0 {
		return 0
	}
	return id
}

// populate counts a file in or out of a namespace and those around it.
func (g *Family) populate(id edge.ID, n int) {
	for ; id != 0; id = g.Entities[id].Outer {
		if g.populated[id] += n; g.populated[id] == 0 {
			delete(g.populated, id)
		}
	}
}

// An Entry is a member of a container.
type Entry struct {
	Name   intern.Name
	Kind   ir.MemberKind
	Static bool
	Open   bool    // exported by the language's rules
	ID     edge.ID // the node; of an import the file's
	Ref    uint32
}

// A Bag holds the members of a file, package, namespace or class, by name.
type Bag struct {
	Entries []Entry
	Sorted  bool
}

// Add puts a member in.
func (b *Bag) Add(e Entry) {
	b.Entries = append(b.Entries, e)
	b.Sorted = false
}

// Find returns the entries of a name. g orders those of one name by path and place,
// never by number: numbers depend on the order of work.
func (g *Family) Find(b *Bag, n intern.Name) []Entry {
	if b == nil {
		return nil
	}
	if !b.Sorted {
		slices.SortStableFunc(b.Entries, func(x, y Entry) int {
			if x.Name != y.Name {
				return int(x.Name) - int(y.Name)
			}
			return g.Compare(x.ID, y.ID)
		})
		b.Sorted = true
	}
	lo := sort.Search(len(b.Entries), func(i int) bool { return b.Entries[i].Name >= n })
	hi := lo
	for hi < len(b.Entries) && b.Entries[hi].Name == n {
		if hi++; hi-lo == 16 { // most are one or two
			rest := b.Entries[hi:]
			hi += sort.Search(len(rest), func(i int) bool { return rest[i].Name != n })
			break
		}
	}
	return b.Entries[lo:hi]
}

// Drop takes the entries of a file out.
func (g *Family) Drop(b *Bag, f *File) {
	b.Entries = slices.DeleteFunc(b.Entries, func(e Entry) bool {
		return g.Entities[e.ID].File == f || e.Kind == ir.ImportMember && e.ID == f.ID
	})
}

// Compare orders two nodes by path and place.
func (g *Family) Compare(a, b edge.ID) int {
	x, y := &g.Entities[a], &g.Entities[b]
	if x.File != y.File {
		switch {
		case x.File == nil:
			return -1
		case y.File == nil:
			return 1
		}
		return strings.Compare(x.File.Path, y.File.Path)
	}
	if x.File == nil {
		return strings.Compare(g.Qualified(a), g.Qualified(b))
	}
	if x.Kind != y.Kind {
		return int(x.Kind) - int(y.Kind)
	}
	return int(x.Ref) - int(y.Ref)
}

// Qualified returns the name of a node with its containers, without the file.
func (g *Family) Qualified(id edge.ID) string {
	var parts []string
	for id != 0 {
		e := &g.Entities[id]
		if e.Kind == edge.FileNode || e.Kind == edge.NamespaceNode && e.Outer == 0 {
			break
		}
		if text := g.label(id); text != "" {
			parts = append(parts, text)
		}
		id = e.Outer
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// label is the own part of a node's qualified name: a method that is written
// outside of its type has the type's name before its own.
func (g *Family) label(id edge.ID) string {
	e := &g.Entities[id]
	text, before := g.Names.Text[e.Name], g.Names.Text[g.Before(id)]
	switch {
	case before == "":
		return text
	case e.Kind == edge.ClassNode:
		return before
	}
	return before + "." + text
}

// Before is what a node's label has before its name, or of a class in place of it.
func (g *Family) Before(id edge.ID) intern.Name {
	e := &g.Entities[id]
	switch {
	case e.File == nil:
	case e.Kind == edge.FuncNode && e.File.outer != nil:
		return e.File.outer[e.Ref]
	case e.Kind == edge.ClassNode && e.File.extends != nil:
		return e.File.extends[e.Ref]
	}
	return 0
}

// entitle notes the types that are part of names of what is written outside of them.
func (g *Family) entitle(r *File) {
	for i := 2; i < len(r.IR.Funcs); i++ {
		if fn := &r.IR.Funcs[i]; fn.Recv != 0 && (fn.Class == 0 || fn.Self == 0) {
			if t := receiverName(r, fn.Recv); t != "" {
				if r.outer == nil {
					r.outer = make([]intern.Name, len(r.IR.Funcs))
				}
				r.outer[i] = g.Names.Intern(t)
			}
		}
	}
	for i := 2; i < len(r.IR.Funcs); i++ {
		if list := r.IR.Funcs[i].Results; len(list) > 0 && r.Lang.Fluent {
			if x := &r.IR.Exprs[list[0]]; x.Op == ir.TypeOf && r.IR.Exprs[x.A].Op == ir.This {
				if r.Fluent == nil {
					r.Fluent = map[ir.Func]bool{}
				}
				r.Fluent[ir.Func(i)] = true
			}
		}
	}
	for i := 1; i < len(r.IR.Classes); i++ {
		if c := &r.IR.Classes[i]; c.Kind == ir.Extends {
			if t := lastName(r.IR, c.Target); t != "" {
				if r.extends == nil {
					r.extends = make([]intern.Name, len(r.IR.Classes))
				}
				r.extends[i] = g.Names.Intern(t)
			}
		}
	}
}

// receiverName is the type of a method as its name begins: the whole path of a
// class of C++, which the method names from outside of its namespaces.
func receiverName(f *File, x ir.Expr) string {
	n := &f.IR.Exprs[x]
	if f.Lang.SpaceReceivers && n.Op == ir.Attr {
		return receiverName(f, n.A) + "." + f.IR.String(n.Name)
	}
	return lastName(f.IR, x)
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

// CanonicalID returns the class that a class is a part of: itself, the first of
// those that the language merges, or what an extension extends.
func (g *Family) CanonicalID(id edge.ID) edge.ID {
	for range 4 {
		up, ok := g.PartOf[id]
		if !ok {
			break
		}
		id = up
	}
	return id
}

// Canonical is CanonicalID of a class of a file.
func (g *Family) Canonical(f *File, c ir.Class) edge.ID { return g.CanonicalID(f.Classes[c]) }

// AnyType is the name under which ForeignBag has all extensions, whatever they extend.
const AnyType = "<any type>"

// ForeignBag returns what the files add to a type from outside the index.
func (g *Family) ForeignBag(n intern.Name) *Bag {
	b := g.Foreign[n]
	if b == nil {
		b = &Bag{}
		g.Foreign[n] = b
	}
	return b
}

// AddAll puts members in.
func (b *Bag) AddAll(list []Entry) {
	for _, e := range list {
		b.Add(e)
	}
}

// AddOwn puts the members of a class in that are its own, or that other places add.
func (g *Family) AddOwn(b *Bag, k *Class) {
	for _, m := range k.Info.Members {
		b.Add(k.File.entryOf(m))
	}
	b.AddAll(k.Extra)
	b.AddAll(g.Inner[k.ID])
}

// Register makes the nodes of a file and enters its names where others look.
func (g *Family) Register(p string, f *ir.File) *File {
	own := *f // without its strings, see settle
	f = &own
	r := &File{Path: p, Dir: path.Dir(p), Lang: g.LanguageOf(f.Language), IR: f}
	if r.Dir == "." {
		r.Dir = ""
	}
	r.Names = make([]intern.Name, len(f.Strings))
	for i, s := range f.Strings {
		r.Names[i] = g.Names.Intern(s)
	}
	r.ID = g.Entity(EntityKey{Kind: edge.FileNode, Name: g.Names.Intern(p)})
	g.own(r.ID, r, 1)
	g.Files[p] = r
	for d := r.Dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		g.Dirs[d]++
		if d == "" {
			break
		}
	}
	r.Pkg = g.packageOf(r)
	if r.Pkg != 0 {
		g.populate(r.Pkg, 1)
	}
	g.settle(r)
	if s, ok := g.Slimmed[p]; ok {
		r.Slim, r.Exprs, r.Args = true, s.Exprs, s.Args
		g.Load(r)
	} else {
		g.loadedFrom(r)
	}
	g.identify(r)
	g.entitle(r)
	g.enter(r)
	r.Lang.Entered(g, r)
	return r
}

// MaxSame is how many definitions of one name in one scope or class are looked at. That
// many are more than a set has anyway, and a file may have 100,000.
const MaxSame = 4 * pointsto.MaxValues
