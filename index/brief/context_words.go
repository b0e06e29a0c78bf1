package brief

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
)

// How many results a context of words is made of, in all and of one file: those in the file
// of the best one are often what it works with.
const (
	foundByWords = 100
	foundInFile  = 25
)

// findByWords takes the best result of a search for a target, of those that are in
// the call graph. The others are those that are left; a best one in no definition is among
// them, because its file says less than it.
func findByWords(ctx context.Context, x *store.View, text string, sent *answer.Sent, none error) (at store.Target, others []search.Result, state answer.State, err error) {
	found, err := search.SearchUnchecked(ctx, x, search.Query{Text: text, Limit: search.DefaultLimit})
	if err != nil {
		return at, nil, state, err
	}
	if len(found.Results) == 0 {
		return at, nil, state, none
	}
	best := 0
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		best = max(slices.IndexFunc(found.Results, func(r search.Result) bool { return w.G.Has(r.File) }), 0)
	})
	if at = targetOf(x, &found.Results[best]); at.Record == nil {
		return at, nil, state, none
	}
	others = found.Results
	// Who has the best result has asked before, and wants to know what else there is.
	if !sent.Has(found.Results[0].Lines()) {
		more, err := search.SearchUnchecked(ctx, x, search.Query{Text: text, Limit: foundByWords, PerFile: foundInFile})
		if err != nil {
			return at, nil, state, err
		}
		known := map[answer.Lines]bool{}
		for i := range others {
			known[others[i].Lines()] = true
		}
		near := near(x, more.Results)
		for i := range more.Results {
			if r := &more.Results[i]; !known[r.Lines()] {
				others = append(others, *r)
			}
		}
		others = append(others, near...)
	}
	if at.Symbol >= 0 {
		others = slices.Delete(others, best, best+1)
	}
	return at, others, found.State, nil
}

// inDefinition reports whether a result is a part of the definition.
func (a *ContextAnswer) inDefinition(r search.Result) bool {
	d := a.Definition
	return d != nil && d.File == r.File && d.Line <= r.Line && r.EndLine <= d.EndLine
}

// listed reports whether a line for a result is in one of the lists around the definition.
func (a *ContextAnswer) listed(r *search.Result) bool {
	for _, list := range [][]ContextItem{a.Functions, a.Callers, a.Types, a.Tests} {
		for i := range list {
			n := &list[i]
			name := n.Symbol[strings.LastIndexByte(n.Symbol, '.')+1:]
			if n.File == r.File && name == r.Symbol && r.Line <= n.EndLine && n.Line <= r.EndLine {
				return true
			}
		}
	}
	return false
}

// Bounds of what is near the results of a search.
const (
	nearOf       = 5   // of so many results, the best
	mostNear     = 40  // in all
	nearScore    = 0.3 // of the score of what it is near
	siblings     = 6   // on either side of it, of the same type or file
	siblingScore = 0.1
)

// near returns what the best results call and are called by, and what stands next to them, as
// results with a share of their scores.
func near(x *store.View, found []search.Result) []search.Result {
	score := map[answer.Place]float64{}
	var places []answer.Place
	add := func(p answer.Place, s float64) {
		if score[p] == 0 {
			places = append(places, p)
		}
		score[p] += s
	}
	calls.ReadGraph(x, func(w *calls.Walk) {
		for i := range found[:min(len(found), nearOf)] {
			r := &found[i]
			at := targetOf(x, r)
			if at.Record == nil || at.Symbol < 0 || !w.G.Has(r.File) {
				continue
			}
			for _, id := range w.Seeds(&at) {
				w.G.Out(id, func(e graph.Edge) bool {
					if to := w.Home(e.To); calls.IsCall(&e, false) && !w.IsTest(to) {
						add(w.Place(to), nearScore*r.Score)
					}
					return true
				})
				w.G.In(id, func(e graph.Edge) bool {
					if from := w.Home(e.From); calls.IsCall(&e, true) && !w.IsTest(from) {
						add(w.Place(from), nearScore*r.Score)
					}
					return true
				})
			}
		}
	})
	for i := range found[:min(len(found), nearOf)] {
		r := &found[i]
		at := targetOf(x, r)
		if at.Record == nil || at.Symbol < 0 {
			continue
		}
		for n := range at.Record.Symbols {
			if s := &at.Record.Symbols[n]; store.Runs(s.Kind()) && s.Parent == at.Sym().Parent && max(n, int(at.Symbol))-min(n, int(at.Symbol)) <= siblings {
				add(at.Record.Place(int32(n)), siblingScore*r.Score)
			}
		}
	}
	slices.SortStableFunc(places, func(a, b answer.Place) int { return cmp.Compare(score[b], score[a]) })
	known := map[[2]string][]int{} // the results, by file and name
	for i := range found {
		key := [2]string{found[i].File, found[i].Symbol}
		known[key] = append(known[key], i)
	}
	var out []search.Result
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	for _, p := range places {
		r, s := x.Table.At(p)
		if s == nil || len(out) == mostNear || slices.ContainsFunc(known[[2]string{r.Path, s.Name}], func(i int) bool {
			return found[i].Line <= int(s.Last) && int(s.Line) <= found[i].EndLine
		}) {
			continue
		}
		content := outline.ContentOf(r, s)
		if len(content) > mostContent {
			content = strings.ToValidUTF8(content[:mostContent], "")
			content = content[:max(strings.LastIndexByte(content, '\n'), 0)]
		}
		if content == "" {
			continue
		}
		out = append(out, search.Result{
			File: r.Path, Line: int(s.Line), EndLine: int(s.Line) + strings.Count(strings.TrimSuffix(content, "\n"), "\n"), Content: content,
			Score: min(score[p], 1), Role: answer.RoleDefinition, Signature: r.SignatureOf(s), Symbol: s.Name, Kind: string(s.Kind()), Lang: r.Lang,
			FileHash: r.Hash, FileTokens: answer.Tokens(int(r.Size)),
		})
	}
	return out
}

