package graph

// withClosure is a method that calls the function which it is given.
func (r *rustReceiver) withClosure(method string) (set, bool) {
	e, g, c := r.e, r.e.g, r.c
	switch method {
	case "map", "map_while", "scan", "then":
		if method == "scan" {
			return e.generic("list", e.elements(e.callClosure(c.arg(1), c.arg(0), r.elem()), nil)), true
		}
		made := e.callClosure(c.arg(0), r.elem())
		if method == "map_while" {
			made = e.elements(made, nil)
		}
		return r.holding(made), true
	case "filter_map", "flat_map", "and_then", "or_else", "find_map", "filter_map_ok":
		held := r.elem()
		if method == "or_else" && len(r.args) > 1 {
			held = r.args[1]
		}
		made := e.elements(e.callClosure(c.arg(0), held), nil)
		if method == "or_else" {
			made = g.union(made, r.first())
		}
		if method == "find_map" {
			return e.generic("Option", made), true
		}
		return r.holding(made), true
	case "for_each", "any", "all", "position", "filter", "retain", "inspect", "take_while", "skip_while", "partition", "retain_mut",
		"sort_by_key", "sort_unstable_by_key", "sort_by_cached_key", "dedup_by_key", "binary_search_by", "binary_search_by_key",
		"try_for_each", "is_some_and", "is_ok_and", "is_none_or", "rposition", "and_modify", "partition_point":
		held := r.elem()
		if r.word == "Entry" {
			held = r.first()
		}
		params := []set{held}
		if method == "retain" && r.isMap() {
			params = r.args
		}
		for i := range c.args {
			e.callClosure(c.arg(i), params...)
		}
		if method == "partition" {
			return e.generic("tuple", r.same(), r.same()), true
		}
		return r.same(), true
	case "find", "max_by_key", "min_by_key", "rfind":
		e.callClosure(c.arg(0), r.elem())
		return e.generic("Option", r.elem()), true
	case "sort_by", "sort_unstable_by", "dedup_by", "max_by", "min_by", "reduce":
		made := e.callClosure(c.arg(0), r.elem(), r.elem())
		if method == "reduce" {
			return e.generic("Option", g.union(r.elem(), made)), true
		}
		return e.generic("Option", r.elem()), true
	case "map_err", "unwrap_or_else":
		held := set(0)
		if len(r.args) > 1 {
			held = r.args[1]
		}
		made := e.callClosure(c.arg(0), held)
		if method == "unwrap_or_else" {
			return g.union(r.elem(), made), true
		}
		return e.generic("Result", r.first(), made), true
	case "map_or":
		return g.union(c.arg(0), e.callClosure(c.arg(1), r.elem())), true
	case "map_or_else":
		return g.union(e.callClosure(c.arg(0)), e.callClosure(c.arg(1), r.elem())), true
	case "fold", "try_fold", "rfold":
		acc := c.arg(0)
		made := e.callClosure(c.arg(1), acc, r.elem())
		return g.union(acc, g.union(made, e.callClosure(c.arg(1), made, r.elem()))), true
	case "ok_or_else":
		return e.generic("Result", r.first(), e.callClosure(c.arg(0))), true
	case "or_insert_with", "or_insert_with_key", "get_or_insert_with":
		return g.union(r.first(), e.callClosure(c.arg(0))), true
	}
	return 0, false
}
