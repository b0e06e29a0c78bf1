package solver

import (
	"hash/maphash"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// textHashes hashes what the text of a file says of each name that others can use:
// positions and the bodies of functions left out.
func textHashes(g *program.Family, r *program.File) map[intern.Name]uint64 {
	f := r.IR
	h := hasher{f: f, r: r, out: map[intern.Name]uint64{}}
	h.SetSeed(intern.Seed)
	h.str(f.Package)
	h.pkg = h.Sum64()
	h.functions()
	h.classes(g)
	for _, m := range f.Top {
		h.member(m, 0)
	}
	for i := 1; i < len(f.Classes); i++ {
		for _, m := range f.Classes[i].Members {
			h.member(m, ir.Class(i))
		}
	}
	for _, i := range f.Imports[1:] {
		h.Reset()
		h.str(i.Module)
		h.WriteByte(byte(i.Flags))
		if i.Alias != 0 {
			h.add(i.Alias, 'i')
		}
		h.add(i.Name, 'i')
	}
	for _, x := range f.Exports {
		h.Reset()
		h.expr(x.X, 0)
		h.add(x.Name, 'e')
	}
	if r.Lang.Pack == program.ByName {
		for _, segment := range program.Split(f.String(f.Package)) {
			h.out[g.Names.Intern(segment)] += h.pkg | 1
		}
	}
	r.Lang.AlsoHashes(g, r, h.out)
	return h.out
}

// hasher hashes parts of a file by what they say.
type hasher struct {
	maphash.Hash
	f   *ir.File
	r   *program.File
	pkg uint64
	out map[intern.Name]uint64 // by name
}

// add adds what has been hashed to what the file says of a name.
func (h *hasher) add(n ir.Str, kind byte) {
	if n != 0 {
		h.WriteByte(kind)
		h.out[h.r.Names[n]] += h.Sum64() | 1
	}
}

// functions hashes the signatures of the functions.
func (h *hasher) functions() {
	f, r := h.f, h.r
	for i := 1; i < len(f.Funcs); i++ {
		fn := &f.Funcs[i]
		h.Reset()
		maphash.WriteComparable(&h.Hash, h.pkg)
		maphash.WriteComparable(&h.Hash, uint32(fn.Flags))
		h.container(fn.Class, fn.Outer, r)
		h.expr(fn.Recv, 0)
		for _, p := range fn.Params {
			h.str(p.Name)
			h.WriteByte(byte(p.Kind))
			h.expr(p.Type, 0)
			maphash.WriteComparable(&h.Hash, p.Default != 0)
		}
		for _, x := range fn.Results {
			h.expr(x, 0)
		}
		h.params(fn.TypeParams())
		for _, x := range fn.Decorators() {
			h.expr(x, 0)
		}
		if fn.Flags&ir.Constructor != 0 && fn.Class != 0 {
			h.add(f.Classes[fn.Class].Name, 'n') // it is called by the name of the class
		}
		h.add(fn.Name, 'f')
	}
}

// classes hashes what stands before the bodies of the classes.
func (h *hasher) classes(g *program.Family) {
	f, r := h.f, h.r
	for i := 1; i < len(f.Classes); i++ {
		c := &f.Classes[i]
		h.Reset()
		maphash.WriteComparable(&h.Hash, h.pkg)
		h.WriteByte(byte(c.Kind))
		h.container(c.Outer, c.Func, r)
		for _, b := range c.Bases {
			h.WriteByte(byte(b.Kind))
			h.expr(b.X, 0)
		}
		h.params(c.TypeParams)
		h.expr(c.Target, 0)
		for _, x := range c.Decorators {
			h.expr(x, 0)
		}
		h.add(c.Name, 'c')
		if path := f.String(c.Name); strings.Contains(path, ".") { // class A::B
			for _, segment := range program.Split(path) {
				h.out[g.Names.Intern(segment)] += h.Sum64() | 1
			}
		}
		if c.Kind == ir.Extends {
			for _, m := range c.Members {
				h.add(m.Name, 'x')
			}
		}
	}
}

// member hashes a member of a class, or of the file.
func (h *hasher) member(m ir.Member, in ir.Class) {
	f, r := h.f, h.r
	h.Reset()
	maphash.WriteComparable(&h.Hash, h.pkg)
	h.WriteByte(byte(m.Kind))
	h.container(in, 0, r)
	maphash.WriteComparable(&h.Hash, m.Static)
	maphash.WriteComparable(&h.Hash, m.Exported)
	switch m.Kind {
	case ir.VarMember:
		h.expr(f.Vars[m.Ref].Type, 0)
		maphash.WriteComparable(&h.Hash, f.Vars[m.Ref].Init != 0)
		if in == 0 && r.Lang.AliasVars {
			h.expr(f.Vars[m.Ref].Init, 0) // another name for something
		}
	case ir.ImportMember:
		i := &f.Imports[m.Ref]
		h.str(i.Module)
		h.str(i.Name)
		h.WriteByte(byte(i.Flags))
	}
	h.add(m.Name, 'm')
}

func (h *hasher) str(s ir.Str) {
	h.WriteString(h.f.String(s))
	h.WriteByte(0)
}

func (h *hasher) params(list []ir.TypeParam) {
	for _, p := range list {
		h.str(p.Name)
		h.expr(p.Bound, 0)
	}
}

// container hashes where something is written.
func (h *hasher) container(c ir.Class, fn ir.Func, r *program.File) {
	if c != 0 {
		maphash.WriteComparable(&h.Hash, r.Classes[c])
	} else if fn != 0 {
		maphash.WriteComparable(&h.Hash, r.Funcs[fn])
	}
}

func (h *hasher) expr(x ir.Expr, depth int) {
	if x == 0 || depth > 30 {
		h.WriteByte(0)
		return
	}
	n := &h.f.Exprs[x]
	h.WriteByte(byte(n.Op))
	h.str(n.Name)
	h.expr(n.A, depth+1)
	h.expr(n.B, depth+1)
	for _, a := range h.f.Args[n.Lo:n.Hi] {
		h.str(a.Name)
		h.expr(a.X, depth+1)
	}
	h.WriteByte(')')
}

// meaningHashes hashes what the declarations of a file mean, by name.
func meaningHashes(g *program.Family, f *program.File) map[intern.Name]uint64 {
	out := map[intern.Name]uint64{}
	var h maphash.Hash
	h.SetSeed(intern.Seed)
	add := func(n ir.Str) {
		if n != 0 {
			out[f.Names[n]] += h.Sum64() | 1
		}
		h.Reset()
	}
	in := func(id edge.ID) { maphash.WriteComparable(&h, id) }
	for i := 2; i < len(f.IR.Funcs); i++ {
		fn := &f.IR.Funcs[i]
		in(f.Funcs[i])
		for _, p := range fn.Params {
			maphash.WriteComparable(&h, f.VarTypes[p.Var])
		}
		for _, s := range f.Results.Of(ir.Func(i)) {
			maphash.WriteComparable(&h, s)
		}
		if fn.Recv != 0 {
			maphash.WriteComparable(&h, eval.TypeIn(g, f, ir.Func(i), 0, fn.Recv))
		}
		if fn.Flags&ir.Constructor != 0 && fn.Class != 0 {
			out[f.Names[f.IR.Classes[fn.Class].Name]] += h.Sum64() | 1
		}
		add(fn.Name)
	}
	for c := 1; c < len(f.IR.Classes); c++ {
		info := &f.IR.Classes[c]
		k := g.Classes[f.Classes[c]]
		if k == nil {
			continue
		}
		main := g.Classes[g.CanonicalID(k.ID)]
		in(k.ID)
		in(main.ID)
		maphash.WriteComparable(&h, k.Target)
		maphash.WriteComparable(&h, eval.Aliased(g, k))
		for _, s := range g.MRO(main) {
			in(s.Class.ID)
			maphash.WriteComparable(&h, s.As)
			maphash.WriteComparable(&h, s.Class.Foreign)
			for _, m := range s.Class.Asked {
				maphash.WriteComparable(&h, m)
			}
		}
		shape := h.Sum64() | 1
		add(info.Name)
		// All that can be found through the class depends on where it stands.
		for _, s := range g.MRO(main) {
			for _, e := range s.Class.Bag.Entries {
				out[e.Name] += shape
			}
		}
		for _, m := range info.Members {
			if m.Kind == ir.VarMember {
				in(f.Vars[m.Ref])
				maphash.WriteComparable(&h, f.VarTypes[m.Ref])
				add(m.Name)
			}
		}
	}
	for _, m := range f.IR.Top {
		if m.Kind == ir.VarMember {
			in(f.Vars[m.Ref])
			maphash.WriteComparable(&h, f.VarTypes[m.Ref])
			if init := f.IR.Vars[m.Ref].Init; init != 0 && f.Lang.AliasVars {
				maphash.WriteComparable(&h, eval.Static(g, f, 1, 0).Eval(init))
			}
			add(m.Name)
		}
	}
	f.Lang.AlsoHashes(g, f, out)
	return out
}
