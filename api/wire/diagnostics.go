package wire

// A DiagnosticsRequest asks what is wrong with some files.
type DiagnosticsRequest struct {
	Path      string   `json:"path,omitempty" max:"4096"`                                                                                                   // the files that it is about: below this file or folder
	Glob      []string `json:"glob,omitempty" max:"256"`                                                                                                    // and that one of these globs matches; ! in front excludes
	Lang      []string `json:"lang,omitempty" of:"langs" fold:"true"`                                                                                       // and of one of these languages
	Kind      []string `json:"kind,omitempty" of:"syntax unreachable dead_store unresolved_import unresolved_name wrong_arguments shadowed_error reported"` // of findings, by default all but the last; with SARIF reported alone
	SARIF     string   `json:"sarif,omitempty" max:"body"`                                                                                                  // a log of another tool, in SARIF 2.1.0: its findings are reported with their symbols
	Limit     int      `json:"limit,omitempty" min:"1" max:"10000" default:"100"`                                                                           // findings at most, by default 100; more than 10000 is lowered to 10000
	Offset    int      `json:"offset,omitempty" min:"0" max:"1073741824"`                                                                                   // findings to pass over
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"`                                                                // in milliseconds, by default and at most 30000; the answer has what was found in that time

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// A DiagnosticsResponse is what is wrong with some files.
type DiagnosticsResponse struct {
	Findings    []Diagnostic   `json:"findings"`                // by file and line; those of files that are not indexed last
	Counts      map[string]int `json:"counts"`                  // by kind, before limit and offset; a kind without a key was not looked for
	Files       int            `json:"files"`                   // that were looked at
	NotLookedAt []string       `json:"not_looked_at,omitempty"` // what this says nothing about
	Complete    bool           `json:"complete"`                // all of the kinds that were asked for was looked for in all of the files
	Incomplete  []string       `json:"incomplete,omitempty"`    // why not
	Total       int            `json:"total"`                   // findings, before limit and offset; as Meta.Matches
	Truncated   bool           `json:"truncated"`
	NextOffset  int            `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index       Index          `json:"index"`
	Meta        Meta           `json:"meta"`
}

// A Diagnostic is something that is wrong with a place.
type Diagnostic struct {
	Kind       string `json:"kind"`                 // as in DiagnosticsRequest; reported: by another tool
	Severity   string `json:"severity"`             // error, warning or note
	Confidence string `json:"confidence,omitempty"` // certain or likely; not of what is reported
	File       string `json:"file"`
	Line       int    `json:"line"`             // from 1; 0: the file
	Column     int    `json:"column,omitempty"` // from 1, in bytes; as the other tool counts where it is reported
	EndLine    int    `json:"end_line,omitempty"`
	Message    string `json:"message"`
	Rule       string `json:"rule,omitempty"`
	Source     string `json:"source"`            // the tool: quarry, or that of the log
	Symbol     string `json:"symbol,omitempty"`  // the innermost definition around the line
	Changed    bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}
