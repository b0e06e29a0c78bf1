package service

import (
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/outline"
)

// Each converts the elements of a list; one that is nil stays nil.
func Each[T, U any](list []T, convert func(*T) U) []U {
	if list == nil {
		return nil
	}
	out := make([]U, len(list))
	for i := range list {
		out[i] = convert(&list[i])
	}
	return out
}

// optional converts what may not be there.
func optional[T, U any](v *T, convert func(*T) U) *U {
	if v == nil {
		return nil
	}
	out := convert(v)
	return &out
}

// indexOf says, in every answer, which index gave it.
func indexOf(s answer.State) wire.Index {
	return wire.Index{State: wire.State(s.State), Generation: s.Generation, Progress: s.Progress, Vectors: s.Vectors, Refined: s.Refined,
		Freshness: wire.Freshness(s.Freshness), Pending: s.Pending, Root: s.Root, Empty: s.Empty}
}

// IndexOf returns what an answer says of an index in a state.
func IndexOf(s answer.State) wire.Index { return indexOf(s) }

// cutSize is the cut of Limits.Response.
const cutSize answer.Cut = "size"

// cutsOf names why something is left out.
func cutsOf(cuts []answer.Cut) []string {
	return Each(cuts, func(c *answer.Cut) string { return string(*c) })
}

// cut notes that results were left out, and why.
func cut(m *wire.Meta, why answer.Cut) { m.Cut(string(why)) }

// metaOf says of a page what a search says of its results.
func metaOf(cmd string, p *answer.Page, v *view) wire.Meta {
	return wire.Meta{V: 1, Command: cmd, Matches: p.Total, Truncated: p.Truncated, TruncatedBy: cutsOf(p.Cuts), Clamped: v.clamped,
		Changed: p.Checked.Changed, Unchecked: p.Unchecked, Overlay: v.overlay.meta(cmd)}
}

// shorten leaves entries of a list that began at offset out from the end, so that
// about a share of them is left, fewer than before and at least one. It reports
// whether it did.
func shorten[T any](list *[]T, p *answer.Page, offset int, meta *wire.Meta, share float64) bool {
	n := len(*list)
	if n <= 1 {
		return false
	}
	*list = (*list)[:answer.Fewer(n, share)]
	p.Shorten(offset, len(*list), cutSize)
	meta.Truncated, meta.TruncatedBy = p.Truncated, cutsOf(p.Cuts)
	return true
}

// shortenFirst is for a list whose first entry alone is too long: it leaves out a part of
// that.
func shortenFirst[T any, P interface {
	*T
	Shorten(share float64) bool
}](list []T, p *answer.Page, meta *wire.Meta, share float64) bool {
	if len(list) == 0 || !P(&list[0]).Shorten(share) {
		return false
	}
	p.Truncated = true
	cut(meta, cutSize)
	return true
}

func placeIn(p *answer.Place) wire.Place { return wire.Place(*p) }

func definitionOf(d *answer.Definition) wire.Definition { return wire.Definition(*d) }

func leftOutOf(l *answer.LeftOut) wire.LeftOut { return wire.LeftOut(*l) }

func importedOf(i *answer.ImportedName) wire.ImportedName { return wire.ImportedName(*i) }

func foundPathOf(p *grep.FoundPath) wire.FoundPath { return wire.FoundPath(*p) }

func symbolOf(s *outline.StructureSymbol) wire.StructureSymbol { return wire.StructureSymbol(*s) }

func edgeOf(e *calls.CallEdge) wire.CallEdge {
	to := wire.Callee{Symbol: e.To.Symbol, External: e.To.External, Literal: e.To.Literal, Changed: e.To.Changed}
	if e.To.File != nil {
		to.File = *e.To.File
	}
	if e.To.Line != nil {
		to.Line = *e.To.Line
	}
	return wire.CallEdge{
		From: placeIn(&e.From), To: to, Line: e.Line, Column: e.Column, Kind: e.Kind, Confidence: wire.Confidence(e.Confidence), Rule: e.Rule, Depth: e.Depth,
		CallSites: e.CallSites, Test: e.Test,
	}
}

func callerOf(c *impact.Caller) wire.Caller {
	return wire.Caller{
		Symbol: c.Symbol, File: c.File, Line: c.Line, Changed: c.Changed, Depth: c.Depth, Via: placeIn(&c.Via), CallSites: c.CallSites, Kind: c.Kind,
		Confidence: wire.Confidence(c.Confidence), Test: c.Test,
	}
}

