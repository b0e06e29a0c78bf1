package service

import (
	"context"
	"slices"

	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
)

// structureResponse is an answer to /structure.
type structureResponse struct {
	root string
	outline.StructureAnswer
	meta   wire.Meta
	offset int
}

func (b *structureResponse) trim(share float64) bool {
	return shorten(&b.Files, &b.Page, b.offset, &b.meta, share) || shortenFirst(b.Files, &b.Page, &b.meta, share)
}

func (b *structureResponse) short() bool { return b.meta.Truncated }

func (b *structureResponse) wire() any {
	return &wire.StructureResponse{
		Root: b.root,
		Files: Each(b.Files, func(f *outline.FileStructure) wire.FileStructure {
			return wire.FileStructure{File: f.File, Lang: f.Lang, Lines: f.Lines, Symbols: Each(f.Symbols, symbolOf), Omitted: f.Omitted}
		}),
		Totals: wire.StructureTotals(b.Totals), Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Index: indexOf(b.State), Meta: b.meta,
	}
}

// Structure answers with the symbols of files.
func (s *Service) Structure(ctx context.Context, c *Call, q *wire.StructureRequest) (*wire.StructureResponse, error) {
	s.fill(c, q)
	ask := outline.StructureQuery{Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, Limit: q.Limit, Offset: q.Offset, Depth: q.Depth}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, class: slot.Cheap}
	return as[wire.StructureResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		if err := resolve(v, &ask.Path); err != nil {
			return nil, answer.State{}, err
		}
		a, err := v.Structure(ctx, ask)
		if err != nil {
			return nil, a.State, err
		}
		d := &structureResponse{root: v.Root(), StructureAnswer: a, meta: metaOf("structure", &a.Page, v), offset: q.Offset}
		if a.Total == 0 {
			d.meta.Unindexed, err = unindexed(v, ask.Path)
		}
		return d, a.State, err
	}))
}

// skeletonResponse is an answer to /skeleton.
type skeletonResponse struct {
	outline.Skeletons
	meta   wire.Meta
	offset int
}

func (b *skeletonResponse) trim(share float64) bool {
	if shorten(&b.Files, &b.Page, b.offset, &b.meta, share) {
		b.Join()
		return true
	}
	if !b.ShortenFirst(share) {
		return false
	}
	cut(&b.meta, cutSize)
	return true
}

func (b *skeletonResponse) short() bool { return b.meta.Truncated }

func (b *skeletonResponse) wire() any {
	return &wire.SkeletonResponse{
		Files: Each(b.Files, func(f *outline.FileSkeleton) wire.FileSkeleton { return wire.FileSkeleton(*f) }),
		Text:  b.Text, Tokens: b.Tokens, TokensRaw: b.TokensRaw, LeftOut: Each(b.LeftOut, leftOutOf), LeftOutMore: b.LeftOutMore,
		Definition: optional(b.Definition, definitionOf), Alternatives: Each(b.Others, placeIn),
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Index: indexOf(b.State), Meta: b.meta,
	}
}

// Skeleton answers with code without the bodies of its functions.
func (s *Service) Skeleton(ctx context.Context, c *Call, q *wire.SkeletonRequest) (*wire.SkeletonResponse, error) {
	s.fill(c, q)
	ask := outline.SkeletonQuery{
		Path: q.Target, Glob: q.Glob, Lang: q.Lang, Limit: q.Limit, Offset: q.Offset, NoDocs: q.Docs != nil && !*q.Docs, Lines: q.Lines, MaxTokens: q.MaxTokens,
	}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, class: slot.Cheap}
	return as[wire.SkeletonResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		a, err := v.Skeleton(ctx, ask)
		d := &skeletonResponse{Skeletons: a, meta: metaOf("skeleton", &a.Page, v), offset: q.Offset}
		if q.MaxTokens > 0 {
			d.meta.Tokens = a.Tokens
		}
		return d, a.State, err
	}))
}

// importsResponse is an answer to /imports.
type importsResponse struct {
	outline.ImportsAnswer
	meta   wire.Meta
	offset int
}

func (b *importsResponse) trim(share float64) bool {
	return shorten(&b.Files, &b.Page, b.offset, &b.meta, share) || shortenFirst(b.Files, &b.Page, &b.meta, share)
}

func (b *importsResponse) short() bool { return b.meta.Truncated }

func (b *importsResponse) wire() any {
	return &wire.ImportsResponse{
		Files: Each(b.Files, func(f *outline.FileImports) wire.FileImports {
			return wire.FileImports{File: f.File, Lang: f.Lang, Omitted: f.Omitted, Imports: Each(f.Imports, func(i *outline.FoundImported) wire.FoundImport {
				return wire.FoundImport{Path: i.Path, Name: i.Name, Alias: i.Alias, Line: i.Line, Files: i.Files}
			})}
		}),
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Index: indexOf(b.State), Meta: b.meta,
	}
}

