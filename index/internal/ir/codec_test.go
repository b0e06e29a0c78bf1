package ir_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

func saved(f *ir.File) []byte {
	var e snapshot.Encoder
	f.Save(&e)
	return e.Bytes()
}

func restored(data []byte) (*ir.File, error) {
	d := snapshot.NewDecoder(data)
	f := ir.Restore(d, nil)
	return f, d.End()
}

// lowered calls yield with what the sources of the tests of the lowerings and of the
// graph become, as they are and cut off in the middle.
func lowered(tb testing.TB, yield func(name string, f *ir.File)) {
	tb.Helper()
	p := lang.NewParser()
	defer p.Close()
	for _, pattern := range []string{"../lower/*/testdata/*.txtar", "../graph/testdata/*/*.txtar"} {
		archives, err := filepath.Glob(pattern)
		if err != nil || len(archives) == 0 {
			tb.Fatalf("%s: %d archives, %v", pattern, len(archives), err)
		}
		for _, name := range archives {
			a, err := txtar.ParseFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			for _, file := range a.Files {
				for _, text := range [][]byte{file.Data, file.Data[:len(file.Data)/2], file.Data[len(file.Data)/2:]} {
					if f := lowerText(p, file.Name, text); f != nil {
						yield(name+": "+file.Name, f)
					}
				}
			}
		}
	}
}

func lowerText(p *syntax.Parser, name string, text []byte) *ir.File {
	f, tree := p.ParseTree(source.Language(name, text), text)
	return lower.File(&f, tree)
}

