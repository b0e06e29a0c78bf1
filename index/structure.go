package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
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

// A Structure lists files, by path, with their symbols.
type Structure struct {
	Files  []FileStructure `json:"files"` // never nil
	Totals StructureTotals `json:"totals"`
	Page
	State State `json:"-"`
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
	return omit(&f.Symbols, &f.Omitted, share)
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
func (x *View) Structure(ctx context.Context, q StructureQuery) (Structure, error) {
	s := Structure{Files: []FileStructure{}}
	files, state, err := x.filesByPath(scope{path: q.Path, glob: q.Glob, lang: q.Lang})
	if err != nil {
		return s, err
	}
	s.State = state
	if q.Limit <= 0 {
		q.Limit = defaultFiles
	}
	admit := func(sym *symbol) bool {
		return (len(q.Kind) == 0 || slices.Contains(q.Kind, string(sym.kind()))) && (q.Depth <= 0 || sym.depth() <= q.Depth)
	}
	for _, r := range files {
		for i := range r.symbols {
			if admit(&r.symbols[i]) {
				s.Totals.Symbols++
			}
		}
	}
	s.Totals.Files = len(files)
	for _, r := range pageOf(&s.Page, files, q.Offset, q.Limit) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		s.Files = append(s.Files, r.structure(admit))
	}
	return s, nil
}

// depth returns in how many others the symbol is, and one.
func (s *symbol) depth() int {
	if s.parent == "" {
		return 1
	}
	return strings.Count(s.parent, ".") + 2
}

func (r *record) structure(admit func(*symbol) bool) FileStructure {
	src := r.text.all()
	out := FileStructure{File: r.path, Lang: r.lang, Lines: countLines(src), Symbols: []StructureSymbol{}}
	for i := range r.symbols {
		s := &r.symbols[i]
		if !admit(s) {
			continue
		}
		out.Symbols = append(out.Symbols, StructureSymbol{
			Name: s.name, Kind: string(s.kind()), Line: int(s.line), EndLine: int(s.last), Parent: s.parent, Exported: s.exported,
			Signature: cmp.Or(s.signature, firstLine(string(src[s.start:min(s.end, s.start+2*maxSignature)])), s.name),
		})
	}
	return out
}
