package architecture

import (
	"cmp"
	"fmt"
	"slices"
)

// Where a module lies.
const (
	Entry  = "entry"  // no module depends on it, and it depends on some
	Middle = "middle" // it depends on modules, and modules depend on it
	Leaf   = "leaf"   // it depends on no module, and some depend on it
	Alone  = "alone"  // neither
)

// maxNamed is how many modules a layer names.
const maxNamed = 50

// A Layer is the modules from which the longest way over dependencies to one that depends on nothing has
// so many steps. All modules of a cycle are in one layer.
type Layer struct {
	Rank    int      `json:"rank"` // 0: they depend on nothing
	Count   int      `json:"count"`
	Entry   int      `json:"entry"`             // how many of these no module depends on
	Modules []string `json:"modules"`           // by name, at most 50
	Omitted int      `json:"omitted,omitempty"` // modules after them
}

// layers lists them, those first that depend on the most.
func (s *system) layers() []Layer {
	most := -1
	for _, r := range s.rank {
		most = max(most, r)
	}
	all := make([]Layer, most+1)
	for i := range all {
		all[i] = Layer{Rank: most - i, Modules: []string{}}
	}
	for n, name := range s.names {
		l := &all[most-s.rank[s.part[n]]]
		if l.Count++; len(l.Modules) < maxNamed {
			l.Modules = append(l.Modules, name)
		} else {
			l.Omitted++
		}
		if s.position(int32(n)) == Entry {
			l.Entry++
		}
	}
	return all
}

// positions say where the modules of each part lie. What a cycle does inside does not count.
func (s *system) positions() []string {
	in, out := make([]bool, len(s.parts)), make([]bool, len(s.parts))
	for from, row := range s.edges {
		for _, e := range row {
			if a, b := s.part[from], s.part[e.to]; e.depends > 0 && a != b {
				out[a], in[b] = true, true
			}
		}
	}
	all := make([]string, len(s.parts))
	for i := range all {
		switch {
		case in[i] && out[i]:
			all[i] = Middle
		case in[i]:
			all[i] = Leaf
		case out[i]:
			all[i] = Entry
		default:
			all[i] = Alone
		}
	}
	return all
}

// position says where a module lies.
func (s *system) position(n int32) string { return s.lie[s.part[n]] }

// A Module is a file, a folder or a package with what it consists of and how it is coupled.
type Module struct {
	Name        string  `json:"name"`
	Lang        string  `json:"lang"` // of most of its files; java and kotlin are jvm
	Files       int     `json:"files"`
	Lines       int     `json:"lines"` // of each file up to the last one that is not blank
	Symbols     int     `json:"symbols"`
	Functions   int     `json:"functions"`
	Layer       string  `json:"layer"`       // entry, middle, leaf or alone
	Rank        int     `json:"rank"`        // see Layer
	Afferent    int     `json:"afferent"`    // modules that depend on it
	Efferent    int     `json:"efferent"`    // modules that it depends on
	Instability float64 `json:"instability"` // efferent / (afferent + efferent), rounded to hundredths; 0 where it is alone (R. Martin, "OO Design Quality Metrics", 1994)
	CallsIn     int     `json:"calls_in"`    // from other modules, as far as one definition is known for certain
	CallsOut    int     `json:"calls_out"`
	Cyclic      bool    `json:"cyclic,omitempty"` // it is part of a cycle
}

// modules lists them by name.
func (s *system) modules() []Module {
	all := make([]Module, len(s.names))
	langs := make([]map[string]int, len(s.names))
	for i, name := range s.names {
		langs[i] = map[string]int{}
		m := &all[i]
		part := s.part[i]
		*m = Module{Name: name, Layer: s.position(int32(i)), Rank: s.rank[part], Cyclic: len(s.parts[part]) > 1}
		m.Efferent, m.CallsOut = degree(s.edges[i])
		m.Afferent, m.CallsIn = degree(s.back[i])
		if sum := m.Afferent + m.Efferent; sum > 0 {
			m.Instability = float64((100*m.Efferent+sum/2)/sum) / 100
		}
	}
	for _, i := range s.files {
		f := &s.program.files[i]
		m := &all[s.of[i]]
		m.Files++
		m.Lines += f.lines
		m.Symbols += f.symbols
		m.Functions += f.functions
		lang := langs[s.of[i]]
		if lang[f.lang]++; lang[f.lang] > lang[m.Lang] {
			m.Lang = f.lang
		}
	}
	return all
}

// degree counts the dependencies and the calls of edges.
func degree(list []*edge) (depends, calls int) {
	for _, e := range list {
		calls += e.count[callings]
		if e.depends > 0 {
			depends++
		}
	}
	return depends, calls
}

