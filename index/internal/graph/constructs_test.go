package graph_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/construct"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "write the table of constructs into docs/graph.md")

// The columns of the table: the archive of a language and its heading.
var columns = []struct{ archive, heading string }{
	{"go", "Go"}, {"python", "Py"}, {"typescript", "TS"}, {"javascript", "JS"}, {"java", "Java"}, {"kotlin", "Kt"},
	{"rust", "Rust"}, {"c", "C"}, {"cpp", "C++"}, {"csharp", "C#"}, {"php", "PHP"}, {"ruby", "Ruby"}, {"elixir", "Ex"},
	{"scala", "Scala"}, {"swift", "Swift"}, {"lua", "Lua"}, {"bash", "Bash"},
}

// The rows of the table, by the folders of their cases in the archives, with what the page
// says of them where the name is not enough.
var constructs = []struct{ name, says string }{
	{"direct call", ""},
	{"import", "a function of another file or module"},
	{"renamed import", "`import f as g`"},
	{"re-export", "through a module that passes the name on"},
	{"typed receiver", "a method where the type is declared or follows from `new`"},
	{"chained call", "a method of what a call gives"},
	{"field receiver", "a method of what a field holds"},
	{"inherited method", ""},
	{"known override", "through a base or an interface; what arrives is in sight"},
	{"unknown override", "through a base or an interface; what arrives is not"},
	{"base call", "`super`, `base`, an embedded type"},
	{"static method", ""},
	{"constructor", ""},
	{"inherited constructor", ""},
	{"overload", "by the types of the arguments"},
	{"function variable", ""},
	{"callback", "a parameter that is called"},
	{"library callback", "a function that is handed to the library"},
	{"library result", "a method of what the library gives back"},
	{"bound method", "a method as a value"},
	{"closure from a factory", ""},
	{"decorator", "or a function that wraps another"},
	{"container", "functions in a list or a map"},
	{"function field", "in an object, a struct or a table"},
	{"default argument", "that is a function"},
	{"property", "a read that runs a getter"},
	{"operator", ""},
	{"iteration", "a loop that calls the iterator"},
	{"scope exit", "`with`, `defer`, destructors"},
	{"generic", "a function or type with type parameters"},
	{"extension", "extension methods, traits, mixins"},
	{"async", ""},
	{"generator", "what is called while it runs"},
	{"macro", ""},
	{"assigned later", "`x.f = g`, a prototype"},
	{"reopened class", "or one in several parts"},
	{"narrowing", "`isinstance`, a type switch, a pattern"},
	{"name in a string", "`getattr`, `send` with a constant"},
	{"name in a text", "of a configuration, a directive, a template, for a framework"},
	{"computed name", "put together of a text and something else"},
	{"base constructor", "of a base, a field or an element, that no call names"},
	{"initializer", "of a field, a class or a file"},
	{"conversion", "to the type that is wanted"},
	{"text", "a value in a string, or printed"},
	{"comparison", "by a sort, as the key of a map"},
	{"setter", "a write that runs a method"},
	{"index", "`x[i]`"},
	{"call operator", "an object that is called"},
	{"destructuring", "a pattern that runs a method"},
	{"iterator", "what a loop calls of it, or the library of what it goes through"},
	{"static of a type parameter", ""},
	{"comprehension", "`for` or `from` that calls `map` and others"},
	{"awaiting", "what `await` calls of an object"},
	{"delegation", "to a field or another object, by a declaration"},
	{"missing member", "`__getattr__`, `method_missing`"},
	{"literal", "tagged templates, literals and builders that call functions"},
	{"hook", "what runs when a class is made, a file is loaded, an object is read"},
	{"handed out", "an object whose methods something outside of the index calls"},
	{"unknown receiver", "a method as a value, handed to what is not known"},
}

// A verdict is what a case shows, and all that begins in its caller.
type verdict struct {
	cell  string
	found []string
}

