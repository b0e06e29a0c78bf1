package socket

import (
	"context"
	"slices"
)

// blockTypes are llm-tldr's words for the types of blocks, where they are others.
var blockTypes = map[string]string{"loop": "loop_header", "case": "branch", "catch": "branch", "raise": "exit"}

// edgeTypes are its words for the kinds of edges.
var edgeTypes = map[string]string{
	"next": "unconditional", "return": "unconditional", "goto": "unconditional", "finally": "unconditional", "resume": "unconditional",
	"back": "back_edge", "raise": "exception",
}

// control answers with the control flow of a function.
func (c *call) control(_ context.Context, body fields) (answer, error) {
	loops := map[int]bool{} // heads of loops over elements
	blocks := []fields{}
	inLoop := func(b fields) string {
		if b.text("type") == "body" && b.number("loop") > 0 {
			return "loop_body"
		}
		return b.text("type")
	}
	for _, b := range body.list("blocks") {
		kind := inLoop(b)
		if other, ok := blockTypes[kind]; ok {
			kind = other
		}
		loops[b.number("id")] = kind == "loop_header"
		line, end := b["line"], b["end_line"]
		out := fields{"id": b["id"], "type": kind, "lines": []any{line, end}, "start_line": line, "end_line": end, "block_type": kind}
		if b["calls"] != nil {
			out["calls"] = b["calls"]
		}
		blocks = append(blocks, out)
	}
	edges := []fields{}
	for _, e := range body.list("edges") {
		kind := e.text("kind")
		if other, ok := edgeTypes[kind]; ok {
			kind = other
		}
		if loops[e.number("from")] {
			switch kind {
			case "true":
				kind = "iterate"
			case "false":
				kind = "exhausted"
			}
		}
		out := fields{"from": e["from"], "to": e["to"], "type": kind}
		if e["condition"] != nil {
			out["condition"] = e["condition"]
		}
		edges = append(edges, out)
	}
	result := fields{
		"function": body.object("function").text("name"), "blocks": blocks, "edges": edges, "entry_block": body["entry"], "exit_blocks": body["exits"],
		"cyclomatic_complexity": body["complexity"], "num_blocks": len(blocks), "unreachable": body["unreachable"],
	}
	return answer{"result": result}.with(body), nil
}

// data answers with the data flow of a function. Columns are counted from 0 here.
func (c *call) data(_ context.Context, body fields) (answer, error) {
	ref := func(r fields) fields {
		return fields{"name": r.text("name") + r.text("part"), "type": r["type"], "line": r["line"], "column": r.number("column") - 1}
	}
	refs, definitions, uses := []fields{}, []fields{}, []fields{}
	for _, r := range body.list("refs") {
		if r.flag("by_call") || r.flag("inner") {
			continue
		}
		refs = append(refs, ref(r))
		place := fields{"var_name": r.text("name"), "line": r["line"]}
		if r.text("type") != "definition" {
			uses = append(uses, place)
		}
		if r.text("type") != "use" {
			definitions = append(definitions, place)
		}
	}
	edges := []fields{}
	for _, e := range body.list("edges") {
		def, use := e.object("def"), e.object("use")
		edges = append(edges, fields{"var": e["variable"], "def_line": def["line"], "use_line": use["line"], "def": ref(def), "use": ref(use)})
	}
	variables := []string{}
	for _, v := range body.list("variables") {
		if name := v.text("name"); !slices.Contains(variables, name) {
			variables = append(variables, name)
		}
	}
	result := fields{
		"function": body.object("function").text("name"), "refs": refs, "edges": edges, "variables": variables, "definitions": definitions, "uses": uses,
	}
	return answer{"result": result}.with(body), nil
}

// slice answers with the numbers of the lines in the target's function, and with all of them.
func (c *call) slice(_ context.Context, body fields) (answer, error) {
	lines, variables, code := []int{}, []string{}, ""
	function := body.object("function")
	for _, l := range body.list("lines") {
		if l.text("file") != function.text("file") {
			continue
		}
		for n := l.number("line"); n <= l.number("end_line"); n++ {
			lines = append(lines, n)
		}
		if v := l.text("variable"); v != "" && !slices.Contains(variables, v) {
			variables = append(variables, v)
		}
		code += l.text("text") + "\n"
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	result := fields{"lines": lines, "count": len(lines), "variables": variables, "code": code, "slice": body["lines"]}
	return answer{"result": result, "lines": lines, "count": len(lines)}.with(body), nil
}
