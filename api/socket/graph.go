package socket

import (
	"context"
	"strconv"
)

// context answers with the text for a model as result, and with what it was made of.
func (c *call) context(ctx context.Context, body fields) (answer, error) {
	entry := fields(nil)
	if d := body.object("definition"); d != nil {
		entry = fields{"file": d["file"], "line": d["line"], "signature": d["signature"], "function": d["symbol"]}
	}
	parts := fields{"entry_point": any(nil), "callees": named(body.list("functions")), "callers": named(body.list("callers"))}
	if entry != nil {
		parts["entry_point"] = entry
	}
	for name, v := range body {
		if _, has := parts[name]; !has && name != "text" && name != "index" && name != "meta" {
			parts[name] = v
		}
	}
	return answer{"result": body["text"], "context": parts}.with(body), nil
}

// named says again what symbols are called, as llm-tldr's clients read it.
func named(list []fields) []fields {
	for _, f := range list {
		f["function"] = f["symbol"]
	}
	return list
}

// impact answers with what depends on a symbol or a diff: as a list, and as the tree
// that llm-tldr's command prints.
func (c *call) impact(ctx context.Context, body fields) (answer, error) {
	callers := named(body.list("callers"))
	for _, r := range callers {
		r["caller"] = r["symbol"]
	}
	targets := fields{}
	if d := body.object("definition"); d != nil {
		key := place(d)
		targets[key] = fields{
			"function": d["symbol"], "file": d["file"], "line": d["line"], "callers": callTree(callers, key), "caller_count": direct(callers, key),
		}
	}
	body["targets"], body["total_targets"] = targets, len(targets)
	return answer{"result": body, "callers": callers}.with(body), nil
}

// place is what a symbol is found by.
func place(f fields) string { return f.text("file") + ":" + f.text("symbol") }

// direct counts the callers that reach a symbol without others.
func direct(callers []fields, of string) (n int) {
	for _, r := range callers {
		if place(r.object("via")) == of && r.number("depth") == 1 {
			n++
		}
	}
	return n
}

// callTree hangs each caller under what it calls. A caller whose step in between is on
// another page has no place in it.
func callTree(callers []fields, root string) []fields {
	below := map[string][]fields{}
	for _, r := range callers {
		via := place(r.object("via")) + " " + strconv.Itoa(r.number("depth"))
		below[via] = append(below[via], r)
	}
	var grow func(at string, depth int) []fields
	grow = func(at string, depth int) []fields {
		list := []fields{}
		for _, r := range below[at+" "+strconv.Itoa(depth)] {
			list = append(list, fields{
				"function": r["symbol"], "file": r["file"], "line": r["line"], "callers": grow(place(r), depth+1),
			})
		}
		return list
	}
	return grow(root, 1)
}

// maxGraph bounds the edges of a whole graph, and graphPage those that are asked for at
// once.
const (
	maxGraph  = 20_000
	graphPage = 1000
)

// calls answers with the whole graph or, given a target, with what it calls or is called by.
func (c *call) calls(ctx context.Context) (answer, error) {
	if c.f["target"] != nil {
		return c.callsOf(ctx)
	}
	page := c.f["limit"] != nil || c.f["offset"] != nil
	if !page {
		c.f["limit"] = graphPage
	}
	edges := []fields{}
	for {
		body, err := c.get(ctx, "/calls", c.f)
		if err != nil {
			return nil, err
		}
		all := body.object("counts").number("edges")
		for _, e := range body.list("edges") {
			from, to := e.object("from"), e.object("to")
			edges = append(edges, fields{
				"from_file": from["file"], "from_func": from["symbol"], "to_file": to["file"], "to_func": to["symbol"],
				"line": e["line"], "confidence": e["confidence"],
			})
		}
		next := body.number("next_offset")
		if page || next == 0 || next >= all || len(edges) >= maxGraph {
			more := len(edges) < all
			a := answer{"result": fields{"edges": edges, "count": all, "truncated": more}, "truncated": more, "total": all, "counts": body["counts"]}
			if more && next > 0 {
				a["next_offset"] = next
			}
			return a.with(body), nil
		}
		c.f["offset"] = next
	}
}

// sure puts an edge's confidence between 0 and 1, where clients print a score of
// whatever is in a list.
func sure(confidence string) float64 {
	switch confidence {
	case "name":
		return 0.5
	case "scoped":
		return 0.9
	}
	return 1
}

// callsOf answers with the functions around a target, each once, the nearest first.
func (c *call) callsOf(ctx context.Context) (answer, error) {
	direction := c.f.text("direction")
	if direction == "" {
		direction = "callees"
	}
	text, body, err := c.ask(ctx, "/calls", c.f)
	switch {
	case err != nil:
		return nil, err
	case body == nil:
		return answer{"result": text}, nil
	}
	signatures := map[string]any{}
	if around, err := c.get(ctx, "/trace", fields{"symbol": c.f["target"], "depth": c.f["depth"], "limit": 100}); err == nil {
		for _, name := range []string{"callers", "callees"} {
			for _, n := range around.list(name) {
				signatures[place(n)] = n["signature"]
			}
		}
	}
	list, seen := []fields{}, map[string]bool{}
	for _, set := range []string{"edges", "ambiguous", "external"} {
		for _, e := range body.list(set) {
			end := e.object("to")
			if direction == "callers" {
				end = e.object("from")
			}
			key := place(end)
			if direction == "both" {
				key = place(e.object("from")) + " " + key
			}
			if seen[key] {
				continue
			}
			seen[key] = true
			one := fields{"function": end["symbol"], "file": end["file"], "line": end["line"], "signature": signatures[place(end)],
				"call_line": e["line"], "depth": e["depth"], "confidence": e["confidence"], "score": sure(e.text("confidence")), "caller": e.object("from")["symbol"]}
			if s, _ := one["signature"].(string); s == "" {
				one["signature"] = end["symbol"] // the list is printed with it
			}
			list = append(list, one)
		}
	}
	return answer{"result": list, "calls": body}.with(body), nil
}