// judged builds the graph of a case and looks at what its caller calls.
func judged(t *testing.T, p *syntax.Parser, c *construct.Case) verdict {
	t.Helper()
	g := graph.New()
	for _, f := range c.Files {
		put(g, p, f.Name, f.Data)
	}
	g.Resolve()
	var declared []string
	targets := map[edge.ID]bool{}
	names := map[string]bool{"decoy": true, "target": true}
	for _, f := range c.Files {
		for _, ids := range g.NamedIn(f.Name) {
			for _, id := range ids {
				n := g.Node(id)
				declared = append(declared, label(g, id))
				if c.Called(n) {
					targets[id] = true
					names[strings.ToLower(construct.Last(n.Name))] = true
				}
			}
		}
	}
	inCaller := func(id edge.ID) bool {
		for id != 0 {
			n := g.Node(id)
			if c.Calls(n) {
				return true
			}
			id = n.Outer
		}
		return false
	}
	var v verdict
	var followed, possible, wrong bool
	g.Each(func(e edge.Edge) bool {
		if !inCaller(e.From) {
			return true
		}
		to := g.Node(e.To)
		v.found = append(v.found, fmt.Sprintf("%s %s (%s, %s)", e.Kind, label(g, e.To), e.Confidence, e.Rule))
		switch sure := e.Confidence < edge.Possible; {
		case e.Kind != edge.Calls:
		case c.Called(to):
			targets[e.To] = true
			followed = followed || sure
			possible = true
		case sure && names[strings.ToLower(construct.Last(to.Name))] && !construct.Among(to, c.Or):
			wrong = true
		}
		return true
	})
	g.EachSite(func(s edge.Site) bool {
		if !inCaller(s.From) {
			return true
		}
		v.found = append(v.found, fmt.Sprintf("site %s (%s)", s.Name, s.Reason))
		open := s.Reason != edge.External
		possible = possible || open && (s.Reason.OfValue() || names[strings.ToLower(construct.Last(s.Name))])
		return true
	})
	if want := max(1, len(c.To)) - len(c.Absent); len(targets) != want {
		t.Errorf("%d targets, want %d, among %q", len(targets), want, declared)
	}
	switch {
	case wrong:
		v.cell = "wrong"
	case followed:
		v.cell = "yes"
	case possible:
		v.cell = "possible"
	default:
		v.cell = "no"
	}
	return v
}

// worse reports whether a cell says less than another one; of several cases of a cell the
// worst counts.
func worse(cell, than string) bool {
	order := []string{"", "yes", "possible", "no", "wrong"}
	return slices.Index(order, cell) > slices.Index(order, than)
}

// TestConstructs compares the table of docs/graph.md with what the cases show.
func TestConstructs(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	cells := map[[2]string]string{}
	for _, column := range columns {
		t.Run(column.archive, func(t *testing.T) {
			cases, err := construct.Read(filepath.Join("testdata/constructs", column.archive+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				row := c.Row()
				if !slices.ContainsFunc(constructs, func(r struct{ name, says string }) bool { return r.name == row }) {
					t.Errorf("the table has no row %q", row)
				}
				t.Run(c.Name, func(t *testing.T) {
					v := judged(t, p, c)
					if at := [2]string{row, column.archive}; worse(v.cell, cells[at]) {
						cells[at] = v.cell
					}
					if v.cell != "yes" {
						t.Logf("%s:\n\t%s", v.cell, strings.Join(v.found, "\n\t"))
					}
				})
			}
		})
	}
	if t.Failed() {
		return
	}
	compareTable(t, "../../../docs/graph.md", tableOf(cells))
}

// tableOf writes the table.
func tableOf(cells map[[2]string]string) string {
	var b strings.Builder
	b.WriteString("| construct |")
	for _, column := range columns {
		b.WriteString(" " + column.heading + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, row := range constructs {
		b.WriteString("| " + row.name)
		if row.says != "" {
			b.WriteString(": " + row.says)
		}
		b.WriteString(" |")
		for _, column := range columns {
			cell := cells[[2]string{row.name, column.archive}]
			if cell == "" {
				cell = "–"
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// compareTable compares a table with that of a page, or writes it there.
func compareTable(t *testing.T, page, table string) {
	t.Helper()
	const begin, end = "<!-- constructs: begin -->\n", "<!-- constructs: end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no place for the table", page)
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != table:
		t.Errorf("%s differs from the cases; with -update it is written:\n%s\nwant\n%s", page, old, table)
	}
}
