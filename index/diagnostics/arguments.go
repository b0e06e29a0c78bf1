package diagnostics

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A led is a call whose target the call graph is sure of.
type led struct {
	site
	target string // the file
	spot   uint32 // the place of its name there
	name   string
	member bool    // it is found by a receiver or its type
	found  Finding // without a message
}

// certainRules are those by which a call means one function, whatever values there are.
var certainRules = []string{"scope", "import", "type", "self", "constructor"}

// memberRules are those of them by which a member is found.
var memberRules = words("type self")

// calls notes the calls of a file that lead to one function for certain, and what its own functions
// take.
func (l *look) calls(ctx context.Context, s *text) {
	if l.taken == nil {
		l.taken = map[string]map[uint32]head{}
	}
	l.taken[s.record.Path] = s.heads()
	if apart(s.record) || s.record.Errors {
		return
	}
	sites := s.sites()
	if len(sites) == 0 {
		return
	}
	calls.WalkGraph(ctx, l.index, func(w *calls.Walk) {
		to := map[uint32]graph.Edge{}
		several := map[uint32]bool{}
		w.G.CallsIn(s.record.Path, func(e graph.Edge) bool {
			if e.Kind == graph.Calls {
				at := uint32(e.Pos)
				if o, ok := to[at]; ok && o.To != e.To {
					several[at] = true
				}
				to[at] = e
			}
			return true
		}, func(c graph.Site) bool {
			several[uint32(c.Pos)] = true
			return true
		})
		for _, c := range sites {
			at := s.spot(c.at)
			e, ok := to[at]
			if !ok || several[at] || c.open || e.Confidence != graph.Exact || !slices.Contains(certainRules, e.Rule.String()) {
				continue
			}
			n := w.Node(e.To)
			if n.Kind != graph.FuncNode || n.Path == "" || !graph.SameFamily(n.Language, s.record.Lang) || !l.alone(n, s.record.Lang) || !namedSo(n, string(s.src[c.at:c.end])) {
				continue
			}
			l.led = append(l.led, led{site: c, target: n.Path, spot: uint32(n.Pos), name: n.Name, member: memberRules[e.Rule.String()], found: s.finding(WrongArguments, Error, Certain, c.at, c.end, "")})
		}
	})
}

// namedSo reports whether a call is written with the name of the function that it leads to, or of the
// class that makes an instance with it: by another name it may hold other values, too.
func namedSo(n *graph.Node, written string) bool {
	class, name, member := calls.LastPart(n.Name)
	if member && name != written && store.MakesInstances(n.Language, name) {
		_, name, _ = calls.LastPart(class)
	}
	return name == written
}

var (
	inherits = regexp.MustCompile(`\b(extends|implements|record|enum)\b`)
	makesNew = regexp.MustCompile(`@\w*(Constructor|Data|Value|Builder)\b`)
)

// alone reports whether nothing else can be called by the name of a function, in languages where the
// graph may not see that.
func (l *look) alone(n *graph.Node, lang string) bool {
	if lang != "c" && lang != "java" {
		return true
	}
	name := calls.PlainName(n)
	found := 0
	for _, d := range l.index.Definitions(name) {
		s := &d.Record.Symbols[d.Symbol]
		text := d.Record.Text.Slice(int(s.Start), int(s.End))
		switch {
		case lang == "c" && (d.Record.Lang == "c" || d.Record.Lang == "cpp"):
			if strings.HasPrefix(strings.TrimSpace(string(text)), "#") {
				return false
			}
			if bytes.IndexByte(text, '{') >= 0 {
				found++
			}
		case lang == "java" && d.Record.Lang == "java" && (store.Runs(s.Kind()) || s.Kind() == syntax.Constructor):
			found++
			if up := d.Record.Around(int32(d.Symbol)); up >= 0 {
				c := &d.Record.Symbols[up]
				head, _, _ := bytes.Cut(d.Record.Text.Slice(int(c.Start), int(s.Start)), []byte("{"))
				if inherits.Match(head) || makesNew.Match(head) {
					return false
				}
			}
		}
	}
	return found == 1
}

// arguments returns the calls with a number of arguments that their targets do not take.
func (l *look) arguments() (found []Finding) {
	for i := range l.led {
		c := &l.led[i]
		h, ok := l.headsIn(c.target)[c.spot]
		if !ok || h.unknown || h.receiver && c.bare && !strings.HasSuffix(c.name, "__init__") {
			continue
		}
		why := c.wrong(&h, l.fewer(c))
		if why == "" || c.member && l.another(c) {
			continue
		}
		excused := true
		l.parsed(c.found.File, func(s *text) { excused = s.excused(c.at) })
		if !excused {
			c.found.Message = c.name + why
			found = append(found, c.found)
		}
	}
	return found
}

