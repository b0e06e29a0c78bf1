package graph_test

import (
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	languages "github.com/quarry-search/quarry/index/internal/lang"
)

// cyclic are files whose types, bounds, aliases and modules lead to themselves. No compiler takes
// them, but somebody may write them: a resolver that follows them without end takes the server with it.
var cyclic = map[string]string{
	"A.java": `interface I { void run(); }
class A<T extends U, U extends T> { T t; void m(T a) { a.run(); t.run(); a.f.g(); } <X extends Y, Y extends X> void n(X x) { x.run(); x.z().w(); } <X extends X> void o(X x) { x.run(); } }
class B extends C { void q() { super.q(); r(); } }
class C extends B { }`,
	"a.ts": `class A<T extends U, U extends T> { t: T; m(a: T) { a.run(); this.t.run(); a.f.g(); } }
function n<X extends Y, Y extends X>(x: X) { x.run(); for (const q of x) q.run(); x[0].run(); x(); new x(); }
function o<X extends X>(x: X) { x.run(); }
type P = Q; type Q = P; function z(p: P) { p.run(); }
class B extends C { q() { super.q(); this.r(); } } class C extends B { }`,
	"A.cs": `class A<T, U> where T : U where U : T { T t; void m(T a) { a.Run(); t.Run(); a.F.G(); foreach (var q in a) q.Run(); } void n<X, Y>(X x) where X : Y where Y : X { x.Run(); x.Ext(); } void o<X>(X x) where X : X { x.Run(); } }
static class E { public static void Ext<T>(this T t) where T : T {} }
class B : C { void q() { base.q(); r(); } } class C : B { }`,
	"src/lib.rs": `trait T1: T2 { fn a(&self) { self.b(); } } trait T2: T1 { fn c(&self) { self.d(); } }
fn n<X: T1 + T2>(x: X) { x.a(); x.c(); x.e(); X::new(); } impl<T: U, U: T> T1 for T { }
type P = Q; type Q = P; fn z(p: P) { p.run(); P::new(); }
struct S; impl<T: T1> T1 for T {} impl Deref for S { type Target = S; } fn y(s: S) { s.run(); }`,
	"a.go": `package a
type A[T U, U T] struct { t T }
func N[X Y, Y X](x X) { x.Run(); for _, q := range x { q.Run() } }
type P Q
type Q P
type I interface { J }
type J interface { I; Run() }
type E struct { F }
type F struct { E }
func z(p P, i I, e E) { p.Run(); i.Run(); e.Run(); e.x.y() }`,
	"a.cpp": `struct B : C { void q() { r(); } }; struct C : B {}; template<class T, class U> struct A : A<U,T> { void m() { this->run(); } };
template <class T> struct D : D<D<T>> { void m() { this->x.y(); } };
using P = Q; using Q = P; void z(P p) { p.run(); p->run(); }
struct S { S operator->(); S operator*(); }; void y(S s) { s->run(); (*s).run(); for (auto x : s) x.run(); }`,
	"a.py": `class A(B):
    def q(self): super().q(); self.r()
class B(A): pass
def f(x=None): return f(f)
x = x
def g(): return g().h().i(g)
class C(C): pass
class M(type):
    def __call__(cls): return cls()()()
@g
def k(): return k()()`,
	"a.rb": `class A < B; def q; super; r; end; end; class B < A; end
module M; include N; end; module N; include M; end; class Z; include M; def q; r; super; end; end
alias a b
alias b a
a()`,
	"a.php": `<?php class A extends B { function q() { parent::q(); $this->r(); } } class B extends A {} trait T { use U; } trait U { use T; }
class Z { use T; function q() { $this->r(); self::s(); } } interface I extends J {} interface J extends I {} function z(I $i) { $i->r(); }`,
	"A.kt": `class A<T : U, U : T>(val t: T) { fun m(a: T) { a.run(); t.run(); a.f.g(); for (q in a) q.run() } }
typealias P = Q
typealias Q = P
fun z(p: P) { p.run(); p { it.x() } }
open class B : C() { fun q() { super.q(); r() } }
open class C : B() { }
class D : D by D()
fun <T : List<T>> T.e() { this[0].e(); first().e() }
fun <T : Iterable<Int>> T.ext() {}
fun <A : B, B : A> A.within(b: B) { ext(); b.ext() }`,
	"A.scala": `class A[T <: U, U <: T](t: T) { def m(a: T) = { a.run(); t.run() } }
trait B extends C { def q = { super.q; r } }
trait C extends B
object O { type P = Q; type Q = P; def z(p: P) = p.run() }`,
	"a.swift": `class A<T: U, U: T> { func m(a: T) { a.run() } }
class B: C { func q() { super.q(); r() } }
class C: B {}
protocol I: J {}
protocol J: I {}
func z(i: I) { i.run() }`,
}

func TestCyclic(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	for name, text := range cyclic {
		t.Run(name, func(t *testing.T) {
			g := graph.New()
			put(g, p, name, []byte(text))
			if faults := g.Resolve(); len(faults) > 0 || !g.Has(name) {
				t.Errorf("faults %v, and it is in the graph: %v", faults, g.Has(name))
			}
		})
	}
}
