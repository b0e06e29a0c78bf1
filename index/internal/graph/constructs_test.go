package graph_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/graph"
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

// The rows of the table, by the folder of their cases in the archives, with what the page
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
}

// A construct is a case: files in which something calls something. Its caller is a
// function named caller, its target one named target, unless the file want says
// otherwise: "from", "to" and "or" with a name, a path, a colon and a name, or a name, "@"
// and a line. An edge to what follows "or" is right, too. A target that is "absent" is
// one that the graph does not declare.
type construct struct {
	files                []txtar.File
	from, to, or, absent []string
}

// constructsOf reads the archive of a language.
func constructsOf(t *testing.T, language string) map[string]*construct {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/constructs", language+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*construct{}
	for _, f := range txtar.Parse(text).Files {
		name, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			t.Fatalf("%s: %s is in no construct", language, f.Name)
		}
		c := all[name]
		if c == nil {
			c = &construct{}
			all[name] = c
		}
		if file != "want" {
			c.files = append(c.files, txtar.File{Name: file, Data: f.Data})
			continue
		}
		for line := range bytes.Lines(f.Data) {
			word, label, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			switch word {
			case "from":
				c.from = append(c.from, label)
			case "to":
				c.to = append(c.to, label)
			case "or":
				c.or = append(c.or, label)
			case "absent":
				c.absent = append(c.absent, label)
			default:
				t.Fatalf("%s: %s: what is %q?", language, f.Name, line)
			}
		}
	}
	return all
}

// last is the last part of a node's name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// among reports whether a node is one of those that labels name.
func among(n edge.Node, labels []string) bool {
	return slices.Contains(labels, n.Name) || slices.Contains(labels, n.Path+":"+n.Name) ||
		slices.Contains(labels, fmt.Sprintf("%s@%d", n.Name, n.Pos.Line()))
}

// A verdict is what a case shows, and all that begins in its caller.
type verdict struct {
	cell  string
	found []string
}

// judged builds the graph of a case and looks at what its caller calls.
func judged(t *testing.T, p *syntax.Parser, c *construct) verdict {
	t.Helper()
	g := graph.New()
	for _, f := range c.files {
		put(g, p, f.Name, f.Data)
	}
	g.Resolve()
	isCaller := func(n edge.Node) bool {
		if len(c.from) > 0 {
			return among(n, c.from)
		}
		return strings.EqualFold(last(n.Name), "caller")
	}
	isTarget := func(n edge.Node) bool {
		if len(c.to)+len(c.absent) > 0 {
			return among(n, c.to) || among(n, c.absent)
		}
		return strings.EqualFold(last(n.Name), "target")
	}
	var declared []string
	targets := map[edge.ID]bool{}
	names := map[string]bool{"decoy": true, "target": true}
	for _, f := range c.files {
		for _, ids := range g.NamedIn(f.Name) {
			for _, id := range ids {
				n := g.Node(id)
				declared = append(declared, label(g, id))
				if isTarget(n) {
					targets[id] = true
					names[strings.ToLower(last(n.Name))] = true
				}
			}
		}
	}
	inCaller := func(id edge.ID) bool {
		for id != 0 {
			n := g.Node(id)
			if isCaller(n) {
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
		case isTarget(to):
			targets[e.To] = true
			followed = followed || sure
			possible = true
		case sure && names[strings.ToLower(last(to.Name))] && !among(to, c.or):
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
		possible = possible || open && (s.Reason.OfValue() || names[strings.ToLower(last(s.Name))])
		return true
	})
	if want := max(1, len(c.to)) - len(c.absent); len(targets) != want {
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

// TestConstructs compares the table of docs/graph.md with what the cases show.
func TestConstructs(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	cells := map[[2]string]string{}
	for _, column := range columns {
		t.Run(column.archive, func(t *testing.T) {
			all := constructsOf(t, column.archive)
			for _, row := range constructs {
				c := all[row.name]
				if c == nil {
					continue
				}
				delete(all, row.name)
				t.Run(row.name, func(t *testing.T) {
					v := judged(t, p, c)
					cells[[2]string{row.name, column.archive}] = v.cell
					if v.cell != "yes" {
						t.Logf("%s:\n\t%s", v.cell, strings.Join(v.found, "\n\t"))
					}
				})
			}
			for name := range all {
				t.Errorf("the table has no row %q", name)
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
