package callgraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
)

// answers are what Quarry said when it was asked for the callers of functions.
type answers struct {
	Drawn     int      `json:"drawn"`             // functions
	Refused   int      `json:"refused"`           // of these, functions that are no symbol of Quarry's
	Complete  int      `json:"complete"`          // answers that say so
	Empty     int      `json:"empty"`             // of these, answers without a caller
	Wrong     int      `json:"wrong"`             // complete answers that lack a call
	Wanted    int      `json:"wanted"`            // direct edges to the functions that the other program has
	Given     int      `json:"given"`             // direct edges that the answers have
	Common    int      `json:"common"`            // of those given, edges that are right
	Met       int      `json:"met"`               // of those wanted
	Precision float64  `json:"precision"`         // of direct edges
	Recall    float64  `json:"recall"`            // as above
	Foreign   []string `json:"foreign,omitempty"` // complete answers without a caller, of functions that only code outside calls; sorted
	Lacking   []string `json:"lacking"`           // the calls that complete answers lack, sorted; never nil
	// Because counts the answers that are incomplete by what they say of it, without the names.
	Because map[string]int `json:"because"`
	Open    []string       `json:"open,omitempty"` // these, each with what it says
}

func (a *answers) write(line func(format string, args ...any), verbose bool) {
	asked := a.Drawn - a.Refused
	line("callers of %d functions drawn of all: %d are no symbol, %d answers are complete (%.3f), %d of them empty, %d wrong\n",
		a.Drawn, a.Refused, a.Complete, share(a.Complete, asked), a.Empty, a.Wrong)
	line("direct calls of them: %d wanted, %d given, %d common, precision %.4f, recall %.4f\n", a.Wanted, a.Given, a.Common, a.Precision, a.Recall)
	for _, text := range a.Foreign {
		line("foreign   %s\n", text)
	}
	for _, text := range a.Lacking {
		line("lacking   %s\n", text)
	}
	if !verbose {
		return
	}
	for _, text := range mostFirst(a.Because) {
		line("because   %5d %s\n", a.Because[text], text)
	}
	for _, text := range a.Open {
		line("open      %s\n", text)
	}
}

// reasons counts in because why an answer about a name is incomplete.
func reasons(because map[string]int, said []string, name string) {
	once := map[string]bool{}
	for _, text := range said {
		words := strings.Fields(text)
		for i, w := range words {
			if w == name || strings.ContainsAny(w, ".:/0123456789_") || strings.ToLower(w) != w || i == len(words)-1 && i > 0 && strings.HasSuffix(words[i-1], ":") {
				words[i] = "*"
			}
		}
		once[strings.Join(words, " ")] = true
	}
	for text := range once {
		because[text]++
	}
}

// mostFirst returns why answers are incomplete, the most frequent reasons first.
func mostFirst(because map[string]int) []string {
	return slices.SortedFunc(maps.Keys(because), func(s, t string) int {
		return cmp.Or(cmp.Compare(because[t], because[s]), strings.Compare(s, t))
	})
}

// draw returns some of the functions of the other program, chosen by a seed.
func (t *truth) draw(count int, seed uint64) []place {
	all := slices.SortedFunc(maps.Keys(t.functions), place.compare)
	return drawn(all, count, seed)
}

// drawn shuffles a list by a seed, and returns count of it, or all.
func drawn[T any](all []T, count int, seed uint64) []T {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(count, len(all))]
}

// refused reports whether an answer is about something else than what stands at a place under a
// name ("": not known), or err says that there is no such thing. Other errors are returned.
func refused(about *answer.Definition, name string, err error) (bool, error) {
	var missing *answer.TargetError
	var left *answer.PlaceError
	switch {
	case errors.As(err, &missing), errors.As(err, &left):
		return true, nil
	case err != nil:
		return false, err
	}
	return about == nil || name != "" && about.Symbol[strings.LastIndexByte(about.Symbol, '.')+1:] != name, nil
}

// A check compares answers about callers with what the other program knows.
type check struct {
	want   truth
	given  []found          // all edges of Quarry
	called map[place]bool   // sites from which it has an edge
	to     map[place][]edge // the edges wanted, by what is called
	// foreign are the functions that code outside of the project was seen to call.
	foreign map[place]bool
}

