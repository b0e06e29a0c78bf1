package brief

import (
	"cmp"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/summary/code"
)

// Bounds of what a file's summary is made of.
const (
	maxHead        = 8 << 10 // bytes, in which the comment at its head is looked for
	maxMainSymbols = 40
)

// fileLine says in one line what a file is about.
func fileLine(x *store.View, r *store.Record) string {
	from := []*store.Record{r}
	if doc := included(x, r); doc != nil {
		from = append(from, doc)
	}
	return lines(x).Get(keyOf("file", from), func() string {
		return code.FileLine(fileFacts(x, r, nil), 1<<10)
	})
}

// fileFacts returns what is known of a file. called says how many call a symbol; nil:
// that does not count.
func fileFacts(x *store.View, r *store.Record, called map[int32]int) code.FileFacts {
	f := code.FileFacts{Path: r.Path, Lang: r.Lang, Test: r.Traits.Test}
	if isText(r.Lang) {
		textFacts(x, r, &f)
		return f
	}
	f.Head = headComment(x, r)
	f.Exports = exportsOf(x, r)
	m := membersIn(r)
	order, outer := mainSymbols(r, called), outers(r)
	only := wrappers(r, outer)
	f.More = max(len(order)-maxMainSymbols, 0)
	for n, i := range order[:len(order)-f.More] {
		s := &r.Symbols[i]
		facts := factsOf(r, i, m, nil, nil)
		one := code.SymbolFacts{Name: s.Name, Kind: string(s.Kind()), At: int(s.NameLine), Line: code.Line(facts), Head: code.ReadSignature(r.Lang, s.Name, facts.Signature)}
		one.Type = !store.Runs(s.Kind()) && s.Kind() != syntax.Macro
		one.Members = append(append([]string{}, facts.Methods...), facts.Fields...)
		facts.Bare = true
		one.Bare = code.Line(facts)
		if member(r, i, outer) && !(outer[i] >= 0 && only[outer[i]]) {
			one.Name, one.Member = s.Parent[strings.LastIndexByte(s.Parent, '.')+1:]+"."+s.Name, true
		}
		span := m.span(s)
		one.Main = n == 0 && !one.Member && (plainStem(s.Name) == plainStem(stem(r.Path)) && 6*span > r.Lines() || 2*span > r.Lines())
		f.Symbols = append(f.Symbols, one)
	}
	if len(f.Symbols) == 0 {
		for i := range r.Symbols {
			if s := &r.Symbols[i]; s.Parent == "" && len(f.Symbols) < maxMainSymbols {
				f.Symbols = append(f.Symbols, code.SymbolFacts{Name: s.Name, Kind: string(s.Kind())})
			}
		}
		if len(f.Symbols) == 0 {
			f.Text = string(r.Text.Slice(0, maxHead))
		}
	}
	return f
}

// exportsOf returns the names that a file hands on which defines none that matter, as an
// __init__.py may.
func exportsOf(x *store.View, r *store.Record) (names []string) {
	base := path.Base(r.Path)
	if base != "__init__.py" && stem(base) != "index" && stem(base) != "mod" && stem(base) != "lib" {
		return nil
	}
	for i := range r.Symbols {
		if s := &r.Symbols[i]; worth(s) && !strings.HasPrefix(s.Name, "__") {
			return nil
		}
	}
	for _, i := range outline.HeadImports(x, r) {
		name := cmp.Or(i.Alias, i.Name, path.Base(i.Path))
		if name == "*" {
			name = path.Base(i.Path)
		}
		if !strings.HasPrefix(name, "_") && !slices.Contains(names, name) && (r.Lang != "python" || strings.HasPrefix(i.Path, ".")) {
			names = append(names, name)
		}
	}
	return names
}

// isText reports whether a language is one of prose; "": none is known.
func isText(lang string) bool {
	switch lang {
	case "", "markdown", "text", "rst", "asciidoc", "org":
		return true
	}
	return false
}

