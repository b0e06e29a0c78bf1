package overload

import (
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/lang"
)

// TestExcludes says of calls of f in a class whether they may be of one with some parameters.
func TestExcludes(t *testing.T) {
	const file = `
import java.io.*;
import java.util.List;

class Base { Integer hidden; }
class Cart extends Base implements CharSequence, Shown { }
interface Shown { }
enum Colour { RED }

class Uses<E> {
    private String name;
    static byte[] bytes;
    int[][] grid;

    <T> void use(T any, E item, Reader in, List<String> list, Cart cart, final int n, Integer boxed, Object o, char[] chars, Colour c, String... rest) {
        for (String s : list) { f(CALL); }
        try (FileReader r = new FileReader(name)) { f(CALL); } catch (IOException e) { f(CALL); }
        long total = n;
        var guess = name;
        if (o instanceof String text) { f(CALL); }
        switch (n) { case 1: Cart late = null; break; case 2: f(CALL); }
        f(CALL);
        new Base() { Cart own; void run() { f(CALL); } };
        Runnable q = () -> f(CALL);
    }
}`
	p := lang.NewParser()
	defer p.Close()
	for _, tc := range []struct {
		call   int // which of the file, from 0
		args   string
		params string
		may    bool
	}{
		{5, `"a"`, "String a", true}, {5, `"a"`, "CharSequence a", true}, {5, `"a"`, "Object a", true}, {5, `"a"`, "int a", false},
		{5, `"a"`, "char[] a", false}, {5, `"a"`, "Reader a", false}, {5, `"a"`, "Cart a", false}, {5, `"a"`, "T a", true}, {5, `"a"`, "Unknown a", false},
		{5, `"a" + n`, "int a", false}, {5, `n + "a"`, "int a", false}, {5, `n + n`, "String a", false}, {5, `n + o`, "String a", true},
		{5, "1", "long a", true}, {5, "1", "byte a", false}, {5, "1", "Integer a", true}, {5, "1", "Long a", false}, {5, "1", "Number a", true},
		{5, "1", "Comparable<Integer> a", true}, {5, "1", "String a", false}, {5, "1L", "int a", false}, {5, "1.0", "float a", false}, {5, "1f", "double a", true},
		{5, "'c'", "int a", true}, {5, "'c'", "short a", false}, {5, "true", "int a", false}, {5, "n < 1", "int a", false}, {5, "!true", "boolean a", true},
		{5, "null", "int a", false}, {5, "null", "String a", true}, {5, "null", "int[] a", true},
		{5, "String.class", "String a", false}, {5, "String.class", "Class<?> a", true},
		{5, "(String) o", "int a", false}, {5, "(T) o", "int a", true}, {5, "(Shown & Serializable) o", "Base a", true},
		{5, "new Cart()", "Base a", true}, {5, "new Cart()", "Shown a", true}, {5, "new Cart()", "Reader a", false}, {5, "new Cart()", "CharSequence a", true},
		{5, "new Base()", "Cart a", false}, {5, "new int[1]", "int[] a", true}, {5, "new int[1]", "long[] a", false}, {5, "new int[1][]", "int[] a", false},
		{5, "new int[1]", "Object a", true}, {5, "new int[1]", "String a", false}, {5, "new String[0]", "Object[] a", true}, {5, "new String[0]", "Object... a", true},
		{5, "new FileReader(name)", "Reader a", true}, {5, "new FileReader(name)", "InputStream a", false}, {5, "new Unknown()", "Base a", true}, {5, "new Unknown()", "String a", false},
		{5, "any", "int a", true}, {5, "item", "int a", true}, {5, "in", "String a", false}, {5, "in", "Closeable a", true}, {5, "list", "int a", false},
		{5, "list", "Iterable<String> a", true}, {5, "list", "Reader a", false}, {5, "cart", "Shown a", true}, {5, "cart", "Reader a", false},
		{5, "n", "String a", false}, {5, "boxed", "long a", true}, {5, "boxed", "byte a", false}, {5, "o", "int a", false}, {5, "o", "String a", false}, {5, "o", "Object a", true},
		{5, "chars", "char a", false}, {5, "chars[0]", "char a", true}, {5, "chars[0]", "String a", false}, {5, "rest", "String a", false}, {5, "c", "Shown a", true},
		{5, "total", "int a", false}, {5, "guess", "int a", true}, {5, "text", "int a", true}, {5, "late", "int a", true}, {4, "late", "int a", false},
		{3, "text", "int a", true}, {5, "name", "int a", false}, {5, "this.name", "int a", false}, {5, "bytes", "int a", false}, {5, "grid[0]", "int[] a", true},
		{5, "grid[0]", "int[][] a", false}, {5, "unseen", "int a", true}, {5, "g()", "int a", true}, {5, "o.toString()", "int a", false}, {5, "o.toString(1)", "int a", true},
		{5, "() -> 1", "String a", false}, {5, "() -> 1", "Shown a", true}, {5, "() -> 1", "Cart a", false}, {5, "() -> 1", "Unknown a", true}, {5, "Cart::new", "int a", false},
		{5, "n > 0 ? name : null", "int a", true}, {5, "n > 0 ? name : name", "int a", false}, {5, "-n", "String a", false}, {5, "(n)", "String a", false},
		{0, "s", "int a", false}, {1, "r", "InputStream a", false}, {2, "e", "int a", true}, {5, "s", "int a", true},
		{6, "own", "Shown a", true}, {6, "own", "int a", false}, {6, "n", "String a", true}, {6, "hidden", "String a", true}, {7, "n", "String a", false},
		{5, "1, 2", "int a", false}, {5, "", "int a", false}, {5, "", "int... a", true}, {5, "1, 2", "int... a", true}, {5, `1, "a"`, "int... a", false}, {5, `"a", 1`, "String a, int b", true},
	} {
		target := "import java.io.*;\nclass Target<T> { void f(" + tc.params + ") { } }"
		f, ok := FunctionAt(p.Tree("java", []byte(target)), strings.Index(target, "f("))
		if !ok {
			t.Fatalf("%s is not read", tc.params)
		}
		src, at := file, -1
		for n := range strings.Count(file, "CALL") {
			call := "0"
			if n == tc.call {
				call, at = tc.args, strings.Index(src, "CALL")-len("f(")
			}
			src = strings.Replace(src, "CALL", call, 1)
		}
		types := map[string][]Class{
			"Base": {{Plain: true}}, "Shown": {{Interface: true, Plain: true}}, "Colour": {{}},
			"Cart": {{Plain: true, Bases: []string{"Base", "CharSequence", "Shown"}}},
		}
		tree := p.Tree("java", []byte(src))
		if may := !f.Excludes(tree, at, func(name string) []Class { return types[name] }); may != tc.may {
			t.Errorf("f(%s) of f(%s), call %d: %v", tc.args, tc.params, tc.call, may)
		}
	}
}
