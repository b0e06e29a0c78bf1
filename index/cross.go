package index

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
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
	To         Place
	Confidence string // exact, or scoped where a declared result is on the way, or it is one of several
	Callable   bool   // what it returns may be called, too: that goes by the same name
}

// Offers are what names lead to in an index.
type Offers struct {
	Of      [][]Offer // by name
	Current bool      // the call graph has the latest changes
}

// A Library says what names from outside lead to in it. An Index is one.
type Library interface {
	Offers(ctx context.Context, names []Name) (Offers, error)
}

// A Link is a call that leads from one index into another.
type Link struct {
	From         Place // in the calling index
	To           Place // in the other one
	Name         string
	Line, Column int // of the call, in From's file
	Kind         string
	Confidence   string // as in Offer
	Test         bool   // From is test code
}

// Links are the calls from one index into another.
type Links struct {
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
func (x *View) Links(ctx context.Context, to Library) (Links, error) {
	out, err := x.outward(ctx)
	if err != nil {
		return Links{}, err
	}
	offers, err := to.Offers(ctx, out.names)
	if err != nil {
		return Links{}, err
	}
	links := Links{Calls: []Link{}, Current: out.current && offers.Current}
	if !slices.ContainsFunc(offers.Of, func(list []Offer) bool { return len(list) > 0 }) {
		return links, ctx.Err()
	}
	var text sourceText
	x.walkGraph(ctx, func(w *walk) {
		out.each(w, func(n int, s graph.Site) {
			if n >= len(offers.Of) || len(offers.Of[n]) == 0 {
				return
			}
			if offers.Of[n][0].Callable && !text.names(out.files[w.g.PathOf(s.From)], s) {
				return
			}
			from := w.home(s.From)
			for _, o := range offers.Of[n] {
				links.Calls = append(links.Calls, Link{
					From: w.place(from), To: o.To, Name: s.Name, Line: s.Pos.Line(), Column: s.Pos.Column(),
					Kind: graph.Calls.String(), Confidence: o.Confidence, Test: w.isTest(from),
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
func (x *View) graphReady() error {
	state, err := x.openState()
	if err != nil {
		return err
	}
	if state.State == Indexing || x.calls.broken.Load() || x.calls.missing.Load() {
		return ErrNoGraph
	}
	return nil
}

// outward is what an index calls outside of it.
type outward struct {
	modules
	names   []Name
	numbers map[outwardName]int
	uses    map[string][]string
	current bool
}

// An outwardName is a Name that can be a key.
type outwardName struct{ path, language, uses string }

func (x *View) outward(ctx context.Context) (*outward, error) {
	if err := x.graphReady(); err != nil {
		return nil, err
	}
	o := &outward{modules: modulesOf(x.records()), numbers: map[outwardName]int{}, uses: map[string][]string{}}
	own := map[string]bool{}
	x.walkGraph(ctx, func(w *walk) {
		o.current = !x.calls.behind() && !x.state.restored.Load()
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
				mine = o.own(key.language, key.path)
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
func (o *outward) each(w *walk, yield func(n int, s graph.Site)) {
	o.eachKey(w, func(key outwardName, s graph.Site) {
		if n, ok := o.numbers[key]; ok && n >= 0 {
			yield(n, s)
		}
	})
}

// eachKey calls yield for the external sites whose name can be one of another root.
func (o *outward) eachKey(w *walk, yield func(key outwardName, s graph.Site)) {
	var path string
	var r *record
	var uses string
	w.g.EachSite(func(s graph.Site) bool {
		if s.Reason != graph.External {
			return true
		}
		if p := w.g.PathOf(s.From); p != path || r == nil {
			path, uses = p, ""
			if r = o.files[p]; r != nil && r.lang == "csharp" {
				uses = strings.Join(o.usesOf(r), " ")
			}
		}
		if r == nil || crossFamily(r.lang) == "" {
			return true
		}
		key := outwardName{path: s.Name, language: crossFamily(r.lang), uses: uses}
		if key.language == "rust" {
			head, rest, _ := strings.Cut(s.Name, ".")
			key.path = o.claims.CrateName(path, head) + "." + rest
		}
		yield(key, s)
		return true
	})
}