// A Cell is what one module does with another.
type Cell struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Imports     int    `json:"imports"`
	TypeImports int    `json:"type_imports"`
	Types       int    `json:"types"`
	Calls       int    `json:"calls"`
	Weight      int    `json:"weight"`           // how many of these make a dependency; 0: it is none
	Cyclic      bool   `json:"cyclic,omitempty"` // both are of one cycle
	Test        bool   `json:"test,omitempty"`   // it is a dependency by test code alone
	File        string `json:"file"`             // of the first that makes a dependency, or else of all
	Line        int    `json:"line"`
}

func (s *system) cell(e *edge) Cell {
	return Cell{
		From: s.names[e.from], To: s.names[e.to], Imports: e.count[imports], TypeImports: e.count[typeImports], Types: e.count[types], Calls: e.count[callings],
		Weight: e.depends, Cyclic: e.depends > 0 && s.part[e.from] == s.part[e.to], Test: e.depends > 0 && e.plain == 0,
		File: s.program.files[e.first.from].path, Line: e.first.line,
	}
}

// byEnds orders cells by what they lead from, and to.
func byEnds(a, b Cell) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) }

// matrix lists what is not zero in it, by rows.
func (s *system) matrix() []Cell {
	all := []Cell{}
	for _, row := range s.edges {
		for _, e := range row {
			all = append(all, s.cell(e))
		}
	}
	return all
}

// A Hub is a module that much goes through.
type Hub struct {
	Name   string `json:"name"`
	FanIn  int    `json:"fan_in"`  // modules that depend on it
	FanOut int    `json:"fan_out"` // modules that it depends on
	Score  int    `json:"score"`   // fan_in * fan_out: ways of two steps through it
}

// hubs lists the modules through which something goes, those first through which the most does.
func (s *system) hubs() []Hub {
	all := []Hub{}
	for i, name := range s.names {
		in, _ := degree(s.back[i])
		out, _ := degree(s.edges[i])
		if in > 0 && out > 0 {
			all = append(all, Hub{name, in, out, in * out})
		}
	}
	slices.SortStableFunc(all, func(a, b Hub) int { return b.Score - a.Score })
	return all
}

// What a god file has at least of two of: and more than the others, see godFiles.
const (
	manyLines   = 500
	manySymbols = 50
	manyFiles   = 20
)

// A GodFile is a file that is out of proportion.
type GodFile struct {
	File    string   `json:"file"`
	Lines   int      `json:"lines"`
	Symbols int      `json:"symbols"`
	FanIn   int      `json:"fan_in"`  // files with imports, types or calls of it
	FanOut  int      `json:"fan_out"` // files that it has imports, types or calls of
	Because []string `json:"because"` // two at least of lines, symbols and fan
}

// godFiles lists the files of which two of lines, symbols and fan_in + fan_out are larger than the third
// quartile of all files by three times the distance between the quartiles (a far outlier of J. Tukey,
// "Exploratory Data Analysis", 1977), and 500, 50 or 20 at least. The longest come first.
func (s *system) godFiles() []GodFile {
	fanIn, fanOut := make([]int, len(s.program.files)), make([]int, len(s.program.files))
	last := [2]int32{-1, -1}
	for i := range s.program.links {
		l := &s.program.links[i]
		if at := [2]int32{l.from, l.to}; at != last && int(l.to) < len(s.of) && s.of[l.from] >= 0 && s.of[l.to] >= 0 {
			fanOut[l.from]++
			fanIn[l.to]++
			last = at
		}
	}
	var lines, symbols, fan []int
	for _, i := range s.files {
		f := &s.program.files[i]
		lines, symbols, fan = append(lines, f.lines), append(symbols, f.symbols), append(fan, fanIn[i]+fanOut[i])
	}
	manyLines, manySymbols, manyFiles := max(manyLines, fence(lines)), max(manySymbols, fence(symbols)), max(manyFiles, fence(fan))
	all := []GodFile{}
	for _, i := range s.files {
		f := &s.program.files[i]
		g := GodFile{File: f.path, Lines: f.lines, Symbols: f.symbols, FanIn: fanIn[i], FanOut: fanOut[i]}
		note := func(what string, is, most int) {
			if is >= most {
				g.Because = append(g.Because, fmt.Sprintf("%s: %d, of others less than %d", what, is, most))
			}
		}
		note("lines", g.Lines, manyLines)
		note("symbols", g.Symbols, manySymbols)
		note("fan", g.FanIn+g.FanOut, manyFiles)
		if len(g.Because) > 1 {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b GodFile) int { return b.Lines - a.Lines })
	return all
}

// fence returns what is a far outlier among some numbers.
func fence(list []int) int {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	low, high := list[len(list)/4], list[len(list)*3/4]
	return high + 3*(high-low) + 1
}
