package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/quarry-search/quarry/api/wire"
)

// item describes a symbol for a hierarchy. Its data is the target of the questions about it.
func (r *request) item(a *wire.DefinitionResponse, d *wire.Defined) protocol.CallHierarchyItem {
	at := r.place(&a.Index, d)
	t := r.text(absolute(&a.Index, d.File))
	return protocol.CallHierarchyItem{
		Name: lastName(d.Symbol), Kind: kindOf(d.Kind), Detail: ptr(d.Symbol + " " + filepath.Base(d.File)), URI: at.URI,
		Range: protocol.Range{Start: t.at(min(d.Line, d.NameLine)-1, 0, r.encoding), End: t.end(d.EndLine-1, r.encoding)}, SelectionRange: at.Range,
		Data: data(target(a, d)),
	}
}

func data(target string) protocol.LSPAny {
	text, err := json.Marshal(target)
	if err != nil {
		return nil
	}
	return text
}

// targetOf returns the target that is the data of an item.
func targetOf(data protocol.LSPAny) (target string, err error) {
	if json.Unmarshal(data, &target) != nil || target == "" {
		return "", jsonrpc2.NewError(jsonrpc2.InvalidParams, "the item has no data of this server")
	}
	return target, nil
}

// prepareCalls answers with the functions that a position names.
func (r *request) prepareCalls(ctx context.Context, p *protocol.CallHierarchyPrepareParams) (any, error) {
	_, a, err := r.named(ctx, &p.TextDocumentPositionParams, false)
	if err != nil {
		return nil, err
	}
	var out []protocol.CallHierarchyItem
	for _, d := range meant(a) {
		if called(d.Kind) {
			out = append(out, r.item(a, &d))
		}
	}
	if out == nil {
		return nil, nil
	}
	return out, nil
}

// isCall reports whether an edge is a call. One by way of an interface is a reference to its method.
func isCall(e *wire.CallEdge) bool {
	return e.Kind == "calls" || e.Kind == "references" && e.Rule == "hierarchy"
}

