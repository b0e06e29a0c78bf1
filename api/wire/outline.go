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
	Total      int             `json:"total"`                 // entries of the lists together, before limit, offset and budget; as Meta.Matches
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

// A SkeletonRequest asks for code without the bodies of its functions.
type SkeletonRequest struct {
	Target    string   `json:"target,omitempty" target:"" as:"path"`                         // a file, a folder or a symbol; . is the root
	Glob      []string `json:"glob,omitempty" max:"256"`                                     // only files that one of these globs matches; ! in front excludes
	Lang      []string `json:"lang,omitempty" of:"langs" fold:"true"`                        // only this language, or one of these
	Limit     int      `json:"limit,omitempty" min:"1" max:"results" default:"20"`           // files at most, by default 20; more than 100 is lowered to 100
	Offset    int      `json:"offset,omitempty" min:"0" max:"1073741824"`                    // files to pass over
	Docs      *bool    `json:"docs,omitempty"`                                               // keep comments and docstrings; nil: true
	Lines     bool     `json:"lines,omitempty"`                                              // begin each line with its number
	MaxTokens int      `json:"max_tokens,omitempty" min:"1" max:"1000000"`                   // what the skeletons may cost together
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// A SkeletonResponse has the skeletons of files.
type SkeletonResponse struct {
	Files        []FileSkeleton `json:"files"`
	Text         string         `json:"text"`                    // all skeletons, each below a line with its path
	Tokens       int            `json:"tokens"`                  // of text
	TokensRaw    int            `json:"tokens_raw"`              // of the same code, bodies and all
	LeftOut      []LeftOut      `json:"left_out,omitempty"`      // files that can have no skeleton
	LeftOutMore  int            `json:"left_out_more,omitempty"` // how many more there are
	Definition   *Definition    `json:"definition,omitempty"`    // the symbol, if one was asked for
	Alternatives []Place        `json:"alternatives,omitempty"`  // what else the target could mean, the likelier first
	Total        int            `json:"total"`                   // entries of the lists together, before limit, offset and budget; as Meta.Matches
	Truncated    bool           `json:"truncated"`               // there is more than the list has; Meta.TruncatedBy says why
	NextOffset   int            `json:"next_offset,omitempty"`   // the offset of the next page; 0 on the last one
	Index        Index          `json:"index"`
	Meta         Meta           `json:"meta"`
}

// A FileSkeleton is a file without the bodies of its functions.
type FileSkeleton struct {
	File      string `json:"file"`
	Lang      string `json:"lang"`
	Line      int    `json:"line"`     // the first line that the skeleton stands for
	EndLine   int    `json:"end_line"` // the last one
	Skeleton  string `json:"skeleton"`
	Tokens    int    `json:"tokens"`            // estimated: four characters a token, rounded up
	TokensRaw int    `json:"tokens_raw"`        // estimated: four characters a token, rounded up
	Errors    bool   `json:"errors,omitempty"`  // the file has syntax errors; bodies may be left
	Changed   bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// An ImportsRequest asks what files import, or with Module, who imports that.
type ImportsRequest struct {
	Path string `json:"path,omitempty" max:"4096"` // only this file, or files below this folder
	// The end of an import's path by whole names, a name picked out of one, or the path of a
	// file that an import leads to.
	Module    string   `json:"module,omitempty" max:"4096"`
	Glob      []string `json:"glob,omitempty" max:"256"`                                     // only files that one of these matches; ! in front excludes
	Lang      []string `json:"lang,omitempty" of:"langs" fold:"true"`                        // only one of these languages
	Head      bool     `json:"head,omitempty"`                                               // only the imports before a file's first definition
	Limit     int      `json:"limit,omitempty" min:"1" max:"5000" default:"500"`             // files at most, by default 500; more than 5000 is lowered to 5000
	Offset    int      `json:"offset,omitempty" min:"0" max:"1073741824"`                    // files to pass over
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// An ImportsResponse lists files by path.
type ImportsResponse struct {
	Files      []FileImports `json:"files"`
	Total      int           `json:"total"`                 // entries, before limit and offset; as Meta.Matches
	Truncated  bool          `json:"truncated"`             // there is more than the list has; Meta.TruncatedBy says why
	NextOffset int           `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index      Index         `json:"index"`
	Meta       Meta          `json:"meta"`
}

// A FileImports is what a file imports, by line.
type FileImports struct {
	File    string        `json:"file"`
	Lang    string        `json:"lang"` // empty where it is not known
	Imports []FoundImport `json:"imports"`
	Omitted int           `json:"omitted,omitempty"` // how many come after these that are left out: the response would be too long
}

// A FoundImport is one import.
type FoundImport struct {
	Path  string   `json:"path"`            // as it is written
	Name  string   `json:"name,omitempty"`  // where one name is picked out of it
	Alias string   `json:"alias,omitempty"` // where it has another name here
	Line  int      `json:"line"`
	Files []string `json:"files,omitempty"` // of the project, that it leads to; nil where the call graph does not know
}
