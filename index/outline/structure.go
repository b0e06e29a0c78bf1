// Package outline reads code by its symbols: lists of them, files without the bodies of
// functions, one definition, imports, and files in parts for training.
package outline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// defaultFiles is how many files a Structure has when nobody says.
const defaultFiles = 500

// A StructureQuery asks for the symbols of files.
type StructureQuery struct {
	Path   string   // only below this file or folder, relative to the root; "": everywhere
	Glob   []string // as in Query
	Lang   []string // as in Query
	Kind   []string // only symbols of these Kinds; none: all
	Limit  int      // files at most; 0: 500
	Offset int      // files to pass over
	Depth  int      // symbols in at most Depth-1 others; 0: all
}

// A StructureAnswer lists files, by path, with their symbols.
type StructureAnswer struct {
	Files  []FileStructure `json:"files"` // never nil
	Totals StructureTotals `json:"totals"`
	answer.Page
	State answer.State `json:"-"`
}

// StructureTotals count what the query admits, on all pages together.
type StructureTotals struct {
	Files   int `json:"files"`
	Symbols int `json:"symbols"`
}

// A FileStructure is one file with its symbols.
type FileStructure struct {
	File    string            `json:"file"`
	Lang    string            `json:"lang"` // "" where it is not known
	Lines   int               `json:"lines"`
	Symbols []StructureSymbol `json:"symbols"`           // by line, containers before what they contain; never nil
	Omitted int               `json:"omitted,omitempty"` // symbols after them that a bound of the caller's leaves out
}

// Shorten leaves symbols out from the end, so that about a share of them is left, fewer
// than before and at least one. It reports whether it did.
func (f *FileStructure) Shorten(share float64) bool {
	return answer.Omit(&f.Symbols, &f.Omitted, share)
}

// A StructureSymbol is one definition.
type StructureSymbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Signature string `json:"signature"`
	Parent    string `json:"parent,omitempty"` // the names around it, joined by "."
	Exported  bool   `json:"exported"`
	Doc       string `json:"doc,omitempty"` // in the outline of one file
}

// Structure lists the symbols of files. It returns a PatternError for a glob that
// cannot be used.
func Structure(ctx context.Context, x *store.View, q StructureQuery) (StructureAnswer, error) {
	s := StructureAnswer{Files: []FileStructure{}}
	files, state, err := x.FilesByPath(store.Scope{Path: q.Path, Glob: q.Glob, Lang: q.Lang})
	if err != nil {
		return s, err
	}
	s.State = state
	if q.Limit <= 0 {
		q.Limit = defaultFiles
	}
	admit := func(sym *store.Symbol) bool {
		return (len(q.Kind) == 0 || slices.Contains(q.Kind, string(sym.Kind()))) && (q.Depth <= 0 || depth(sym) <= q.Depth)
	}
	for _, r := range files {
		for i := range r.Symbols {
			if admit(&r.Symbols[i]) {
				s.Totals.Symbols++
			}
		}
	}
	s.Totals.Files = len(files)
	for _, r := range answer.PageOf(&s.Page, files, q.Offset, q.Limit) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		s.Files = append(s.Files, structure(r, admit))
	}
	return s, nil
}

// depth returns in how many others the symbol is, and one.
func depth(s *store.Symbol) int {
	if s.Parent == "" {
		return 1
	}
	return strings.Count(s.Parent, ".") + 2
}

func structure(r *store.Record, admit func(*store.Symbol) bool) FileStructure {
	src := r.Text.All()
	out := FileStructure{File: r.Path, Lang: r.Lang, Lines: source.CountLines(src), Symbols: []StructureSymbol{}}
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if !admit(s) {
			continue
		}
		out.Symbols = append(out.Symbols, StructureSymbol{
			Name: s.Name, Kind: string(s.Kind()), Line: int(s.Line), EndLine: int(s.Last), Parent: s.Parent, Exported: s.Exported,
			Signature: cmp.Or(s.Signature, store.FirstLine(string(src[s.Start:min(s.End, s.Start+2*store.MaxSignature)])), s.Name),
		})
	}
	return out
}
