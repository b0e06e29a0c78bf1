// Package links finds the calls that lead from one index into another: what one calls
// outside of it, and what the other offers under these names. Nothing is found by a name
// alone.
package links

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/store"
)

// ErrNoGraph is returned by Links and Offers while there is no call graph to ask.
var ErrNoGraph = errors.New("the call graph is not there yet")

// A Name is how a call names something that is not in its index.
type Name struct {
	Path     string   // as the external calls of Calls have it
	Language string   // of the caller
	Uses     []string // of C#: the namespaces in which Path may begin
}

// An Offer is a definition that a Name leads to.
type Offer struct {
	To         answer.Place
	Confidence string // exact, or scoped where a declared result is on the way, or it is one of several
	Callable   bool   // what it returns may be called, too: that goes by the same name
}

// OffersAnswer are what names lead to in an index.
type OffersAnswer struct {
	Of      [][]Offer // by name
	Current bool      // the call graph has the latest changes
}

// A Library says what names from outside lead to in it. An Index is one.
type Library interface {
	Offers(ctx context.Context, names []Name) (OffersAnswer, error)
}

// A Link is a call that leads from one index into another.
type Link struct {
	From         answer.Place // in the calling index
	To           answer.Place // in the other one
	Name         string
	Line, Column int // of the call, in From's file
	Kind         string
	Confidence   string // as in Offer
	Test         bool   // From is test code
}

// LinksAnswer are the calls from one index into another.
type LinksAnswer struct {
	Calls   []Link // by file and place
	Current bool   // both call graphs have the latest changes
}

// Links returns the calls in x that lead to definitions in another index. A call does
// so by the whole path that its imports give it: a module or package, and a name in
// it. Nothing is found by a name alone, and nothing in a module that x has itself. It
// returns ErrNoGraph where one of the two has none yet.
//
// It goes over all external calls, but asks once for each name: 47,000 calls take 19 to
// 27 ms, and 1,000 links some 5. Callers keep the result for as long as both generations
// stay, if it is current.
func Links(ctx context.Context, x *store.View, to Library) (LinksAnswer, error) {
	out, err := outwardOf(ctx, x)
	if err != nil {
		return LinksAnswer{}, err
	}
	offers, err := to.Offers(ctx, out.names)
	if err != nil {
		return LinksAnswer{}, err
	}
	links := LinksAnswer{Calls: []Link{}, Current: out.current && offers.Current}
	if !slices.ContainsFunc(offers.Of, func(list []Offer) bool { return len(list) > 0 }) {
		return links, ctx.Err()
	}
	var text sourceText
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		out.each(w, func(n int, s graph.Site) {
			if n >= len(offers.Of) || len(offers.Of[n]) == 0 {
				return
			}
			if offers.Of[n][0].Callable && !text.names(out.Files[w.G.PathOf(s.From)], s) {
				return
			}
			from := w.Home(s.From)
			for _, o := range offers.Of[n] {
				links.Calls = append(links.Calls, Link{
					From: w.Place(from), To: o.To, Name: s.Name, Line: s.Pos.Line(), Column: s.Pos.Column(),
					Kind: graph.Calls.String(), Confidence: o.Confidence, Test: w.IsTest(from),
				})
			}
		})
	})
	slices.SortFunc(links.Calls, func(a, b Link) int {
		return cmp.Or(strings.Compare(a.From.File, b.From.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.To.File, b.To.File), cmp.Compare(a.To.Line, b.To.Line))
	})
	links.Calls = slices.Compact(links.Calls)
	return links, ctx.Err()
}

// graphReady returns nil if there is a call graph, of all files.
func graphReady(x *store.View) error {
	state, err := x.OpenState()
	if err != nil {
		return err
	}
	if state.State == answer.Indexing || x.Graph.Broken.Load() || x.Graph.Missing.Load() {
		return ErrNoGraph
	}
	return nil
}

// outward is what an index calls outside of it.
type outward struct {
	*modules.Set
	names   []Name
	numbers map[outwardName]int
	uses    map[string][]string
	current bool
}

// An outwardName is a Name that can be a key.
type outwardName struct{ path, language, uses string }

func outwardOf(ctx context.Context, x *store.View) (*outward, error) {
	if err := graphReady(x); err != nil {
		return nil, err
	}
	o := &outward{Set: modules.Current(x), numbers: map[outwardName]int{}, uses: map[string][]string{}}
	own := map[string]bool{}
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		o.current = !x.Graph.Behind() && !x.Counters.Restored.Load()
		o.eachKey(w, func(key outwardName, _ graph.Site) {
			if _, seen := o.numbers[key]; seen || ctx.Err() != nil {
				return
			}
			o.numbers[key] = -1
			head := key.language + " " + key.path
			if i := strings.IndexByte(key.path, '.'); key.language != "go" && i >= 0 {
				head = head[:len(key.language)+1+i]
			}
			mine, known := own[head]
			if !known {
				mine = o.Own(key.language, key.path)
				own[head] = mine
			}
			if mine {
				return
			}
			o.numbers[key] = len(o.names)
			n := Name{Path: key.path, Language: key.language}
			if key.uses != "" {
				n.Uses = strings.Split(key.uses, " ")
			}
			o.names = append(o.names, n)
		})
	})
	return o, ctx.Err()
}

// each calls yield for the sites of names that are asked for.
func (o *outward) each(w *calls.Walk, yield func(n int, s graph.Site)) {
	o.eachKey(w, func(key outwardName, s graph.Site) {
		if n, ok := o.numbers[key]; ok && n >= 0 {
			yield(n, s)
		}
	})
}

// eachKey calls yield for the external sites whose name can be one of another root.
func (o *outward) eachKey(w *calls.Walk, yield func(key outwardName, s graph.Site)) {
	var path string
	var r *store.Record
	var uses string
	w.G.EachSite(func(s graph.Site) bool {
		if s.Reason != graph.External {
			return true
		}
		if p := w.G.PathOf(s.From); p != path || r == nil {
			path, uses = p, ""
			if r = o.Files[p]; r != nil && r.Lang == "csharp" {
				uses = strings.Join(o.usesOf(r), " ")
			}
		}
		if r == nil || store.CrossFamily(r.Lang) == "" {
			return true
		}
		key := outwardName{path: s.Name, language: store.CrossFamily(r.Lang), uses: uses}
		if key.language == "rust" {
			head, rest, _ := strings.Cut(s.Name, ".")
			key.path = o.Claims.CrateName(path, head) + "." + rest
		}
		yield(key, s)
		return true
	})
}
