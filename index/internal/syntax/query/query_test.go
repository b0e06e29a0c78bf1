package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sitter "github.com/smacker/go-tree-sitter"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

// Whatever the parser of queries does not know must be an error: a query that
// means less than it says would lose symbols in silence.
func TestQueryErrors(t *testing.T) {
	g := newComparison(t).language(t, "javascript").grammar
	tests := []struct{ text, want string }{
		{"(", "the kind of a node should be"},
		{"(array", "where a pattern should be"},
		{"array", "no field"},
		{"(array) )", "where a pattern should be"},
		{"\n\n(no_such_node)", `line 3: no node "no_such_node"`},
		{"(expression)", `no node "expression"`}, // a supertype
		{`(array "array")`, `no node "array"`},
		{`(array "[)`, "token without an end"},
		{"(pair no_such_field: (_))", "no field"},
		{"(pair key (_))", "no colon"},
		{"(pair !no_such_field)", "no field"},
		{"(array (_) @)", "capture without a name"},
		{"(array [])", "empty alternation"},
		{"(array [(number)? (string)])", "quantifier on one branch"},
		{"(array .)", "dot without a pattern"},
		{"(array (number)? .)", "dot after a quantifier"},
		{"(array (number)+*)", "two quantifiers"},
		{"(array)? @x", "begins with a field or a quantifier"},
		{"(_ (number)) @x", "begins with a wildcard"},
		{"((array) (array))", "the kind of a node should be"},
		{`((array) @x (#eq? @x "y"))`, "the kind of a node should be"},
		{strings.Repeat("(array ", 9) + strings.Repeat(")", 9), "nested too deep"},
		{"(array (ERROR) @x)", `no node "ERROR"`},
	}
	for _, tt := range tests {
		if _, err := query.Compile(tt.text, g); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

// TestMatches runs small queries over small texts, by the matcher and, to be sure
// that the wanted matches are the right ones, by the library's cursor.
func TestMatches(t *testing.T) {
	tests := []struct{ name, language, query, src, want string }{
		{"every child", "javascript", "(array (number) @n) @a", "[1, 2]", "a=[1, 2] n=1; a=[1, 2] n=2"},
		{"every pattern", "javascript", "(number) @x (array) @y (number) @z", "[1]", "y=[1]; x=1; z=1"},
		{"first", "javascript", "(array . (number) @n)", "[1, 2]; ['a', 3]", "n=1"},
		{"last", "javascript", "(array (number) @n .)", "[1, 2,]; [3, 'a']", "n=2"},
		{"neighbours", "javascript", "(array (number) @a . (number) @b)", "[1, 2, 3, 'a', 4]", "a=1 b=2; a=2 b=3"},
		{"a comment between", "javascript", "(array (number) @a . (number) @b)", "[1, /* c */ 2]", ""},
		{"a comment before", "javascript", "(array . (number) @a)", "[/* c */ 1]", ""},
		{"a comment after", "javascript", "(array (number) @a .)", "[1 /* c */]", ""},
		{"after a token", "javascript", `(array . "[" . (_) @n)`, "[1, 2]", "n=1"},
		{"a token after tokens", "javascript", `(array . (number) . "]" @end)`, "[1,,]; [1, 2]", "end=]"},
		{"any node", "javascript", "(array _ @n)", "[1]", "n=[; n=1; n=]"},
		{"any named node", "javascript", "(array (_) @n)", "[1]", "n=1"},
		{"no error", "javascript", "(array (_) @n)", "[1 ) ]", "n=1"},
		{"not captured", "javascript", "(array (number) (string) @s)", "[1, 2, 'a', 'b']", "s='a'; s='b'"},
		{"optional", "go", "(import_spec name: (_)? @alias path: (_) @path)", "package a\nimport (\n\"b\"\nc \"d\"\n)", `path="b"; alias=c path="d"`},
		{"optional at the end", "go", "(function_declaration name: (_) @n body: (block)? @b)", "package a\nfunc f()\nfunc g() {}", "n=f; n=g b={}"},
		{"optional after a choice", "javascript", "(array (string)? @s (number) @n)", "[1, 'a', 2]", "s='a' n=2; n=1"},
		{"optional within", "javascript", "(array (array (number)? @n) @a)", "[[], [1]]", "a=[]; a=[1] n=1"},
		{"many", "javascript", "(program . (comment)* . (expression_statement (string)) @s)", "//a\n//b\n'c'\n'd'", "s='c'"},
		{"none of many", "javascript", "(program . (comment)* . (expression_statement (string)) @s)", "'c'\n'd'", "s='c'"},
		{"not only many", "javascript", "(program . (comment)* . (expression_statement (string)) @s)", "//a\nf()\n'd'", ""},
		{"longest", "javascript", "(program (comment)+ @c)", "//a\n//b\nf()", "c=//a c=//b"},
		{"branches", "javascript", "(array [(number) @n (string) @s] @x)", "[1, 'a']", "n=1 x=1; s='a' x='a'"},
		{"branches with fields", "javascript", "(binary_expression [left: (identifier) @l right: (identifier) @r])", "a + b", "l=a; r=b"},
		{"a field of branches", "javascript", "(pair value: [(number) (string)] @v)", "x = {a: 1, 'b': 'c', 2: d}", "v=1; v='c'"},
		{"optional branches", "kotlin", "(import_header (identifier) @path [(import_alias (type_identifier) @alias) (wildcard_import) @all]?)",
			"import a.b\nimport a.c as d\nimport a.e.*\n", "path=a.b; path=a.c alias=d; path=a.e all=*"},
		{"no such field", "go", "(field_declaration !name type: (_) @t)", "package a\ntype t struct {\nb\nc d\n}", "t=b"},
		{"kinds with several numbers", "javascript", "(pair key: (property_identifier) @k)", "x = {a: 1, get: 2}", "k=a; k=get"},
	}
	c := newComparison(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := c.language(t, tt.language).grammar
			own, err := query.Compile(tt.query, g)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := g.Language()
			if err != nil {
				t.Fatal(err)
			}
			library, err := sitter.NewQuery([]byte(tt.query), whole)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := c.parser.Tree(g, []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			show := func(name string, begin, end int) string { return name + "=" + tt.src[begin:end] }
			var got, cursor []string
			c.tree = glr.Copy(c.tree, tree.RootNode())
			c.match(own, func(_ uint16, captures string) { got = append(got, captures) }, show)
			c.exec(library, tree, func(_ uint16, captures string) { cursor = append(cursor, captures) }, show)
			if s := strings.Join(got, "; "); s != tt.want {
				t.Errorf("got  %s\nwant %s\n%s", s, tt.want, tree.RootNode())
			}
			slices.Sort(got)
			slices.Sort(cursor)
			if d := cmp.Diff(cursor, got); d != "" {
				t.Errorf("-cursor +got:\n%s", d)
			}
		})
	}
}

// A pattern that repeats a node may do so as often as the text does, and one that
// has many matches at one node must not compare each with each.
func TestManyMatches(t *testing.T) {
	const n = 50_000
	c := newComparison(t)
	for _, tt := range []struct {
		query, src string
		want       int
	}{
		{"(program . (comment)* . (expression_statement) @s)", strings.Repeat("//\n", n) + "f()", 1},
		{"(program (variable_declaration (variable_declarator name: (_) @n value: (_)? @v)))", strings.Repeat("var a\nvar b = 1\n", n/2), n},
	} {
		g := c.language(t, "javascript").grammar
		q, err := query.Compile(tt.query, g)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := c.parser.Tree(g, []byte(tt.src))
		if err != nil {
			t.Fatal(err)
		}
		c.tree = glr.Copy(c.tree, tree.RootNode())
		tree.Close()
		got := 0
		c.match(q, func(uint16, string) { got++ }, func(string, int, int) string { return "" })
		if got != tt.want {
			t.Errorf("%s: %d matches, want %d", tt.query, got, tt.want)
		}
	}
}
