package callgraph

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A node is a function of GCC's call graph.
type node struct {
	name string // the last part of its name, without arguments
	at   place  // without a column; no path: outside of the project
	made bool   // by the compiler
}

// units are the call graphs of several sources.
type units struct {
	dir    string
	failed []string        // sources that do not compile
	nodes  map[symbol]node // the functions of each source
	linked map[string]node // those that other sources see, too, of the last that has them
	calls  []gccCall
	lines  map[string][]string // of the files, from the root
}

// A symbol is a function as one source speaks of it.
type symbol struct {
	unit  int
	title string
}

// A gccCall is an edge of GCC's call graph.
type gccCall struct {
	from, to symbol
	at       place // where GCC says that it stands
}

// newUnits returns the call graphs of the sources of a project, of which none is read.
func newUnits(dir string) *units {
	return &units{dir: dir, nodes: map[symbol]node{}, linked: map[string]node{}, lines: map[string][]string{}}
}

// indirect is the title of what a call of a value calls.
const indirect = "__indirect_call"

var (
	nodeLine = regexp.MustCompile(`^node: \{ title: "([^"]*)" label: "((?:[^"\\]|\\.)*)"(.*)\}`)
	edgeLine = regexp.MustCompile(`^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"(?: label: "([^"]*)")?`)
	// Constructors and destructors have two or three symbols, for the object as a whole and
	// as a base; an edge may name the one that has no node.
	structor = regexp.MustCompile(`([CD])[0-4](E|I)`)
)

// read reads the graph of one source, in the format of VCG as GCC writes it. Titles of
// what the source keeps to itself begin with its name.
func (u *units) read(unit int, r io.Reader) error {
	title := func(s string) symbol {
		i := 1 + strings.LastIndexByte(s, ':')
		return symbol{unit, s[:i] + structor.ReplaceAllString(s[i:], "${1}2$2")}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		if m := nodeLine.FindStringSubmatch(lines.Text()); m != nil && !strings.Contains(m[3], "ellipse") {
			label, spot, _ := strings.Cut(m[2], `\n`)
			n := node{name: functionName(label), at: u.place(spot)}
			n.at.column = 0
			n.made = u.generated(n)
			t := title(m[1])
			u.nodes[t] = n
			if !strings.Contains(t.title, ":") {
				u.linked[t.title] = n
			}
		} else if m := edgeLine.FindStringSubmatch(lines.Text()); m != nil {
			u.calls = append(u.calls, gccCall{title(m[1]), title(m[2]), u.place(m[3])})
		}
	}
	return lines.Err()
}

// functionName is the last part of the name in a signature.
func functionName(label string) string {
	label, _, _ = strings.Cut(label, " [with ")
	if i := strings.Index(label, "::<lambda"); i >= 0 {
		return "<lambda"
	}
	if i := strings.Index(label, "operator"); i >= 0 {
		name := label[i:]
		end := len("operator")
		if strings.HasPrefix(name, "operator()") {
			end += 2
		}
		if p := strings.IndexByte(name[end:], '('); p >= 0 {
			name = name[:end+p]
		}
		return name
	}
	depth, start := 0, 0
	for i := 0; i < len(label); i++ { // the name ends at the first parenthesis outside of <>
		switch label[i] {
		case '<':
			depth++
		case '>':
			depth--
		case ' ', ':', '*', '&':
			if depth == 0 {
				start = i + 1
			}
		case '(':
			if depth == 0 {
				name, _, _ := strings.Cut(label[start:i], "<")
				return name
			}
		}
	}
	name, _, _ := strings.Cut(label[start:], "<")
	return name
}

// place reads FILE:LINE:COLUMN; it has no path outside of the project.
func (u *units) place(s string) place {
	parts := strings.Split(s, ":")
	if len(parts) < 3 {
		return place{}
	}
	line, _ := strconv.Atoi(parts[len(parts)-2])
	column, _ := strconv.Atoi(parts[len(parts)-1])
	file := strings.Join(parts[:len(parts)-2], ":")
	if !filepath.IsAbs(file) {
		file = filepath.Join(u.dir, file)
	}
	rel, err := filepath.Rel(u.dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return place{}
	}
	return place{filepath.ToSlash(rel), line, column}
}

// text is a line of a file of the project.
func (u *units) text(at place) string {
	lines, ok := u.lines[at.path]
	if !ok {
		src, _ := os.ReadFile(filepath.Join(u.dir, filepath.FromSlash(at.path)))
		lines = strings.Split(string(src), "\n")
		u.lines[at.path] = lines
	}
	if at.line < 1 || at.line > len(lines) {
		return ""
	}
	return lines[at.line-1]
}

var (
	defineLine = regexp.MustCompile(`^\s*#\s*define\b`)
	typeHead   = regexp.MustCompile(`\b(class|struct|union)\b`)
	defaulted  = regexp.MustCompile(`=\s*default\b`)
)

