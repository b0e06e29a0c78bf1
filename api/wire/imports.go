package wire

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
	Total      int           `json:"total"`                 // what there is, before limit and offset
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
