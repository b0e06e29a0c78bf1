package callgraph

import (
	"cmp"
	"fmt"
	"slices"
)

// A place is where a call or a definition is written.
type place struct {
	path         string // from the root, with slashes
	line, column int    // 1-based; the column of a definition is 0, which any is equal to
}

func (p place) String() string {
	if p.column == 0 {
		return fmt.Sprintf("%s:%d", p.path, p.line)
	}
	return fmt.Sprintf("%s:%d:%d", p.path, p.line, p.column)
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.path, q.path), cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// An edge is a call and what it calls.
type edge struct{ site, callee place }

func (e edge) String() string {
	if e.callee == (place{}) {
		return e.site.String() + " -> one of several"
	}
	return e.site.String() + " -> " + e.callee.String()
}

// A kind is how a call finds what it calls.
type kind string

// The kinds that are told apart.
const (
	direct  kind = "direct"    // a function or method that is known from types alone
	through kind = "interface" // a method of whatever the interface holds
	value   kind = "value"     // a function in a variable
	// implicit is a call that is not written: of a destructor, or the constructor of a base.
	implicit kind = "implicit"
	// resolved are direct calls, without Quarry's edges that are one of several.
	resolved kind = "resolved"
)

// A truth is what the other program knows: what kind each call is that it has
// seen, and the edges of these calls that stay in the project.
type truth struct {
	sites map[place]kind
	edges map[edge]bool
	// right are edges that are no mistake, but not asked for: overrides.
	right map[edge]bool
	// implicit are edges from a function, whose name stands there, by calls without a place.
	implicit map[edge]bool
	// foreign are edges from a function, or from nowhere, by code outside of the project that
	// calls back. They are not asked for, only counted.
	foreign map[edge]bool
	// observed: the calls were seen while the code ran, so what a call did not run may be right.
	// Then those that Quarry is sure of are scored by themselves, too.
	observed bool
	// literal are the edges to function literals, which stand for the function around them:
	// who runs one does not call that.
	literal map[edge]bool
	// oneOf are the calls of which one edge is enough.
	oneOf map[place]bool
	// files are those that it has read; of others it knows nothing.
	files map[string]bool
	// functions are those with a body, by the place of their name, with that name; "" where
	// it is not known.
	functions map[place]string
	// known are the functions of this build, with a body or not. If there are any, edges to
	// what is none of them are not compared.
	known map[place]bool
	// fold says what Quarry's edges are in the terms of the other program; nil: the same.
	fold func([]found) []found
	// written is where the call of an edge stands, if the site does not say it.
	written map[edge]place
	// unreached counts the calls that it has no callee for: nothing is seen to
	// arrive there. They are not in sites, for it does not say that they call nothing.
	unreached int
}

// adapt returns Quarry's edges as they can be compared.
func (t *truth) adapt(given []found) []found {
	if t.fold == nil {
		return given
	}
	return t.fold(given)
}

// A score compares the edges of one kind.
type score struct {
	Kind      kind    `json:"kind"`
	Sites     int     `json:"sites"`  // calls
	Wanted    int     `json:"wanted"` // edges of the other program
	Given     int     `json:"given"`  // edges of Quarry
	Common    int     `json:"common"` // of those given
	Met       int     `json:"met"`    // of those wanted
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`

	missing, extra []edge // sorted
}

// A found is an edge of Quarry.
type found struct {
	edge
	from place // the function that the call is in
	own  bool  // it leads to the function that it comes from
	// macro: the call stands in a macro that the function uses
	macro bool
	// several: it is one of several that the call may lead to
	several bool
}

// compare scores the given edges by kind. Edges at places that the other program
// has not seen as calls are left out, and counted. A function literal counts as the
// function that it is written in, so a value that is called there is none.
func compare(want truth, given []found) (scores []score, outside int) {
	by := map[kind]*score{}
	for _, k := range []kind{direct, through, value} {
		by[k] = &score{Kind: k}
	}
	for _, k := range want.sites {
		by[k].Sites++
	}
	seen := map[edge]bool{}
	calling := map[edge]bool{} // by the function that calls
	for _, f := range given {
		e := f.edge
		calling[edge{f.from, e.callee}] = true
		if seen[e] || !want.files[e.site.path] || !want.files[e.callee.path] || len(want.known) > 0 && !want.known[e.callee] {
			continue
		}
		seen[e] = true
		k, ok := want.sites[e.site]
		if !ok {
			outside++
			continue
		}
		if f.own && k == value {
			continue
		}
		s := by[k]
		s.Given++
		if want.edges[e] || want.right[e] {
			s.Common++
		} else {
			s.extra = append(s.extra, e)
		}
	}
	reached := map[place]bool{}
	for e := range want.edges {
		s := by[want.sites[e.site]]
		switch {
		case want.oneOf[e.site]:
			reached[e.site] = reached[e.site] || seen[e]
			continue
		case seen[e]:
			s.Met++
		default:
			s.missing = append(s.missing, e)
		}
		s.Wanted++
	}
	for site, met := range reached {
		s := by[want.sites[site]]
		s.Wanted++
		if met {
			s.Met++
		} else {
			s.missing = append(s.missing, edge{site: site})
		}
	}
	kinds := []kind{direct, through, value}
	if len(want.implicit) > 0 {
		by[implicit] = notWritten(want, calling)
		kinds = append(kinds, implicit)
	}
	for _, k := range kinds {
		s := by[k]
		s.Precision, s.Recall = share(s.Common, s.Given), share(s.Met, s.Wanted)
		for _, list := range [][]edge{s.missing, s.extra} {
			slices.SortFunc(list, func(a, b edge) int {
				return cmp.Or(a.site.compare(b.site), a.callee.compare(b.callee))
			})
		}
		scores = append(scores, *s)
	}
	return scores, outside
}

// notWritten scores the edges of calls that are not written. Quarry's are not told apart
// from others, so it is only known which of those wanted are there.
func notWritten(want truth, calling map[edge]bool) *score {
	s := &score{Kind: implicit, Sites: len(want.implicit), Wanted: len(want.implicit)}
	for e := range want.implicit {
		if calling[e] {
			s.Met++
		} else {
			s.missing = append(s.missing, e)
		}
	}
	s.Given, s.Common = s.Met, s.Met
	return s
}

// share is a part of all, and 1 of nothing.
func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}