func TestCodec(t *testing.T) {
	count := map[string]int{}
	lowered(t, func(name string, f *ir.File) {
		count[f.Language]++
		data := saved(f)
		got, err := restored(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if diff := cmp.Diff(f, got, cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("%s: -saved +restored\n%s", name, diff)
		}
		if !bytes.Equal(saved(got), data) {
			t.Errorf("%s: what was restored is saved as other bytes", name)
		}
	})
	if len(count) < 18 {
		t.Errorf("only %d languages: %v", len(count), count)
	}
}

// check returns what the graph would stumble over in a file.
func check(f *ir.File) error {
	var wrong error
	is := func(ok bool, format string, args ...any) {
		if !ok && wrong == nil {
			wrong = fmt.Errorf(format, args...)
		}
	}
	str := func(n ir.Str) { is(int(n) < len(f.Strings), "string %d", n) }
	expr := func(x ir.Expr) { is(int(x) < len(f.Exprs), "expression %d", x) }
	variable := func(v ir.Var) { is(int(v) < len(f.Vars), "variable %d", v) }
	fn := func(i ir.Func) { is(int(i) < len(f.Funcs), "function %d", i) }
	class := func(c ir.Class) { is(int(c) < len(f.Classes), "class %d", c) }
	exprs := func(list []ir.Expr) {
		for _, x := range list {
			expr(x)
		}
	}
	typeParams := func(list []ir.TypeParam) {
		for _, p := range list {
			str(p.Name)
			expr(p.Bound)
		}
	}
	members := func(list []ir.Member) {
		for _, m := range list {
			str(m.Name)
			switch m.Kind {
			case ir.FuncMember:
				fn(ir.Func(m.Ref))
				is(m.Ref > 1, "member %d", m.Ref)
			case ir.ClassMember:
				class(ir.Class(m.Ref))
			case ir.VarMember:
				variable(ir.Var(m.Ref))
			case ir.ImportMember:
				is(int(m.Ref) < len(f.Imports), "import %d", m.Ref)
			default:
				is(false, "member of kind %d", m.Kind)
			}
			is(m.Ref > 0, "member of nothing")
		}
	}
	str(f.Package)
	is(f.Strings[0] == "" && f.Exprs[0] == ir.Node{} && f.Vars[0] == ir.VarInfo{} && f.Imports[0] == ir.ImportInfo{}, "something at 0")
	for i, n := range f.Exprs {
		x := ir.Expr(i)
		str(n.Name)
		is(n.A < x || n.A == 0, "%d of %d", n.A, x)
		is(n.B < x || n.B == 0, "%d of %d", n.B, x)
		is(n.Lo <= n.Hi && int(n.Hi) <= len(f.Args), "arguments %d to %d", n.Lo, n.Hi)
		if wrong != nil {
			return wrong
		}
		for _, a := range f.Args[n.Lo:n.Hi] {
			is(a.X < x, "%d of %d", a.X, x)
		}
		is(n.Op <= ir.Iter, "operation %d", n.Op)
		switch n.Op {
		case ir.Local:
			variable(ir.Var(n.Ref))
		case ir.Lambda:
			fn(ir.Func(n.Ref))
		case ir.ClassX, ir.Name:
			class(ir.Class(n.Ref))
		case ir.Imported:
			is(int(n.Ref) < len(f.Imports), "import %d", n.Ref)
		case ir.Lit:
			str(ir.Str(n.Ref))
		}
	}
	for _, a := range f.Args {
		str(a.Name)
		is(a.Kind <= ir.Block, "argument of kind %d", a.Kind)
	}
	for _, v := range f.Vars {
		str(v.Name)
		expr(v.Type)
		expr(v.Init)
		fn(v.Func)
	}
	for i, info := range f.Funcs {
		str(info.Name)
		class(info.Class)
		is(info.Outer < ir.Func(i) || info.Outer == 0, "function %d in %d", i, info.Outer)
		expr(info.Recv)
		variable(info.Self)
		for _, p := range info.Params {
			variable(p.Var)
			str(p.Name)
			expr(p.Type)
			expr(p.Default)
			is(p.Kind <= ir.BlockParam, "parameter of kind %d", p.Kind)
		}
		exprs(info.Results)
		typeParams(info.TypeParams())
		exprs(info.Decorators())
		for _, s := range f.Body(ir.Func(i)) {
			is(s.Op <= ir.Raise, "statement %d", s.Op)
			expr(s.A)
			expr(s.B)
		}
	}
	for i, info := range f.Classes {
		str(info.Name)
		is(info.Kind <= ir.Named, "class of kind %d", info.Kind)
		is(info.Outer < ir.Class(i) || info.Outer == 0, "class %d in %d", i, info.Outer)
		fn(info.Func)
		for _, b := range info.Bases {
			expr(b.X)
			is(b.Kind <= ir.Meta, "base of kind %d", b.Kind)
		}
		members(info.Members)
		typeParams(info.TypeParams)
		expr(info.Target)
		exprs(info.Decorators)
	}
	for _, m := range f.Imports {
		str(m.Module)
		str(m.Name)
		str(m.Alias)
	}
	members(f.Top)
	for _, x := range f.Exports {
		str(x.Name)
		expr(x.X)
	}
	return wrong
}

// sources are small, and have much of what there is.
var sources = map[string]string{
	"a.go": "package a\nimport \"fmt\"\ntype T[K any] struct{ n int }\nfunc (t *T[K]) f(x, y int) (int, error) {\n\tfmt.Println(\"a\", x, t.n)\n\tz, err := t.f(y, 1)\n\treturn z, err\n}\nvar v = func() { v() }\n",
	"a.py": "import os as o\nclass A(B):\n    x = 1\n    @d\n    def f(self, *a, k=2, **kw):\n        return [self.g(*a, n=i) for i in k]\n    class C: pass\n\x00\x01\n",
	"a.ts": "import {a as b} from './m'\nexport default class A<T> extends B { p: T = {k: b(1)}; m() { class L { q() {} } return this.p?.m(new L()) } }\nexport {A as C}\n",
}

// TestDamaged restores what is cut off or changed at every byte: that is an error, or
// a file that the graph can read.
func TestDamaged(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	for name, text := range sources {
		data := saved(lowerText(p, name, []byte(text)))
		for i := range data {
			if _, err := restored(data[:i]); !errors.Is(err, snapshot.ErrDamaged) {
				t.Fatalf("%s: cut off at %d of %d: %v", name, i, len(data), err)
			}
			for change := 1; change < 256; change++ {
				b := bytes.Clone(data)
				b[i] ^= byte(change)
				tryRestore(t, b)
			}
		}
	}
}

func tryRestore(t *testing.T, data []byte) {
	f, err := restored(data)
	if err != nil {
		if !errors.Is(err, snapshot.ErrDamaged) {
			t.Fatal(err)
		}
		return
	}
	if err := check(f); err != nil {
		t.Fatalf("%v in what came of %q", err, data)
	}
}

// TestUnordered saves files that no lowering makes: they do not come back.
func TestUnordered(t *testing.T) {
	for name, change := range map[string]func(b *ir.Builder){
		"operand after":    func(b *ir.Builder) { b.Eval(b.Attr(2, "a", 0)) },
		"operand later":    func(b *ir.Builder) { b.Attr(2, "a", 0); b.Free("b", 0) },
		"operand itself":   func(b *ir.Builder) { b.Attr(1, "a", 0) },
		"arguments shared": func(b *ir.Builder) { x := b.Call(b.Free("f", 0), ir.Args(b.Free("a", 0)), 0); b.Expr(b.Raw().Exprs[x]) },
		"argument of none": func(b *ir.Builder) { b.Raw().Args = append(b.Raw().Args, ir.Arg{}) },
		"number of none":   func(b *ir.Builder) { b.Lambda(0, 0) },
		"class in itself": func(b *ir.Builder) {
			c := b.BeginClass("A", ir.PlainClass, 0)
			f := b.BeginFunc("f", 0)
			b.EndFunc(0)
			b.EndClass(0)
			b.ClassInfo(c).Func = f
		},
		"class in a later one": func(b *ir.Builder) {
			c := b.BeginClass("A", ir.PlainClass, 0)
			b.EndClass(0)
			b.ClassInfo(c).Outer = c
		},
		"function in itself": func(b *ir.Builder) {
			f := b.BeginFunc("f", 0)
			b.EndFunc(0)
			b.FuncInfo(f).Outer = f
		},
	} {
		b := ir.NewBuilder("go", nil)
		change(b)
		if f, err := restored(saved(b.File())); !errors.Is(err, snapshot.ErrDamaged) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

func FuzzRestore(f *testing.F) {
	p := lang.NewParser()
	defer p.Close()
	for name, text := range sources {
		f.Add(saved(lowerText(p, name, []byte(text))))
	}
	f.Fuzz(tryRestore)
}