// generated reports whether the compiler has made a function: it stands where its class
// begins, or is defaulted.
func (u *units) generated(n node) bool {
	text := u.text(n.at)
	return n.at.path != "" && (defaulted.MatchString(text) || typeHead.MatchString(text) && !strings.Contains(text, n.name+"("))
}

// around returns the function of a file that a literal at a place is written in: the last
// that begins before it.
func (u *units) around(at place) (place, bool) {
	best := place{}
	for _, n := range u.nodes {
		if n.at.path == at.path && n.at.line <= at.line && n.at.line > best.line && n.name != "<lambda" {
			best = n.at
		}
	}
	return best, best.path != ""
}

// home is where a function stands, of a literal the one around it.
func (u *units) home(s symbol) (n node, ok bool) {
	if n, ok = u.nodes[s]; !ok {
		n, ok = u.linked[s.title]
	}
	if !ok || n.at.path == "" {
		return n, false
	}
	if n.name == "<lambda" {
		n.at, ok = u.around(n.at)
	}
	return n, ok
}

// written reports whether the text near a call names what is called.
func (u *units) writes(at place, name string) bool {
	if strings.HasPrefix(name, "operator") {
		return len(name) <= len("operator[]=") // a conversion has the name of a type
	}
	if strings.HasPrefix(name, "~") {
		return strings.Contains(u.text(at), name)
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for n := -2; n <= 6; n++ {
		if word.MatchString(u.text(place{at.path, at.line + n, 0})) {
			return true
		}
	}
	return false
}

// truth puts the graphs together.
func (u *units) truth() truth {
	t := truth{
		sites: map[place]kind{}, edges: map[edge]bool{}, files: map[string]bool{}, right: map[edge]bool{},
		implicit: map[edge]bool{}, functions: map[place]string{}, written: map[edge]place{},
	}
	known := map[place]bool{}
	for title := range u.nodes {
		n, ok := u.home(title)
		if !ok {
			continue
		}
		t.files[n.at.path] = true
		t.sites[n.at] = direct
		known[n.at] = true
		if n.name != "<lambda" && !n.made && !strings.HasPrefix(n.name, "_GLOBAL__") && !strings.HasPrefix(n.name, "__static_init") {
			t.functions[n.at] = n.name
		}
	}
	values := map[place]bool{} // lines with calls of values
	for _, c := range u.calls {
		from, ok := u.home(c.from)
		if c.to.title == indirect {
			values[place{c.at.path, c.at.line, 0}] = true
			t.unreached++
			continue
		}
		to, inside := u.home(c.to)
		if !ok || !inside || to.name == "<lambda" {
			continue
		}
		e := edge{from.at, to.at}
		if from.at == to.at && (from.made || strings.HasPrefix(to.name, "~")) {
			continue // the variants of one destructor
		}
		if from.made || to.made || !t.macroAt(u, c.at) && !u.writes(c.at, to.name) {
			t.implicit[e] = true
			t.right[e] = true
		} else {
			t.edges[e] = true
		}
		if at, ok := t.written[e]; !ok || c.at.compare(at) < 0 {
			t.written[e] = c.at
		}
	}
	for e := range t.edges {
		delete(t.implicit, e)
	}
	t.fold = func(given []found) []found { return u.fold(given, known, values, t.edges) }
	return t
}

// upper is a name as macros have it.
var upper = regexp.MustCompile(`\b[a-z]*[A-Z_][A-Z0-9_]+\b|\b[a-z0-9_]+\(`)

// macroAt reports whether a call may come from a macro: the text does not say what it calls.
func (t *truth) macroAt(u *units, at place) bool {
	return strings.HasSuffix(at.path, ".c") || strings.HasSuffix(at.path, ".h") && upper.MatchString(u.text(at))
}

// fold puts Quarry's edges into the form of GCC's: from function to function, through the
// macros between them. values are the lines on which a value is called. A function that
// leads to itself is one that calls a literal in it, unless GCC has the edge, too.
func (u *units) fold(given []found, known, values map[place]bool, wanted map[edge]bool) (out []found) {
	macro := func(p place) bool { return defineLine.MatchString(u.text(p)) }
	calls := map[place][]place{} // of macros
	for _, f := range given {
		if macro(f.from) {
			calls[f.from] = append(calls[f.from], f.callee)
		}
	}
	var follow func(from, at, to place, through bool, seen map[place]bool)
	follow = func(from, at, to place, through bool, seen map[place]bool) {
		if macro(to) {
			if !seen[to] {
				seen[to] = true
				for _, next := range calls[to] {
					follow(from, at, next, true, seen)
				}
			}
			return
		}
		e := edge{from, to}
		if !known[to] || !known[from] || (from == to || values[at]) && !wanted[e] {
			return
		}
		out = append(out, found{edge: e, from: from, own: from == to, macro: through})
	}
	for _, f := range given {
		if !macro(f.from) {
			follow(f.from, place{f.site.path, f.site.line, 0}, f.callee, false, map[place]bool{})
		}
	}
	return out
}