// Imports answers with what files import, or with the files that import something.
func (s *Service) Imports(ctx context.Context, c *Call, q *wire.ImportsRequest) (*wire.ImportsResponse, error) {
	s.fill(c, q)
	ask := outline.ImportsQuery{Path: q.Path, Glob: q.Glob, Lang: q.Lang, Module: q.Module, Head: q.Head, Limit: q.Limit, Offset: q.Offset}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, class: slot.Cheap}
	return as[wire.ImportsResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		if err := resolve(v, &ask.Path); err != nil {
			return nil, answer.State{}, err
		}
		a, err := v.Imports(ctx, ask)
		if err != nil {
			return nil, a.State, err
		}
		d := &importsResponse{ImportsAnswer: a, meta: metaOf("imports", &a.Page, v), offset: q.Offset}
		if a.Total == 0 {
			d.meta.Unindexed, err = unindexed(v, ask.Path)
		}
		return d, a.State, err
	}))
}

// extractResponse is an answer to /extract about a definition.
type extractResponse struct {
	*outline.ExtractedSymbol
	state answer.State
	meta  wire.Meta
}

func (b *extractResponse) trim(share float64) bool {
	if slices.Contains(b.meta.TruncatedBy, string(cutSize)) {
		return false
	}
	b.Shorten(int(share * float64(len(b.Content)) / 2)) // some bytes take two and more in JSON
	cut(&b.meta, cutSize)
	return true
}

func (b *extractResponse) short() bool { return b.meta.Truncated }

func (b *extractResponse) wire() any {
	out := &wire.ExtractedSymbol{
		Symbol: b.Symbol, File: b.File, Line: b.Line, EndLine: b.EndLine, Kind: b.Kind, Lang: b.Lang, Signature: b.Signature, Doc: b.Doc, Changed: b.Changed,
		Content: b.Content, Tokens: b.Tokens, TokensRaw: b.TokensRaw, Truncated: b.Truncated, Alternatives: Each(b.Others, placeIn),
		Index: indexOf(b.state), Meta: b.meta,
	}
	if d := b.DirectCalls; d != nil {
		out.Calls, out.CalledBy = Each(d.Calls, placeIn), Each(d.CalledBy, placeIn)
		out.Complete, out.OpenCalls, out.Incomplete = d.Complete, d.Open, d.Because
	}
	return out
}

// outlineResponse is an answer to /extract about a file.
type outlineResponse struct {
	*outline.ExtractedFile
	state answer.State
	meta  wire.Meta
}

func (b *outlineResponse) trim(share float64) bool {
	if !b.Shorten(share) {
		return false
	}
	cut(&b.meta, cutSize)
	return true
}

func (b *outlineResponse) short() bool { return b.meta.Truncated }

func (b *outlineResponse) wire() any {
	return &wire.ExtractedFile{
		File: b.File, Lang: b.Lang, Lines: b.Lines, Symbols: Each(b.Symbols, symbolOf), Omitted: b.Omitted, Imports: Each(b.Imports, importedOf),
		ImportsOmitted: b.ImportsOmitted, TokensRaw: b.TokensRaw, Changed: b.Changed, Index: indexOf(b.state), Meta: b.meta,
	}
}

// Extract answers with one definition, a *wire.ExtractedSymbol, or with the outline of a
// file, a *wire.ExtractedFile.
func (s *Service) Extract(ctx context.Context, c *Call, q *wire.ExtractRequest) (any, error) {
	s.fill(c, q)
	ask := outline.ExtractQuery{Target: q.Target, MaxTokens: q.MaxTokens}
	switch {
	case q.Target == "":
		ask.Target = q.File
	case q.File != "":
		ask.Target = q.File + ":" + q.Target
	}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, fresh: q.Fresh, class: slot.Cheap, remembers: true}
	return s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		a, err := v.Extract(ctx, ask)
		if err != nil {
			return nil, a.State, err
		}
		meta := wire.Meta{V: 1, Command: "extract", Matches: 1, Clamped: v.clamped, Changed: a.Changed, Unchecked: a.Unchecked, Overlay: v.overlay.meta("")}
		if a.File != nil {
			meta.Matches = len(a.File.Symbols)
			return &outlineResponse{a.File, a.State, meta}, a.State, nil
		}
		meta.Overlay = v.overlay.meta("extract")
		if a.Symbol.Truncated {
			cut(&meta, answer.CutTokens)
		}
		if q.MaxTokens > 0 {
			meta.Tokens = a.Symbol.Tokens
		}
		return &extractResponse{a.Symbol, a.State, meta}, a.State, nil
	})
}
