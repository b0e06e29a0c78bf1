package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/quarry-search/quarry/api/wire"
)

// maxSymbols bounds an answer about the symbols of all files: what an endpoint gives at once.
const maxSymbols = 100

// kinds are the protocol's of those of symbols.
func kindOf(kind string) protocol.SymbolKind {
	switch kind {
	case "method":
		return protocol.SymbolKindMethod
	case "constructor":
		return protocol.SymbolKindConstructor
	case "class", "type":
		return protocol.SymbolKindClass
	case "struct":
		return protocol.SymbolKindStruct
	case "interface", "trait":
		return protocol.SymbolKindInterface
	case "enum":
		return protocol.SymbolKindEnum
	case "module":
		return protocol.SymbolKindModule
	case "namespace":
		return protocol.SymbolKindNamespace
	case "constant":
		return protocol.SymbolKindConstant
	case "variable":
		return protocol.SymbolKindVariable
	case "field":
		return protocol.SymbolKindField
	case "heading":
		return protocol.SymbolKindString
	case "rule", "key":
		return protocol.SymbolKindKey
	}
	return protocol.SymbolKindFunction
}

// workspaceSymbols answers with symbols whose names are like a query.
func (r *request) workspaceSymbols(ctx context.Context, p *protocol.WorkspaceSymbolParams) (any, error) {
	out := []protocol.SymbolInformation{}
	if p.Query == "" {
		r.log(ctx, protocol.MessageTypeInfo, "symbols are found by a query, and there is none")
		return out, nil
	}
	a, err := ask[wire.SearchResponse](ctx, r, "/search", "", map[string]any{"query": p.Query, "mode": "symbol", "limit": maxSymbols})
	if err != nil {
		return nil, err
	}
	for i := range a.Results {
		s := &a.Results[i]
		path := absolute(&a.Index, s.File)
		line, column := r.nameIn(path, s.Line, s.EndLine, lastName(s.Symbol))
		out = append(out, protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: s.Symbol, Kind: kindOf(s.Kind), ContainerName: ptr(s.File)},
			Location:              r.location(path, line, column, len(lastName(s.Symbol))),
		})
	}
	if a.Meta.Truncated {
		r.log(ctx, protocol.MessageTypeInfo, "%d symbols are like %q, and the best %d are listed", a.Meta.Matches, p.Query, len(out))
	}
	return out, nil
}

// nameIn returns where a name first stands as a word in some lines, from 1; where it does not, the
// beginning of the first.
func (r *request) nameIn(path string, from, to int, name string) (line, column int) {
	t := r.text(path)
	for n := from; n <= to; n++ {
		if at := word(t.line(n-1), name); at >= 0 {
			return n, at + 1
		}
	}
	return from, 1
}

// outline asks for the symbols of a file. A file that is not indexed is an error.
func (r *request) outline(ctx context.Context, u uri.URI) (path string, f *wire.FileStructure, err error) {
	if path, err = r.path(u); err != nil {
		return "", nil, err
	}
	a, err := ask[wire.StructureResponse](ctx, r, "/structure", path, map[string]any{"path": path, "limit": 1})
	if err != nil {
		return "", nil, err
	}
	for i := range a.Files {
		if absolute(&a.Index, a.Files[i].File) == path {
			if n := a.Files[i].Omitted; n > 0 {
				r.log(ctx, protocol.MessageTypeWarning, "%s has %d more symbols than the answer", a.Files[i].File, n)
			}
			return path, &a.Files[i], nil
		}
	}
	return "", nil, wire.Problemf(wire.CodeNotFound, "%s is not in the index", path)
}

// documentSymbols answers with the symbols of a file, as a tree if the client takes one.
func (r *request) documentSymbols(ctx context.Context, p *protocol.DocumentSymbolParams) (any, error) {
	path, f, err := r.outline(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if r.hierarchy {
		return r.tree(path, f.Symbols), nil
	}
	out := []protocol.SymbolInformation{}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		info := protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: s.Name, Kind: kindOf(s.Kind)},
			Location:              protocol.Location{URI: p.TextDocument.URI, Range: r.whole(path, s)},
		}
		if s.Parent != "" {
			info.ContainerName = &s.Parent
		}
		out = append(out, info)
	}
	return out, nil
}