func (l *look) fewer(c *led) bool { return forms[l.index.Record(c.found.File).Lang].fewer }

// another reports whether something else of the name of what a call leads to may take its arguments: of
// a member the graph may know one of several.
func (l *look) another(c *led) bool {
	name := c.name[strings.LastIndexByte(c.name, '.')+1:]
	for _, d := range l.index.Definitions(name) {
		s := &d.Record.Symbols[d.Symbol]
		if d.Record.Path == c.target && s.NameLine == c.spot>>12 || !graph.SameFamily(d.Record.Lang, l.index.Record(c.target).Lang) {
			continue
		}
		fits := true
		for at, h := range l.headsIn(d.Record.Path) {
			if at>>12 == s.NameLine {
				fits = h.unknown || c.wrong(&h, l.fewer(c)) == ""
			}
		}
		if fits {
			return true
		}
	}
	return false
}

// headsIn returns the functions of a file.
func (l *look) headsIn(at string) map[uint32]head {
	if heads, ok := l.taken[at]; ok {
		return heads
	}
	var heads map[uint32]head
	if r := l.index.Record(at); r != nil && forms[r.Lang] != nil {
		l.parsed(at, func(s *text) { heads = s.heads() })
	}
	l.taken[at] = heads
	return heads
}

// parsed reads a file again.
func (l *look) parsed(at string, use func(s *text)) {
	r := l.index.Record(at)
	if r == nil {
		return
	}
	p := l.index.Parsers.Get()
	defer l.index.Parsers.Put(p)
	s := &text{record: r, src: r.Text.All()}
	if s.tree = p.Tree(r.Lang, s.src); s.tree != nil && s.tree.Root() != 0 {
		use(s)
	}
}

// wrong says what is wrong with the number of arguments of a call, "" for nothing.
func (c *led) wrong(h *head, fewer bool) string {
	least, most, given := h.least, h.most, c.given
	if h.receiver && c.path { // A::f(a, b)
		least, most = least+1, most+1
	}
	if len(c.names) == 0 || len(h.names) == 0 {
		given += len(c.names)
	}
	missing := 0
	by := map[string]bool{}
	for _, n := range c.names {
		by[n] = true
	}
	position := 0
	for _, p := range h.names {
		name, required := strings.CutSuffix(p, "!")
		name, named := strings.CutPrefix(name, "*")
		if !named {
			position++
		}
		passed := !named && position <= c.given || by[name]
		if required && !passed {
			missing++
		}
		delete(by, name)
	}
	if len(h.names) > 0 && len(c.names) > 0 || slices.ContainsFunc(h.names, func(n string) bool { return strings.HasPrefix(n, "*") && strings.HasSuffix(n, "!") }) {
		slack := h.receiver && !h.bound && c.qualified // A.f(a, b)
		switch {
		case slack:
			return ""
		case missing > 0:
			return fmt.Sprintf(" takes %s, and %d of those without a default %s not given", arity(h), missing, are(missing))
		case len(by) > 0 && !h.any:
			for _, n := range c.names {
				if by[n] {
					return fmt.Sprintf(" has no parameter %s", n)
				}
			}
		case c.given > most:
			return fmt.Sprintf(" takes %s by position, and %d %s given", span(least, most), c.given, are(c.given))
		}
		return ""
	}
	if len(c.names) > 0 && h.any {
		given = c.given
	}
	if h.receiver && !h.bound && c.qualified && given >= least && given <= most+1 && !c.path {
		return ""
	}
	if given >= least && (given <= most || fewer) {
		return ""
	}
	return fmt.Sprintf(" takes %s, and %d %s given", span(least, most), given, are(given))
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func arity(h *head) string { return span(h.least, h.most) }

// span says how many arguments there may be.
func span(least, most int) string {
	switch {
	case most >= math.MaxInt32/4:
		return fmt.Sprintf("%d or more arguments", least)
	case least != most:
		return fmt.Sprintf("%d to %d arguments", least, most)
	case least == 1:
		return "1 argument"
	case least == 0:
		return "no arguments"
	}
	return fmt.Sprintf("%d arguments", least)
}
