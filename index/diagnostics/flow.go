package diagnostics

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// stores are the languages whose dead stores are looked for, with what a function may read its
// variables by without naming them.
var stores = map[string]*regexp.Regexp{
	"c":          regexp.MustCompile(`(?m)^\s*#\s*(if|el)`),
	"csharp":     nil,
	"go":         nil,
	"java":       nil,
	"javascript": hiddenInJavaScript,
	"php":        regexp.MustCompile(`\$\$|\$\{|&\s*\$|(?i)\b(compact|extract|eval|get_defined_vars|func_get_args?|parse_str|global|static)\b|\b(include|require)(_once)?\b`),
	"python":     regexp.MustCompile(`\b(locals|vars|eval|exec|dir|globals)\s*\(|\b_getframe\b|\bcurrentframe\b`),
	"ruby":       regexp.MustCompile(`\b(super|binding|eval|instance_eval|local_variables?|local_variable_get)\b`),
	"tsx":        hiddenInJavaScript,
	"typescript": hiddenInJavaScript,
}

var hiddenInJavaScript = regexp.MustCompile(`\beval\s*\(|\bwith\s*\(|\barguments\b`)

// flows looks at the functions of a file.
func (l *look) flows(s *text, root *walk.Graph) []Finding {
	hidden, stored := stores[s.record.Lang]
	if l.wants(DeadStore) && !stored {
		l.left[left{noStores, s.record.Lang}]++
	}
	var found []Finding
	for g := range root.All() {
		if len(g.Gaps) > 0 {
			l.left[left{lack: flowGaps}]++
			continue
		}
		if l.wants(Unreachable) && !g.Class {
			found = append(found, s.unreachable(g)...)
		}
		if l.wants(DeadStore) && stored && g != root && !g.Class && (hidden == nil || !hidden.Match(s.src[g.Start:g.End])) {
			stores, known := s.deadStores(g)
			if found = append(found, stores...); !known {
				l.left[left{lack: flowGaps}]++
			}
		}
	}
	return found
}

// unreachable returns the first statement of each run of statements that nothing leads to. What is
// written so on purpose is left out: a jump or a raised error after what does not return, a yield
// that makes a function a generator, and what a constant switches off. So is what an error may lead
// to in a way that the graph does not have: a handler, and in Python what comes after a "with".
func (s *text) unreachable(g *walk.Graph) (found []Finding) {
	shape := control.ShapeOf(g)
	if len(shape.Unreachable) == 0 {
		return nil
	}
	dead := make([]bool, len(g.Steps))
	for _, i := range shape.Unreachable {
		dead[i] = true
	}
	var order []int
	for i := range g.Steps {
		if g.Steps[i].End > g.Steps[i].Start && i > walk.Leave {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(g.Steps[i].Start, g.Steps[j].Start) })
	for k := 0; k < len(order); k++ {
		if !dead[order[k]] {
			continue
		}
		first, off := &g.Steps[order[k]], false
		if k > 0 {
			before := &g.Steps[order[k-1]]
			off = before.Kind == walk.Cond && constant.Match(s.src[before.Start:before.End])
		}
		end := first.End
		for k+1 < len(order) && dead[order[k+1]] {
			k++
			end = max(end, g.Steps[order[k]].End)
		}
		switch first.Kind {
		case walk.Jump, walk.Raise, walk.Catch, walk.Yields:
			continue
		}
		if bytes.HasPrefix(s.src[first.Start:], []byte("=>")) { // it is what a property is
			continue
		}
		if off || s.reached(g, dead, first) || s.afterWith(g, first.Start) {
			continue
		}
		found = append(found, s.finding(Unreachable, Warning, Certain, first.Start, end, "unreachable: nothing leads to %s", excerpt(s.src[first.Start:first.End])))
	}
	return found
}

// reached reports whether a step that some way leads to has the same text: a finally is made for
// each way into it.
func (s *text) reached(g *walk.Graph, dead []bool, step *walk.Step) bool {
	for i := range g.Steps {
		if o := &g.Steps[i]; !dead[i] && i > walk.Leave && o.Start <= step.Start && step.End <= o.End && o.End > o.Start {
			return true
		}
	}
	return false
}

// afterWith reports whether a "with" of a function of Python ends before an offset: it may have caught
// the errors that were raised in it.
func (s *text) afterWith(g *walk.Graph, at int) bool {
	if s.record.Lang != "python" {
		return false
	}
	return slices.ContainsFunc(s.spans(), func(w walk.Span) bool { return g.Start <= w.Start && w.End <= at })
}

