package links

import (
	"slices"
	"strings"
	"testing"
)

func TestResultTypes(t *testing.T) {
	for _, tc := range []struct{ lang, signature, want string }{
		{"go", "func f() *Store", "Store"},
		{"go", "func (s *Store) f(a, b int) (x []sub.Store, err error)", "Store error"},
		{"go", "func f[T any](x T) map[string]*List[T]", "List"},
		{"go", "func f(g func(int) *Store)", ""},
		{"go", "func f() func() *Store", ""},
		{"python", "def f(a: Store) -> Store:", "Store"},
		{"python", `async def f(self) -> "lib.Store":`, "Store"},
		{"python", "def f() -> Optional[Store]:", "Store"},
		{"python", "def f() -> Store | None:", "Store"},
		{"python", "def f() -> list[Store]:", "list"},
		{"python", "def f(self) -> Self:", "Self"},
		{"python", "def f(a: Store):", ""},
		{"typescript", "export function f(a: string): Store", "Store"},
		{"typescript", "f(): Promise<lib.Store | null>", "Store"},
		{"typescript", "export const f = async (): Promise<Store> =>", "Store"},
		{"typescript", "f(): Store[]", ""},
		{"typescript", "f(): this", "Self"},
		{"rust", "pub fn f(&self) -> &'a mut sub::Store", "Store"},
		{"rust", "pub fn f() -> Box<dyn Keep>", ""},
		{"rust", "pub fn f() -> Arc<Store> where T: Clone", "Store"},
		{"rust", "pub fn f() -> Vec<Store>", "Vec"},
		{"java", "public static <T> Store<T> f(List<T> x)", "Store"},
		{"java", "Store[] f()", ""},
		{"csharp", "[Obsolete] public async Task<Store> f(int x)", "Store"},
		{"kotlin", "fun f(x: Int): Store? = null", "Store"},
		{"php", `function f($x): ?\Acme\Store`, "Store"},
		{"php", "function f(): static", "Self"},
		{"go", "func other()", ""},
		{"ruby", "def f(x)", ""},
	} {
		if got := strings.Join(resultTypes(tc.lang, tc.signature, "f"), " "); got != tc.want {
			t.Errorf("%s %q: %q, want %q", tc.lang, tc.signature, got, tc.want)
		}
	}
}

func TestGoCallable(t *testing.T) {
	for signature, want := range map[string]bool{
		"func f()":                      false,
		"func f() error":                false,
		"func f() (*Store, error)":      false,
		"func f(g func()) []string":     false,
		"func f() func()":               true,
		"func f() (stop func(), _ int)": true,
		"func f() Handler":              true,
		"func f() []Handler":            true,
		"func f[T any]() T":             true,
	} {
		if got := goCallable(signature, "f"); got != want {
			t.Errorf("%q: %v", signature, got)
		}
	}
}

func TestPassedOn(t *testing.T) {
	e := scriptExports([]byte(`
import { b as c, type T } from "./b"
export { a, c as d, T } from './x'
export * from "./all"
export * as ns from "./ns"
export { c, own as mine }
`))
	for name, want := range map[string]passedOn{
		"a": {"./x", "a"}, "d": {"./x", "c"}, "ns": {module: "./ns"}, "c": {"./b", "b"}, "mine": {name: "own"},
	} {
		if e.named[name] != want {
			t.Errorf("%s: %+v", name, e.named[name])
		}
	}
	if !slices.Equal(e.stars, []string{"./all"}) || e.all {
		t.Errorf("%+v", e)
	}
	u := rustUses([]byte("pub use a::{b, c::{self, d as e}, f::*};\nuse private::x;\npub use crate::g;\n"))
	for name, want := range map[string]string{"b": "a::b", "c": "a::c", "e": "a::c::d", "g": "crate::g", "x": ""} {
		if u.named[name].module != want {
			t.Errorf("%s: %+v", name, u.named[name])
		}
	}
	if !slices.Equal(u.stars, []string{"a::f"}) {
		t.Errorf("%v", u.stars)
	}
}
