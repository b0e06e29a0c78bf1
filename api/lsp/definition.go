package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/quarry-search/quarry/api/wire"
)

// definition answers where what is named is defined.
func (r *request) definition(ctx context.Context, p *protocol.DefinitionParams) (any, error) {
	return r.defined(ctx, &p.TextDocumentPositionParams)
}

// declaration is the same: the index has no others.
func (r *request) declaration(ctx context.Context, p *protocol.DeclarationParams) (any, error) {
	return r.defined(ctx, &p.TextDocumentPositionParams)
}

func (r *request) defined(ctx context.Context, p *protocol.TextDocumentPositionParams) (any, error) {
	path, a, err := r.named(ctx, p, false)
	if err != nil {
		return nil, err
	}
	out := []protocol.Location{}
	if l := a.Local; l != nil {
		return append(out, r.location(path, l.Line, l.Column, len(a.Name))), nil
	}
	if len(a.Definitions) == 0 && len(a.Ambiguous) > 0 {
		r.log(ctx, protocol.MessageTypeInfo, "what %s means there is not known: these are the %d symbols of the name", a.Name, len(a.Ambiguous))
	}
	for _, d := range meant(a) {
		out = append(out, r.place(&a.Index, &d))
	}
	return out, nil
}

// typeDefinition answers where the type of what is named is defined: of a function that of its results.
func (r *request) typeDefinition(ctx context.Context, p *protocol.TypeDefinitionParams) (any, error) {
	path, line, column, err := r.at(&p.TextDocumentPositionParams)
	if err != nil {
		return nil, err
	}
	a, err := ask[wire.DefinitionResponse](ctx, r, "/definition", path, map[string]any{"path": path, "line": line, "column": column, "type_of": true})
	if err != nil || len(a.TypeOf) == 0 {
		return nil, err
	}
	out := []protocol.Location{}
	for _, d := range a.TypeOf {
		out = append(out, r.place(&a.Index, &d))
	}
	return out, nil
}

// implementation answers what implements or overrides what is named.
func (r *request) implementation(ctx context.Context, p *protocol.ImplementationParams) (any, error) {
	_, a, err := r.kin(ctx, &p.TextDocumentPositionParams)
	if err != nil {
		return nil, err
	}
	out := []protocol.Location{}
	for _, d := range a.Below {
		out = append(out, r.place(&a.Index, &d.Defined))
	}
	return out, nil
}

// kin asks what is named at a position, and what is above and below that.
func (r *request) kin(ctx context.Context, p *protocol.TextDocumentPositionParams) (path string, a *wire.DefinitionResponse, err error) {
	path, line, column, err := r.at(p)
	if err != nil {
		return "", nil, err
	}
	a, err = ask[wire.DefinitionResponse](ctx, r, "/definition", path, map[string]any{"path": path, "line": line, "column": column, "types": true, "uses": true})
	return path, a, err
}

// together are the symbols whose references are asked for together: what is named and, of a method,
// those that it overrides or implements and that override or implement it, since a call of one may
// be a call of the other. Where it is not known what is named, it is the only symbol of the name, or
// there are none.
func (r *request) together(ctx context.Context, a *wire.DefinitionResponse) []wire.Defined {
	if len(a.Definitions) == 0 && len(a.Ambiguous) > 0 {
		r.log(ctx, protocol.MessageTypeInfo, "what %s means there is not known: %d symbols have the name", a.Name, len(a.Ambiguous))
	}
	list := slices.Clone(a.Definitions)
	if len(list) == 0 && len(a.Ambiguous) == 1 {
		list = slices.Clone(a.Ambiguous)
	}
	if len(list) > 0 && list[0].Kind == "method" { // after what is named
		for _, d := range slices.Concat(a.Above, a.Below) {
			list = append(list, d.Defined)
		}
	}
	return list
}

// references answers with the places that are known to name what is named at a position.
func (r *request) references(ctx context.Context, p *protocol.ReferenceParams) (any, error) {
	path, a, err := r.kin(ctx, &p.TextDocumentPositionParams)
	if err != nil {
		return nil, err
	}
	out := []protocol.Location{}
	if l := a.Local; l != nil {
		for _, u := range l.Uses {
			if p.Context.IncludeDeclaration || u.Line != l.Line || u.Column != l.Column {
				out = append(out, r.location(path, u.Line, u.Column, len(a.Name)))
			}
		}
		return out, nil
	}
	seen := map[protocol.Location]bool{}
	add := func(l protocol.Location) {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	for i, d := range r.together(ctx, a) {
		if p.Context.IncludeDeclaration && i < max(len(a.Definitions), 1) {
			add(r.place(&a.Index, &d))
		}
		err := r.uses(ctx, target(a, &d), "", func(index *wire.Index, u *wire.Reference) {
			add(r.use(index, u))
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// uses asks for the places that name a symbol, in all files or in one. What has the name, and no
// more is known, is logged and left out.
func (r *request) uses(ctx context.Context, target, path string, take func(*wire.Index, *wire.Reference)) error {
	fields := map[string]any{"target": target, "limit": wire.MaxEdges}
	if path != "" {
		fields["path"] = path
	}
	perhaps := 0
	err := pages(ctx, r, "/references", path, fields, func(a *wire.ReferencesResponse) {
		perhaps = a.Counts.Ambiguous
		for i := range a.References {
			take(&a.Index, &a.References[i])
		}
	})
	if err == nil && perhaps > 0 {
		r.log(ctx, protocol.MessageTypeInfo, "%d more places have the name, and may mean something else: quarry references %s lists them", perhaps, target)
	}
	return err
}

// use returns the location of a reference: of the word that stands there.
func (r *request) use(index *wire.Index, u *wire.Reference) protocol.Location {
	path := absolute(index, u.File)
	line := r.text(path).line(u.Line - 1)
	length := 0
	if u.Column-1 <= len(line) {
		length = wordLength(line[max(u.Column-1, 0):])
	}
	return r.location(path, u.Line, u.Column, length)
}

// highlights answers with the places of the same file that name the same.
func (r *request) highlights(ctx context.Context, p *protocol.DocumentHighlightParams) (any, error) {
	path, a, err := r.named(ctx, &p.TextDocumentPositionParams, true)
	if err != nil {
		return nil, err
	}
	out := []protocol.DocumentHighlight{}
	add := func(l protocol.Location, write bool) {
		kind := protocol.DocumentHighlightKindRead
		if write {
			kind = protocol.DocumentHighlightKindWrite
		}
		out = append(out, protocol.DocumentHighlight{Range: l.Range, Kind: kind})
	}
	if l := a.Local; l != nil {
		for _, u := range l.Uses {
			add(r.location(path, u.Line, u.Column, len(a.Name)), u.Write)
		}
		return out, nil
	}
	for _, d := range a.Definitions {
		if absolute(&a.Index, d.File) == path {
			add(r.place(&a.Index, &d), true)
		}
		err := r.uses(ctx, target(a, &d), path, func(index *wire.Index, u *wire.Reference) {
			add(r.use(index, u), u.Kind == wire.ReferenceWrite)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lastName is the last part of a qualified name.
func lastName(symbol string) string { return symbol[strings.LastIndexByte(symbol, '.')+1:] }
