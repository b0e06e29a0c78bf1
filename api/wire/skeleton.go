package wire

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
	Total        int            `json:"total"`                   // what there is, before limit, offset and budget
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