func neighbourOf(n *calls.Neighbour) wire.Neighbour {
	return wire.Neighbour{
		Symbol: n.Symbol, File: n.File, Line: n.Line, Changed: n.Changed, Signature: n.Signature, Depth: n.Depth, Via: placeIn(&n.Via),
		CallSites: n.CallSites, Confidence: wire.Confidence(n.Confidence), Kind: n.Kind,
	}
}

func itemOf(c *brief.ContextItem) wire.ContextItem {
	return wire.ContextItem{
		Symbol: c.Symbol, File: c.File, Line: c.Line, EndLine: c.EndLine, Kind: c.Kind, Lang: c.Lang, Signature: c.Signature, Doc: c.Doc, Changed: c.Changed,
		Depth: c.Depth, CallSites: c.CallSites, Confidence: wire.Confidence(c.Confidence), Calls: c.Calls, Content: c.Content, Call: c.CallText, Sent: c.Sent,
	}
}

func overviewOf(m *brief.Overview) wire.Overview {
	return wire.Overview{
		Files:     m.Files,
		Languages: Each(m.Languages, func(l *brief.LanguageShare) wire.OverviewLanguage { return wire.OverviewLanguage(*l) }),
		Folders:   Each(m.Folders, func(f *brief.FolderAbout) wire.OverviewFolder { return wire.OverviewFolder(*f) }),
		More:      m.More,
	}
}

// StatusIndexOf returns what the status says of an index.
func StatusIndexOf(s *index.Status) wire.StatusIndex {
	out := wire.StatusIndex{
		State: wire.State(s.State.State), Generation: s.Generation, Progress: s.Progress, Vectors: s.Vectors, Refined: s.Refined, RefineError: s.Unrefined, Freshness: wire.Freshness(s.Freshness),
		Pending: s.Pending, Paused: s.Paused, Root: s.Root, Files: s.Files, Chunks: s.Chunks, Symbols: s.Symbols, References: s.References, Terms: s.Terms,
		SourceBytes: s.SourceBytes, LastCommit: s.LastCommit, LastError: s.LastError, BuildSeconds: s.BuildSeconds, Snapshot: optional(s.Snapshot, snapshotOf), SCIPFiles: s.SCIPFiles,
		MemoryBytes: wire.IndexMemory{Text: s.Memory.Text, Symbols: s.Memory.Symbols, Words: s.Memory.Words, Vectors: s.Memory.Vectors, Graph: s.Memory.Graph, Overlays: s.Memory.Drafts},
	}
	if s.LastIndexedAt != nil {
		out.LastIndexedAt = *s.LastIndexedAt
	}
	return out
}

func snapshotOf(o *answer.Origin) wire.IndexSnapshot {
	out := wire.IndexSnapshot{
		Program: o.Program, MadeBy: o.By, Root: o.Root, Commit: o.Commit, ID: o.ID, Verified: o.Verified, SignedBy: o.SignedBy, Trusted: o.Trusted,
		Delta: o.Delta, Texts: o.Texts, Proved: o.Proved, Rebuilt: o.Rebuilt, NRebuilt: o.NRebuilt,
	}
	if o.Made != nil {
		out.MadeAt = *o.Made
	}
	return out
}

// CoverageOf returns what the status says of what is indexed. Lists and tables are empty,
// never null.
func CoverageOf(c *index.Coverage) wire.Coverage {
	skipped := func(list []answer.SkippedFile) []wire.SkippedFile {
		return append([]wire.SkippedFile{}, Each(list, func(f *answer.SkippedFile) wire.SkippedFile { return wire.SkippedFile(*f) })...)
	}
	table := func(m map[string]int) map[string]int {
		if m == nil {
			return map[string]int{}
		}
		return m
	}
	return wire.Coverage{
		Indexed: c.Indexed, Skipped: c.Skipped, Reasons: table(c.Reasons), Files: skipped(c.Files), Truncated: c.Truncated, Pending: c.Pending,
		Languages: table(c.Languages), NoGrammar: c.NoGrammar, ParseErrors: c.Errors, Unparsed: table(c.Unparsed), UnparsedFiles: skipped(c.Texts),
		Source: c.Source, SourceReason: c.SourceReason,
	}
}