// checkComplete asks for the callers of functions that are drawn by a seed.
func checkComplete(ctx context.Context, x *index.Index, want truth, given []found, count int, seed uint64) (answers, error) {
	c := check{want: want, given: given, called: map[place]bool{}, to: map[place][]edge{}, foreign: map[place]bool{}}
	for e := range want.foreign {
		c.foreign[e.callee] = true
	}
	for _, f := range given {
		c.called[f.site] = true
	}
	for _, edges := range []map[edge]bool{want.edges, want.implicit} {
		for e := range edges {
			c.to[e.callee] = append(c.to[e.callee], e)
		}
	}
	a := answers{Lacking: []string{}, Because: map[string]int{}}
	for _, at := range want.draw(count, seed) {
		if err := c.ask(ctx, x, at, &a); err != nil {
			return answers{}, err
		}
	}
	a.Precision, a.Recall = share(a.Common, a.Given), share(a.Met, a.Wanted)
	slices.Sort(a.Lacking)
	slices.Sort(a.Foreign)
	return a, nil
}

// ask asks for the callers of one function, as a client does by default.
func (c *check) ask(ctx context.Context, x *index.Index, at place, a *answers) error {
	a.Drawn++
	said, err := x.Calls(ctx, calls.CallsQuery{Target: at.String(), Direction: calls.Callers, Limit: everything})
	name := c.want.functions[at]
	switch no, err := refused(said.Definition, name, err); {
	case err != nil:
		return fmt.Errorf("callgraph: ask for the callers of %s: %w", at, err)
	case no, c.around(said.Definition.Line, at, name):
		a.Refused++
		return nil
	}
	listed := map[place]bool{} // lines
	direct := map[edge]bool{}
	for _, f := range c.found(all(said), at) {
		listed[place{f.site.path, f.site.line, 0}] = true
		listed[f.from] = true
	}
	for _, e := range all(said) {
		if e.From.Symbol == "" { // of a function that a macro makes, which is none of Quarry's
			listed[place{e.From.File, e.Line, 0}] = true
		}
	}
	for _, f := range c.found(claimed(said), at) {
		direct[f.edge] = true
	}
	c.count(direct, at, a)
	if !said.Complete {
		reasons(a.Because, said.Because, name)
		a.Open = append(a.Open, fmt.Sprintf("%s %s: %s", at, name, strings.Join(said.Because, "; ")))
		return nil
	}
	a.Complete++
	if len(said.Edges)+len(said.Ambiguous) == 0 {
		a.Empty++
		if c.foreign[at] {
			a.Foreign = append(a.Foreign, at.String()+" "+name)
		}
	}
	lacking := len(a.Lacking)
	for _, e := range c.to[at] {
		k := c.want.sites[e.site]
		if c.want.implicit[e] {
			k = implicit
		}
		line := place{e.site.path, e.site.line, 0}
		at := c.want.written[e]
		if listed[line] || listed[place{at.path, at.line, 0}] && at.line > 0 || c.want.oneOf[e.site] && c.called[e.site] || c.want.literal[e] {
			continue
		}
		a.Lacking = append(a.Lacking, fmt.Sprintf("%-9s %s", k, c.want.say(e))+" "+name)
	}
	if len(a.Lacking) > lacking {
		a.Wrong++
	}
	return nil
}

// around reports whether an answer is about another function of a name, on a line of the same file: one
// around the function at a place, which is no symbol of Quarry's.
func (c *check) around(line int, at place, name string) bool {
	if line == at.line || name == "" {
		return false
	}
	for other, known := range c.want.functions {
		if other.path == at.path && other.line == line && known == name {
			return true
		}
	}
	return false
}

// all are the edges of an answer: those by a name alone, and uses as a value, too.
func all(a calls.CallsAnswer) (edges []calls.CallEdge) {
	for _, list := range [][]calls.CallEdge{a.Edges, a.Ambiguous} {
		for _, e := range list {
			if e.To.File != nil && e.To.Line != nil {
				edges = append(edges, e)
			}
		}
	}
	return edges
}

// found puts edges to the function at a place into the form of the other program.
func (c *check) found(list []calls.CallEdge, at place) (edges []found) {
	for _, e := range list {
		edges = append(edges, foundOf(e))
	}
	if c.want.fold == nil {
		return edges
	}
	// Calls in macros are those of where the macros stand: of all edges they are known.
	edges = c.want.fold(edges)
	for _, f := range c.given {
		if f.callee == at && f.macro {
			edges = append(edges, f)
		}
	}
	return edges
}

// count compares the direct edges of an answer.
func (c *check) count(given map[edge]bool, at place, a *answers) {
	for e := range given {
		if c.want.sites[e.site] != direct || c.want.implicit[e] {
			continue
		}
		a.Given++
		if c.want.edges[e] || c.want.right[e] {
			a.Common++
		}
	}
	for _, e := range c.to[at] {
		if c.want.sites[e.site] != direct || c.want.implicit[e] {
			continue
		}
		a.Wanted++
		if given[e] {
			a.Met++
		}
	}
}

// say describes an edge by where its call is written.
func (t *truth) say(e edge) string {
	if at, ok := t.written[e]; ok {
		return edge{at, e.callee}.String()
	}
	return e.String()
}
