package rust

import "github.com/quarry-search/quarry/index/internal/graph/pointsto"

// withClosure is a method that calls the function which it is given.
func (r *rustReceiver) withClosure(method string) (pointsto.Set, bool) {
	e, g, c := r.e, r.e.Family, r.c
	switch method {
	case "map", "map_while", "scan", "then":
		if method == "scan" {
			return e.Generic("list", e.Elements(callClosure(e, c.Arg(1), c.Arg(0), r.elem()), nil)), true
		}
		made := callClosure(e, c.Arg(0), r.elem())
		if method == "map_while" {
			made = e.Elements(made, nil)
		}
		return r.holding(made), true
	case "filter_map", "flat_map", "and_then", "or_else", "find_map", "filter_map_ok":
		held := r.elem()
		if method == "or_else" && len(r.args) > 1 {
			held = r.args[1]
		}
		made := e.Elements(callClosure(e, c.Arg(0), held), nil)
		if method == "or_else" {
			made = g.Union(made, r.first())
		}
		if method == "find_map" {
			return e.Generic("Option", made), true
		}
		return r.holding(made), true
	case "for_each", "any", "all", "position", "filter", "retain", "inspect", "take_while", "skip_while", "partition", "retain_mut",
		"sort_by_key", "sort_unstable_by_key", "sort_by_cached_key", "dedup_by_key", "binary_search_by", "binary_search_by_key",
		"try_for_each", "is_some_and", "is_ok_and", "is_none_or", "rposition", "and_modify", "partition_point":
		held := r.elem()
		if r.word == "Entry" {
			held = r.first()
		}
		params := []pointsto.Set{held}
		if method == "retain" && r.isMap() {
			params = r.args
		}
		for i := range c.Args {
			callClosure(e, c.Arg(i), params...)
		}
		if method == "partition" {
			return e.Generic("tuple", r.same(), r.same()), true
		}
		return r.same(), true
	case "find", "max_by_key", "min_by_key", "rfind":
		callClosure(e, c.Arg(0), r.elem())
		return e.Generic("Option", r.elem()), true
	case "sort_by", "sort_unstable_by", "dedup_by", "max_by", "min_by", "reduce":
		made := callClosure(e, c.Arg(0), r.elem(), r.elem())
		if method == "reduce" {
			return e.Generic("Option", g.Union(r.elem(), made)), true
		}
		return e.Generic("Option", r.elem()), true
	case "map_err", "unwrap_or_else":
		held := pointsto.Set(0)
		if len(r.args) > 1 {
			held = r.args[1]
		}
		made := callClosure(e, c.Arg(0), held)
		if method == "unwrap_or_else" {
			return g.Union(r.elem(), made), true
		}
		return e.Generic("Result", r.first(), made), true
	case "map_or":
		return g.Union(c.Arg(0), callClosure(e, c.Arg(1), r.elem())), true
	case "map_or_else":
		return g.Union(callClosure(e, c.Arg(0)), callClosure(e, c.Arg(1), r.elem())), true
	case "fold", "try_fold", "rfold":
		acc := c.Arg(0)
		made := callClosure(e, c.Arg(1), acc, r.elem())
		return g.Union(acc, g.Union(made, callClosure(e, c.Arg(1), made, r.elem()))), true
	case "ok_or_else":
		return e.Generic("Result", r.first(), callClosure(e, c.Arg(0))), true
	case "or_insert_with", "or_insert_with_key", "get_or_insert_with":
		return g.Union(r.first(), callClosure(e, c.Arg(0))), true
	}
	return 0, false
}