// mostContent bounds the Content of a Result, in bytes.
const mostContent = 2000

// targetOf returns the definition that a result is about.
func targetOf(x *store.View, r *search.Result) store.Target {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	file := x.Table.Files[r.File]
	if file == nil {
		return store.Target{Symbol: -1}
	}
	at := store.Target{Record: file, Symbol: file.SymbolAt(r.Line)}
	for i := range file.Symbols {
		// The result may begin with the comment before its symbol.
		if s := &file.Symbols[i]; s.Name == r.Symbol && int(s.Last) >= r.Line && int(s.Line) <= r.EndLine {
			at.Symbol = int32(i)
			break
		}
	}
	return at
}

// found reports whether an item is among the results, too, where its body belongs.
func (a *ContextAnswer) found(n *ContextItem) bool {
	return n != nil && slices.ContainsFunc(a.Found, func(r search.Result) bool {
		return r.File == n.File && r.Symbol == n.Symbol[strings.LastIndexByte(n.Symbol, '.')+1:] && r.Line <= n.EndLine && n.Line <= r.EndLine
	})
}

// A body is the text of a definition, with the lines that it has.
type body struct {
	text  string
	lines []answer.Lines
}

// mostBody is how many lines a definition has at most that is shown whole for what it is near.
const mostBody = 150

// findBodies looks up the definitions that results are in.
func (a *ContextAnswer) findBodies(x *store.View) {
	a.bodies = map[answer.Lines]body{}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	for i := range a.Found {
		r := &a.Found[i]
		file := x.Table.Files[r.File]
		if file == nil || file.Hash != r.FileHash {
			continue
		}
		for n := range file.Symbols {
			if s := &file.Symbols[n]; s.Name == r.Symbol && int(s.Last) >= r.Line && int(s.Line) <= r.EndLine {
				if b := bodyOf(file, s); b.text != "" {
					a.bodies[r.Lines()] = b
				}
				break
			}
		}
	}
}

// bodyOf returns the text of a definition without its docstring, "" for a long one.
func bodyOf(r *store.Record, s *store.Symbol) body {
	if s.Last-s.Line >= mostBody {
		return body{}
	}
	text, gap := undocumented(r, s)
	whole := answer.Lines{File: r.Path, Hash: r.Hash, From: int(s.Line), To: int(s.Last)}
	if gap.To == 0 {
		return body{text, []answer.Lines{whole}}
	}
	before, after := whole, whole
	before.To, after.From = gap.From-1, gap.To+1
	return body{text, []answer.Lines{before, after}}
}

// longDoc is from how many lines on a docstring gives way to the code around it.
const longDoc = 3

// undocumented returns the text of a definition without a longer docstring in it, and the
// lines that are left out.
func undocumented(r *store.Record, s *store.Symbol) (text string, gap answer.Lines) {
	text = outline.ContentOf(r, s)
	if s.DocAt <= s.Start || s.DocTo > s.End || s.DocTo <= s.DocAt {
		return text, gap
	}
	inside := r.Text.Slice(int(s.Start), int(s.End))
	first := int(s.Line) + bytes.Count(inside[:s.DocAt-s.Start], []byte("\n"))
	last := int(s.Line) + bytes.Count(inside[:s.DocTo-s.Start], []byte("\n"))
	lines := strings.SplitAfter(text, "\n")
	if last-first < longDoc || last-int(s.Line)+1 >= len(lines) {
		return text, gap
	}
	from, to := first-int(s.Line), last-int(s.Line)
	return strings.Join(lines[:from], "") + strings.Join(lines[to+1:], ""), answer.Lines{From: first, To: last}
}