// plainStem is a name without case and marks, to compare those of files and symbols.
func plainStem(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

// spaces reports whether a kind only holds others.
func spaces(k syntax.Kind) bool { return k == syntax.Namespace || k == syntax.Module }

// mainSymbols returns the symbols of a file that are worth a line, the main ones first:
// by whether others can use them, how often they are called, and their size. Those in
// functions, and in modules of tests, are no part of what the file offers.
func mainSymbols(r *store.Record, called map[int32]int) []int32 {
	type weighed struct {
		at     int32
		weight int
	}
	var all []weighed
	base, outer, lines := plainStem(stem(r.Path)), outers(r), r.Lines()
	only := wrappers(r, outer)
	inside := map[string]int{} // lines of members, by their types
	for i := range r.Symbols {
		if s := &r.Symbols[i]; s.Parent != "" && store.Runs(s.Kind()) {
			inside[s.Parent] += int(s.Last-s.Line) + 1
		}
	}
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if !worth(s) || s.Kind() == syntax.Module && (s.Last-s.Line < 3 || strings.EqualFold(s.Name, "tests")) || only[i] {
			continue
		}
		w := sized(s) + often(called[int32(i)])
		inner := false
		for up := outer[i]; up >= 0; up = outer[up] {
			o := &r.Symbols[up]
			inner = inner || store.Runs(o.Kind()) || o.Kind() == syntax.Module && !r.Traits.Test && (o.Name == "tests" || o.Name == "test")
		}
		if member(r, int32(i), outer) && !(outer[i] >= 0 && only[outer[i]]) {
			w -= 15
		}
		if inner {
			continue
		}
		// A method of a type of Go that others cannot name is no part of what the file offers.
		if s.Exported && !(r.Lang == "go" && s.Parent != "" && !unicode.IsUpper([]rune(s.Parent)[0])) {
			w += 40
		}
		if s.DocTo > s.DocAt {
			w += 5
		}
		if plainStem(s.Name) == base {
			w += 30
		}
		switch {
		case strings.HasPrefix(s.Name, "__") && s.Parent != "" || strings.Contains(strings.ToLower(s.Name), "doctest"):
			w -= 60
		case strings.HasPrefix(s.Name, "_"):
			w -= 20
		case s.Kind() == syntax.Module:
			w -= 10
		case !store.Runs(s.Kind()) && 2*inside[s.Qualified()] > lines:
			w += 50 // the file is about it
		case s.Kind() == syntax.Type: // another name for something
		case !store.Runs(s.Kind()):
			w += 10
		case 2*int(s.Last-s.Line) > lines:
			w += 50 // most of what happens is in it
		case 3*int(s.Last-s.Line) > lines:
			w += 30
		}
		if up := outer[i]; up >= 0 && s.Last-s.Line < 3 && (r.Symbols[up].Kind() == syntax.Interface || r.Symbols[up].Kind() == syntax.Trait) {
			w -= 20 // its type says it
		}
		all = append(all, weighed{int32(i), w})
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	order := make([]int32, 0, len(all))
	named := map[string]bool{} // what has several signatures counts once
	for _, a := range all {
		if s := &r.Symbols[a.at]; store.Runs(s.Kind()) {
			if named[s.Qualified()] {
				continue
			}
			named[s.Qualified()] = true
		}
		order = append(order, a.at)
	}
	return order
}

// sized is what the size of a symbol counts: each of its first lines, and then only how many
// times as many there are.
func sized(s *store.Symbol) int {
	lines := int(s.Last-s.Line) + 1
	return min(lines, 20) + int(8*math.Log2(max(float64(lines)/20, 1)))
}

// often is what it counts how many call a symbol, in the same way.
func often(called int) int {
	return 4*min(called, 10) + int(4*math.Log2(max(float64(called)/10, 1)))
}

// wrappers reports which types and modules have nothing but one other in themselves, as the
// modules and classes around a class of Ruby do.
func wrappers(r *store.Record, outer []int32) []bool {
	count, inner := make([]int, len(r.Symbols)), make([]int32, len(r.Symbols))
	for i, up := range outer {
		if up >= 0 {
			count[up]++
			inner[up] = int32(i)
		}
	}
	only := make([]bool, len(r.Symbols))
	for i := range r.Symbols {
		if count[i] == 1 && !store.Runs(r.Symbols[i].Kind()) {
			in := &r.Symbols[inner[i]]
			only[i] = worth(in) && !store.Runs(in.Kind()) && 10*(in.Last-in.Line) > 6*(r.Symbols[i].Last-r.Symbols[i].Line)
		}
	}
	return only
}

// member reports whether a symbol belongs to a type, not only to a namespace.
func member(r *store.Record, i int32, outer []int32) bool {
	up := outer[i]
	return r.Symbols[i].Parent != "" && (up < 0 || !spaces(r.Symbols[up].Kind()))
}

// outers returns the innermost symbol around each, -1 for none.
func outers(r *store.Record) []int32 {
	out := make([]int32, len(r.Symbols))
	var open []int32
	for i := range r.Symbols {
		for len(open) > 0 && r.Symbols[open[len(open)-1]].End < r.Symbols[i].End {
			open = open[:len(open)-1]
		}
		out[i] = -1
		if len(open) > 0 {
			out[i] = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
	return out
}

// textFacts reads a text: its first heading, and its first paragraph of prose, or that
// which says what the thing of a name is. What stands below a second heading is about
// something narrower: it counts if the heading says that it is not, or if nothing else is
// there; not even then where a folder is to be described, which has more to go by.
func textFacts(x *store.View, r *store.Record, f *code.FileFacts, names ...string) {
	intro, below := paragraphs(r, f)
	for n, p := range append(intro, below...) {
		said := code.Sentence(p)
		if len(strings.Fields(said)) < 4 || n >= len(intro) && f.Head != "" {
			continue
		}
		for _, name := range append(names, f.Title) {
			rest, ok := strings.CutPrefix(strings.ToLower(strings.Trim(said, "*")), strings.ToLower(name))
			if ok && name != "" && begins(strings.TrimSpace(rest), []string{"is ", "are ", "provides ", "helps ", "lets ", "makes ", "allows ", "aims ", "offers ", "implements ", "gives "}) {
				f.Head = p
				headings(r, f)
				return
			}
		}
		if f.Head == "" && (n < len(intro) || len(names) == 0) {
			f.Head = p
		}
	}
	if f.Title == "" && f.Head == "" {
		f.Title = store.FirstLine(string(r.Text.Slice(0, store.MaxSignature)))
	}
	headings(r, f)
}

// general matches headings below which is what a text is about as a whole.
var general = regexp.MustCompile(`(?i)^(?:about|abstract|overview|introduction|description|summary|purpose|what (?:is|are|it|does)\b)`)

// noProse are what the lines of a text begin with that are none of its sentences.
var noProse = []string{"<", "![", "[![", "|", ".. ", ":", "import ", "$ "}

// paragraphs returns those at the beginning of a text, before its second heading and below,
// and notes its title.
func paragraphs(r *store.Record, f *code.FileFacts) (intro, below []string) {
	fenced, narrow := false, false
	var part []string
	flush := func() {
		if len(part) == 0 {
			return
		}
		if narrow {
			below = append(below, strings.Join(part, " "))
		} else {
			intro = append(intro, strings.Join(part, " "))
		}
		part = nil
	}
	for line := range strings.Lines(string(r.Text.Slice(0, maxHead))) {
		line = strings.TrimSpace(line)
		plain := strings.Trim(line, "=-*~#^_ ") // also what underlines
		switch {
		case strings.HasPrefix(line, "```") || line == "---" && len(part) == 0 && (fenced || f.Title == "" && len(intro)+len(below) == 0):
			fenced = !fenced // front matter, too
		case fenced:
			if title, ok := strings.CutPrefix(line, "title:"); ok && f.Title == "" {
				f.Title = strings.Trim(title, " \"'")
			}
		case strings.HasPrefix(line, "#") && (r.Lang == "markdown" || strings.HasPrefix(line, "# ")):
			title := strings.TrimSpace(strings.Trim(line, "#"))
			if flush(); f.Title == "" {
				f.Title = title
			} else {
				narrow = !general.MatchString(title)
			}
		case line == "" || plain == "":
			if plain == "" && line != "" && len(part) == 1 { // underlined
				title := part[0]
				if part = nil; f.Title == "" {
					f.Title = title
				} else {
					narrow = !general.MatchString(title)
				}
			}
			flush()
		case begins(line, noProse) || strings.HasPrefix(line, "- ") && len(part) == 0:
		default:
			part = append(part, line)
		}
	}
	flush()
	return intro, below
}

// headings adds the headings of a text.
func headings(r *store.Record, f *code.FileFacts) {
	for i := range r.Symbols {
		if s := &r.Symbols[i]; s.Kind() == syntax.Heading && len(f.Symbols) < maxMainSymbols {
			f.Symbols = append(f.Symbols, code.SymbolFacts{Name: strings.TrimSpace(strings.TrimLeft(s.Name, "# ")), Kind: string(s.Kind())})
		}
	}
}