// incomingCalls answers with the functions that name a function: that call it or, as a value, hand
// it on.
func (r *request) incomingCalls(ctx context.Context, p *protocol.CallHierarchyIncomingCallsParams) (any, error) {
	if _, err := targetOf(p.Item.Data); err != nil {
		return nil, err
	}
	_, a, err := r.kin(ctx, &protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: p.Item.URI}, Position: p.Item.SelectionRange.Start,
	})
	if err != nil {
		return nil, err
	}
	out := []protocol.CallHierarchyIncomingCall{}
	index := map[string]int{}
	seen := map[protocol.Location]bool{}
	for _, d := range r.together(ctx, a) {
		fields := map[string]any{"target": target(a, &d), "direction": "references", "limit": wire.MaxEdges}
		err := pages(ctx, r, "/calls", "", fields, func(of *wire.CallsResponse) {
			for _, e := range incoming(of) {
				at := r.word(&of.Index, e)
				if e.Kind == "imports" || seen[at] {
					continue
				}
				seen[at] = true
				key := fmt.Sprintf("%s:%d %s", e.From.File, e.From.Line, e.From.Symbol)
				n, ok := index[key]
				if !ok {
					n = len(out)
					index[key] = n
					out = append(out, protocol.CallHierarchyIncomingCall{From: r.end(&of.Index, e.From.Symbol, e.From.File, e.From.Line), FromRanges: []protocol.Range{}})
				}
				out[n].FromRanges = append(out[n].FromRanges, at.Range)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// incoming are the edges that are known, and those by way of an interface outside of the index that the type of
// a method implements.
func incoming(a *wire.CallsResponse) (list []*wire.CallEdge) {
	for i := range a.Edges {
		list = append(list, &a.Edges[i])
	}
	for i := range a.Ambiguous {
		if e := &a.Ambiguous[i]; e.Rule == "hierarchy" {
			list = append(list, e)
		}
	}
	return list
}

// outgoingCalls answers with what a function calls by its name, of what is in the index. What may run
// then, since it is a function value or overrides what is called, is logged as a number.
func (r *request) outgoingCalls(ctx context.Context, p *protocol.CallHierarchyOutgoingCallsParams) (any, error) {
	target, err := targetOf(p.Item.Data)
	if err != nil {
		return nil, err
	}
	out := []protocol.CallHierarchyOutgoingCall{}
	index := map[string]int{}
	var edges []*wire.CallEdge
	var x *wire.Index
	perhaps := 0
	flows := map[[2]int]int{} // calls of what a value may be, with how much that is
	err = r.calls(ctx, target, "callees", func(of *wire.Index, e *wire.CallEdge) {
		x = of
		if e.Rule == "flow" {
			flows[site(e)]++
		}
		switch {
		case e.To.File == "":
		case e.Kind == "calls" && e.Rule == "hierarchy", e.Rule == "flow" && !r.names(of, e):
			perhaps++
		default:
			edges = append(edges, e)
		}
	})
	if err != nil {
		return nil, err
	}
	kept, err := r.written(ctx, x, slices.DeleteFunc(slices.Clone(edges), func(e *wire.CallEdge) bool {
		return e.Rule == "flow" && flows[site(e)] > 1
	}))
	if err != nil {
		return nil, err
	}
	if perhaps += len(edges) - len(kept); perhaps > 0 {
		r.log(ctx, protocol.MessageTypeInfo, "what %d calls of function values and overridden methods may run is left out: quarry calls %s lists it", perhaps, target)
	}
	for _, e := range kept {
		key := fmt.Sprintf("%s:%d %s", e.To.File, e.To.Line, e.To.Symbol)
		n, ok := index[key]
		if !ok {
			n = len(out)
			index[key] = n
			out = append(out, protocol.CallHierarchyOutgoingCall{To: r.end(x, e.To.Symbol, e.To.File, e.To.Line), FromRanges: []protocol.Range{}})
		}
		out[n].FromRanges = append(out[n].FromRanges, r.word(x, e).Range)
	}
	return out, nil
}

func site(e *wire.CallEdge) [2]int { return [2]int{e.Line, e.Column} }

// written leaves out edges to what may run in the place of what is written where they begin: where that is the method
// of an interface, there is an edge to it. A name of Go means one thing, which is asked for wherever there is more than
// one edge, or one that is not exact, or that the type of a value tells, which may be of another module.
func (r *request) written(ctx context.Context, x *wire.Index, edges []*wire.CallEdge) (kept []*wire.CallEdge, err error) {
	ways, abstract := map[[2]int]int{}, map[[2]int]bool{}
	for _, e := range edges {
		ways[site(e)]++
		abstract[site(e)] = abstract[site(e)] || e.Kind != "calls"
	}
	meant := map[[2]int]*wire.DefinitionResponse{}
	for _, e := range edges {
		at := site(e)
		switch {
		case e.Kind == "calls" && abstract[at]:
			continue
		case path.Ext(e.From.File) == ".go" && (ways[at] > 1 || e.Rule == "flow" || e.Rule == "type" || e.Confidence != wire.ConfidenceExact):
			if meant[at] == nil {
				file := absolute(x, e.From.File)
				meant[at], err = ask[wire.DefinitionResponse](ctx, r, "/definition", file, map[string]any{"path": file, "line": e.Line, "column": e.Column})
				if err != nil {
					return nil, err
				}
			}
			is := func(d wire.Defined) bool {
				return d.File == e.To.File && (d.Line == e.To.Line || d.NameLine == e.To.Line)
			}
			if !slices.ContainsFunc(meant[at].Definitions, is) {
				continue
			}
		}
		kept = append(kept, e)
	}
	return kept, nil
}

// isVariant reports whether an edge that is one of several leads to what Go builds under this name on
// some system: on each there is one.
func isVariant(e *wire.CallEdge) bool {
	switch e.Rule {
	case "scope", "import", "type", "self", "overload": // Go has no other overloads
		return e.Confidence == wire.ConfidenceScoped && path.Ext(e.From.File) == ".go"
	}
	return false
}

// calls asks for the calls around a function, of those that are resolved. The others are logged.
func (r *request) calls(ctx context.Context, target, direction string, take func(*wire.Index, *wire.CallEdge)) error {
	perhaps := 0
	err := pages(ctx, r, "/calls", "", map[string]any{"target": target, "direction": direction, "limit": wire.MaxEdges}, func(a *wire.CallsResponse) {
		perhaps = a.Counts.Ambiguous
		for i := range a.Edges {
			if e := &a.Edges[i]; isCall(e) {
				take(&a.Index, e)
			}
		}
		for i := range a.Ambiguous {
			if e := &a.Ambiguous[i]; isVariant(e) {
				perhaps--
				take(&a.Index, e)
			}
		}
	})
	if err == nil && perhaps > 0 {
		r.log(ctx, protocol.MessageTypeInfo, "%d more calls may be of it: quarry calls %s --direction %s lists them", perhaps, target, direction)
	}
	return err
}

// end describes one end of a call: a symbol by its line, or the code of a file that is in none.
func (r *request) end(x *wire.Index, symbol, file string, line int) protocol.CallHierarchyItem {
	path := absolute(x, file)
	name := lastName(symbol)
	if name == "" {
		name = filepath.Base(file)
	}
	t := r.text(path)
	at := r.location(path, line, 1, 0)
	column := word(t.line(line-1), name)
	if column >= 0 {
		at = r.location(path, line, column+1, len(name))
	}
	return protocol.CallHierarchyItem{
		Name: name, Kind: protocol.SymbolKindFunction, Detail: ptr(symbol + " " + file), URI: at.URI,
		Range: protocol.Range{Start: t.at(line-1, 0, r.encoding), End: t.end(line-1, r.encoding)}, SelectionRange: at.Range,
		Data: data(fmt.Sprintf("%s:%d:%d", path, line, max(column+1, 1))),
	}
}

// word returns the location of a call: of the name that is called, or of the word that stands
// there.
func (r *request) word(x *wire.Index, e *wire.CallEdge) protocol.Location {
	path := absolute(x, e.From.File)
	line := r.text(path).line(e.Line - 1)
	length := 0
	if e.Column-1 <= len(line) {
		length = wordLength(line[max(e.Column-1, 0):])
	}
	return r.location(path, e.Line, e.Column, length)
}

// names reports whether the name of what is called stands at the call.
func (r *request) names(x *wire.Index, e *wire.CallEdge) bool {
	line := r.text(absolute(x, e.From.File)).line(e.Line - 1)
	if e.Column < 1 || e.Column-1 > len(line) {
		return false
	}
	rest := line[e.Column-1:]
	return rest[:wordLength(rest)] == lastName(e.To.Symbol)
}

// prepareTypes answers with the types that a position names.
func (r *request) prepareTypes(ctx context.Context, p *protocol.TypeHierarchyPrepareParams) (any, error) {
	_, a, err := r.named(ctx, &p.TextDocumentPositionParams, false)
	if err != nil {
		return nil, err
	}
	var out []protocol.TypeHierarchyItem
	for _, d := range meant(a) {
		if isType(d.Kind) {
			out = append(out, protocol.TypeHierarchyItem(r.item(a, &d)))
		}
	}
	if out == nil {
		return nil, nil
	}
	return out, nil
}

func isType(kind string) bool {
	switch kind {
	case "class", "struct", "interface", "trait", "enum", "type", "module":
		return true
	}
	return false
}

// supertypes answers with what a type extends or implements.
func (r *request) supertypes(ctx context.Context, p *protocol.TypeHierarchySupertypesParams) (any, error) {
	return r.types(ctx, &p.Item, func(a *wire.DefinitionResponse) []wire.Relative { return a.Above })
}

// subtypes answers with what extends or implements a type.
func (r *request) subtypes(ctx context.Context, p *protocol.TypeHierarchySubtypesParams) (any, error) {
	return r.types(ctx, &p.Item, func(a *wire.DefinitionResponse) []wire.Relative { return a.Below })
}

func (r *request) types(ctx context.Context, item *protocol.TypeHierarchyItem, side func(*wire.DefinitionResponse) []wire.Relative) (any, error) {
	if _, err := targetOf(item.Data); err != nil {
		return nil, err
	}
	_, a, err := r.kin(ctx, &protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: item.URI}, Position: item.SelectionRange.Start,
	})
	if err != nil {
		return nil, err
	}
	out := []protocol.TypeHierarchyItem{}
	for _, d := range side(a) {
		if d.Depth == 1 {
			out = append(out, protocol.TypeHierarchyItem(r.item(a, &d.Defined)))
		}
	}
	return out, nil
}