// whole returns the range of the lines of a symbol.
func (r *request) whole(path string, s *wire.StructureSymbol) protocol.Range {
	t := r.text(path)
	return protocol.Range{Start: t.at(s.Line-1, 0, r.encoding), End: t.end(s.EndLine-1, r.encoding)}
}

// tree puts symbols into those around them. They come in the order of where they begin.
func (r *request) tree(path string, list []wire.StructureSymbol) []protocol.DocumentSymbol {
	type level struct {
		symbol   protocol.DocumentSymbol
		until    int // its last line
		qualifed string
	}
	var open []level
	out := []protocol.DocumentSymbol{}
	pop := func() {
		last := open[len(open)-1].symbol
		if open = open[:len(open)-1]; len(open) > 0 {
			around := &open[len(open)-1].symbol
			around.Children = append(around.Children, last)
			return
		}
		out = append(out, last)
	}
	for i := range list {
		s := &list[i]
		for len(open) > 0 && (s.Line > open[len(open)-1].until || s.EndLine > open[len(open)-1].until || s.Parent != open[len(open)-1].qualifed) {
			pop()
		}
		line, column := r.nameIn(path, s.Line, s.EndLine, s.Name)
		d := protocol.DocumentSymbol{
			Name: s.Name, Kind: kindOf(s.Kind), Range: r.whole(path, s), SelectionRange: r.location(path, line, column, 0).Range,
		}
		if word(r.text(path).line(line-1), s.Name) == column-1 {
			d.SelectionRange = r.text(path).span(line-1, column-1, len(s.Name), r.encoding)
		}
		if s.Name == "" {
			d.Name = s.Kind
		}
		if s.Signature != "" {
			d.Detail = &s.Signature
		}
		name := s.Name
		if s.Parent != "" {
			name = s.Parent + "." + s.Name
		}
		open = append(open, level{d, s.EndLine, name})
	}
	for len(open) > 0 {
		pop()
	}
	return out
}

// foldings answers with the symbols of more than one line.
func (r *request) foldings(ctx context.Context, p *protocol.FoldingRangeParams) (any, error) {
	_, f, err := r.outline(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.FoldingRange{}
	seen := map[protocol.FoldingRange]bool{}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		fold := protocol.FoldingRange{StartLine: uint32(s.Line - 1), EndLine: uint32(s.EndLine - 1)}
		if s.EndLine > s.Line && !seen[fold] {
			seen[fold] = true
			out = append(out, fold)
		}
	}
	return out, nil
}

// selections answers, for each position, with the word, the line and the symbols around it.
func (r *request) selections(ctx context.Context, p *protocol.SelectionRangeParams) (any, error) {
	path, f, err := r.outline(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	t := r.text(path)
	out := []protocol.SelectionRange{}
	for _, at := range p.Positions {
		line := int(at.Line)
		list := []protocol.Range{{Start: t.at(0, 0, r.encoding), End: t.end(len(t.lines)-1, r.encoding)}}
		for i := range f.Symbols { // those around come before what they contain
			if s := &f.Symbols[i]; s.Line-1 <= line && line <= s.EndLine-1 {
				list = append(list, r.whole(path, s))
			}
		}
		text := t.line(line)
		start, end := 0, len(text)
		for start < end && (text[start] == ' ' || text[start] == '\t') {
			start++
		}
		list = append(list, t.span(line, start, end-start, r.encoding))
		from := bytesOf(text, int(at.Character), r.encoding)
		for from > 0 && inWord(rune(text[from-1])) {
			from--
		}
		list = append(list, t.span(line, from, wordLength(text[from:]), r.encoding))
		var s *protocol.SelectionRange
		for _, one := range list {
			if s == nil || s.Range != one && within(one, s.Range) && within(protocol.Range{Start: at, End: at}, one) {
				s = &protocol.SelectionRange{Range: one, Parent: s}
			}
		}
		out = append(out, *s)
	}
	return out, nil
}

// within reports whether a range is in another one.
func within(a, b protocol.Range) bool { return !before(a.Start, b.Start) && !before(b.End, a.End) }

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
