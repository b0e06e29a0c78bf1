package wire

// A StructureRequest asks for files with their symbols.
type StructureRequest struct {
	Path   string   `json:"path,omitempty" max:"4096"`                        // only below this file or folder
	Glob   []string `json:"glob,omitempty" max:"256"`                         // only files that one of these globs matches; ! in front excludes
	Lang   []string `json:"lang,omitempty" of:"langs" fold:"true"`            // only this language, or one of these
	Kind   []string `json:"kind,omitempty" of:"kinds"`                        // only symbols of this kind, or of one of these
	Limit  int      `json:"limit,omitempty" min:"1" max:"5000" default:"500"` // files at most, by default 500; more than 5000 is lowered to 5000
	Offset int      `json:"offset,omitempty" min:"0" max:"1073741824"`        // files to pass over
	// 1: only symbols that are in no other, 2: also those directly in them; by default all.
	Depth     int `json:"depth,omitempty" min:"1" max:"64"`
	TimeoutMS int `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// A StructureResponse has files with their symbols.
type StructureResponse struct {
	Root       string          `json:"root"` // absolute path of the root
	Files      []FileStructure `json:"files"`
	Totals     StructureTotals `json:"totals"`                // what the filters admit, on all pages
	Total      int             `json:"total"`                 // what there is, before limit, offset and budget
	Truncated  bool            `json:"truncated"`             // there is more than the list has; Meta.TruncatedBy says why
	NextOffset int             `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index      Index           `json:"index"`
	Meta       Meta            `json:"meta"`
}

// StructureTotals counts what the filters admit, on all pages.
type StructureTotals struct {
	Files   int `json:"files"`
	Symbols int `json:"symbols"`
}

// A FileStructure is a file with its symbols.
type FileStructure struct {
	File    string            `json:"file"`
	Lang    string            `json:"lang"` // empty where it is not known
	Lines   int               `json:"lines"`
	Symbols []StructureSymbol `json:"symbols"`
	Omitted int               `json:"omitted,omitempty"` // how many come after these that are left out: the response would be too long
}

// A StructureSymbol is a symbol of a file.
type StructureSymbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // function, method, class and so on
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Signature string `json:"signature"`
	Parent    string `json:"parent,omitempty"` // the names around it, joined by dots
	Exported  bool   `json:"exported"`         // others can see it, by the language's rules
	Doc       string `json:"doc,omitempty"`    // as prose; in the outline of one file
}