// spans are the "with" statements of a file of Python, and the declarations of constants of one of Go.
func (s *text) spans() []walk.Span {
	kind := map[string]string{"go": "const_declaration", "python": "with_statement"}[s.record.Lang]
	if kind == "" || s.marked != nil {
		return s.marked
	}
	s.marked = []walk.Span{}
	for n := syntax.Node(1); int(n) <= s.tree.Len(); n++ {
		if s.tree.Kind(n) == kind {
			s.marked = append(s.marked, walk.Span{Start: s.tree.Start(n), End: s.tree.End(n)})
		}
	}
	return s.marked
}

var (
	constant = regexp.MustCompile(`^(?:[a-z]+\b)*[(!\s]*(?:true|false|True|False|TRUE|FALSE|[01])[)\s]*$`)
	nothing  = regexp.MustCompile(`^\(?(?:None|nil|null|NULL|undefined)\)?$`)
	chained  = regexp.MustCompile(`^[\w.$]+\s*=[^=>]`)
	assigned = regexp.MustCompile(`^(?:\s*:[^=;\n(]{1,80})?((?:\s*,\s*\w+)*)\s*(?::?=|[-+*/%|&^]=|<<=|>>=|\?\?=|\|\|=|&&=|\*\*=|//=)([^=>~][\s\S]*)$`)
	literal  = regexp.MustCompile(`^(?:[\w.]+\(\d+\)|[-+]?[\d.][\w.]*|None|nil|null|NULL|undefined|void 0|true|false|True|False|NaN|"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[\w.]*String\.[Ee]mpty|default(?:\([^)]*\))?|\[\s*\]|\{\s*\}|\(\s*\)|(?:set|dict|list|tuple)\(\)|new \w+(?:<[^>]*>)?(?:\(\)|\[0\])?(?:\s*\{\s*\})?|[\w.\[\]*]+\{\s*\})$`)
	upper    = regexp.MustCompile(`^[A-Z][A-Z\d_]*$`) // a constant, as a first value
	lasts    = regexp.MustCompile(`\b(static|volatile|extern|__thread|_Thread_local|thread_local|__attribute__)\b`)
	defines  = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define\b(?:\\\r?\n|.)*`)
	word     = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
)

// deadStores returns the assignments of local variables whose value reaches no use. known is false
// for a function that is too large.
func (s *text) deadStores(g *walk.Graph) (found []Finding, known bool) {
	if !slices.ContainsFunc(g.Steps, func(p walk.Step) bool {
		return slices.ContainsFunc(p.Access, func(a walk.Access) bool { return a.Kind == walk.Def })
	}) {
		return nil, true
	}
	pairs, known := control.Reach(g)
	if !known {
		return nil, false
	}
	dead := map[int]bool{}
	for _, i := range control.ShapeOf(g).Unreachable {
		dead[i] = true
	}
	read := map[control.Ref]bool{}
	for _, p := range pairs {
		read[p.Def] = true
	}
	var loose map[string]bool
	for i := range g.Steps {
		step := &g.Steps[i]
		for j := range step.Access {
			a := &step.Access[j]
			if read[control.Ref{Step: i, Access: j}] || dead[i] || !s.stores(g, i, a) || s.hiddenUse(g, dead, a) {
				continue
			}
			if loose == nil {
				loose = s.loose(g)
			}
			if name := g.Vars[a.Var].Name; !loose[name] {
				found = append(found, s.finding(DeadStore, Note, Likely, a.Start, a.End, "the value that is assigned to %s is not used", name))
			}
		}
	}
	return found, true
}

// hiddenUse reports whether a variable is read in code that is unreachable, which is what there is to
// be said then, or after a "with" of Python that may end with an error before it writes the variable.
func (s *text) hiddenUse(g *walk.Graph, dead map[int]bool, def *walk.Access) bool {
	last := 0
	var defs []int
	for i := range g.Steps {
		for j := range g.Steps[i].Access {
			a := &g.Steps[i].Access[j]
			switch {
			case a.Var != def.Var:
			case a.Kind == walk.Def:
				defs = append(defs, a.Start)
			case dead[i]:
				return true
			default:
				last = max(last, a.Start)
			}
		}
	}
	return s.record.Lang == "python" && slices.ContainsFunc(s.spans(), func(w walk.Span) bool {
		return g.Start <= w.Start && w.End <= g.End && def.Start < w.End && w.End <= last &&
			slices.ContainsFunc(defs, func(at int) bool { return w.Start <= at && at < w.End })
	})
}

// stores reports whether an access is an assignment that is written for the value of a local
// variable alone.
func (s *text) stores(g *walk.Graph, at int, a *walk.Access) bool {
	step, v := &g.Steps[at], &g.Vars[a.Var]
	switch {
	case a.Kind != walk.Def || a.Path != "" || a.Weak || a.ByCall || a.Inner || step.Kind != walk.Plain || at <= walk.Leave:
		return false
	case v.Free || v.Outer != 0 || v.Captured || strings.HasPrefix(v.Name, "_") || slices.Contains(g.Results, a.Var):
		return false
	case a.Start < step.Start || a.End > step.End || a.Start >= a.End:
		return false
	}
	before := string(s.src[step.Start:a.Start])
	m := assigned.FindSubmatch(s.src[a.End:step.End])
	if m == nil || strings.ContainsAny(before, "=({[?") && s.record.Lang != "java" && s.record.Lang != "csharp" || strings.ContainsAny(before, "=({?") {
		return false
	}
	if s.record.Lang == "python" && bytes.HasPrefix(bytes.TrimLeft(s.src[a.End:step.End], " "), []byte(":=")) {
		return false
	}
	if s.record.Lang == "csharp" && slices.Contains(g.Params, a.Var) { // it may be one of those that give values back
		return false
	}
	if s.record.Lang == "c" && lasts.Match(s.src[bytes.LastIndexAny(s.src[:v.At], ";{}")+1:v.At]) {
		return false
	}
	several := len(m[1]) > 0 || strings.Contains(before, ",")
	if s.record.Lang == "go" && slices.ContainsFunc(s.spans(), func(c walk.Span) bool { return c.Start <= a.Start && a.End <= c.End }) {
		return false
	}
	value := bytes.TrimSpace(bytes.TrimRight(bytes.TrimSpace(m[2]), ";"))
	if s.record.Lang == "c" { // int a = 0, b
		if value, several = bytes.TrimSpace(value[:comma(value)]), false; s.first(g, a) && upper.Match(value) {
			return false
		}
	}
	switch {
	case several && (s.record.Lang != "go" || comma(value) < len(value)): // one of several values is wanted
		return false
	case nothing.Match(value), chained.Match(value): // an object is let go; the value is another one's, too
		return false
	case !several && s.first(g, a) && literal.Match(value):
		return false
	}
	return true
}

// comma is where a text has its first comma outside of brackets, or ends.
func comma(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// first reports whether an assignment declares its variable, or is the first that there is in the
// text.
func (s *text) first(g *walk.Graph, a *walk.Access) bool {
	for i := range g.Steps {
		for j := range g.Steps[i].Access {
			if o := &g.Steps[i].Access[j]; o.Var == a.Var && o.Start < a.Start {
				return false
			}
		}
	}
	return true
}

// loose returns the names that are in the text of a function at a place that is no access: in a
// type, a template, a macro, in C also in those that the file defines. Something may be read there.
// Those whose address is taken are among them, too.
func (s *text) loose(g *walk.Graph) map[string]bool {
	at := map[int]bool{}
	for g := range g.All() {
		for i := range g.Steps {
			for j := range g.Steps[i].Access {
				at[g.Steps[i].Access[j].Start] = true
			}
		}
		for i := range g.Vars {
			at[g.Vars[i].At] = true
		}
	}
	text := s.src[g.Start:g.End]
	names := map[string]bool{}
	if s.record.Lang == "c" {
		for _, macro := range defines.FindAll(s.src, -1) {
			for _, name := range word.FindAll(macro, -1) {
				names[string(name)] = true
			}
		}
	}
	for _, m := range word.FindAllIndex(text, -1) {
		before := bytes.TrimRight(text[:m[0]], " \t")
		switch {
		case bytes.HasSuffix(before, []byte("&")) && !bytes.HasSuffix(before, []byte("&&")),
			bytes.HasSuffix(before, []byte("ref")), bytes.HasSuffix(before, []byte("out")):
			names[string(text[m[0]:m[1]])] = true
		case !at[g.Start+m[0]] && !bytes.HasSuffix(before, []byte(".")):
			names[string(text[m[0]:m[1]])] = true
		}
	}
	return names
}
