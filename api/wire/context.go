package wire

// A ContextRequest asks what one must know to work on something.
type ContextRequest struct {
	Target string `json:"target,omitempty" target:""`                   // what is worked on, or words to search for
	Depth  int    `json:"depth,omitempty" min:"1" max:"10" default:"2"` // steps from the target, by default 2; more than 10 is lowered to 10
	// What the text may cost, by default 4000; more than 65536 is lowered to that.
	MaxTokens int  `json:"max_tokens,omitempty" min:"1" max:"text" default:"4000"`
	TimeoutMS int  `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000
	Fresh     bool `json:"fresh,omitempty"`                                              // forget first what the session was sent

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// A ContextResponse is that, as Text for a reader and in its parts.
type ContextResponse struct {
	Target     string         `json:"target"`             // as it was asked for
	Searched   bool           `json:"searched,omitempty"` // no symbol has the name: it is the best result of a search
	Definition *ContextItem   `json:"definition"`         // nil for a file
	Functions  []ContextItem  `json:"functions"`          // what it calls
	Callers    []ContextItem  `json:"callers"`
	Types      []ContextItem  `json:"types"` // that it is a member of, makes or names
	Tests      []ContextItem  `json:"tests"`
	Imports    []ImportedName `json:"imports"`           // at the head of its file
	Results    []SearchResult `json:"results,omitempty"` // with Searched, what else the search has found
	// All of it, as Markdown. The last line says what the text costs, and what the files that it
	// names would, whole.
	Text         string   `json:"text"`
	Tokens       int      `json:"tokens"`                 // of text
	TokensRaw    int      `json:"tokens_raw"`             // of the files that it names, whole
	Complete     bool     `json:"complete"`               // all that the index has is in the answer, if it is not truncated
	OpenCalls    int      `json:"open_calls"`             // calls that are not resolved and could belong to the answer
	Incomplete   []string `json:"incomplete,omitempty"`   // why the answer is not complete
	Alternatives []Place  `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Total        int      `json:"total"`                  // entries of the lists together, before limit, offset and budget; as Meta.Matches
	Truncated    bool     `json:"truncated"`              // there is more than the list has; Meta.TruncatedBy says why
	NextOffset   int      `json:"next_offset,omitempty"`  // the offset of the next page; 0 on the last one
	Index        Index    `json:"index"`
	Meta         Meta     `json:"meta"`
	Receipt      Receipt  `json:"receipt"`
}

// A ContextItem is a part of a context.
type ContextItem struct {
	Symbol     string     `json:"symbol"` // empty for code that is in no definition
	File       string     `json:"file"`
	Line       int        `json:"line"`
	EndLine    int        `json:"end_line"`
	Kind       string     `json:"kind"` // function, method, class and so on; empty for code that is in no definition
	Lang       string     `json:"lang"`
	Signature  string     `json:"signature"`
	Doc        string     `json:"doc,omitempty"`
	Changed    bool       `json:"changed,omitempty"`    // the file on disk is no longer what was indexed
	Depth      int        `json:"depth,omitempty"`      // steps from the target
	CallSites  []int      `json:"call_sites,omitempty"` // lines of the calls, in the file of the caller
	Confidence Confidence `json:"confidence,omitempty"`
	Calls      []string   `json:"calls,omitempty"`   // what it calls, of what is in the index
	Content    string     `json:"content,omitempty"` // its text: of the definition, and of short types
	Call       string     `json:"call,omitempty"`    // the line of the first call, of callers
	// The session was sent it before: this is a reference to that, without its text.
	Sent bool `json:"sent,omitempty"`
}

// A StartupRequest asks what to know before a task.
type StartupRequest struct {
	// What is to be done, in words. At most 8 KiB. Without it there is no related code.
	Task       string `json:"task,omitempty" max:"query"`
	EntryPoint string `json:"entry_point,omitempty" target:"later"`              // where the program begins
	Limit      int    `json:"limit,omitempty" min:"1" max:"results" default:"5"` // results at most, by default 5; more than 100 is lowered to 100
	// What the text may cost, by default 1500; more than 65536 is lowered to that.
	MaxTokens int  `json:"max_tokens,omitempty" min:"1" max:"text" default:"1500"`
	TimeoutMS int  `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000
	Fresh     bool `json:"fresh,omitempty"`                                              // forget first what the session was sent

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// A StartupResponse is that, as Text for a reader and in its parts.
type StartupResponse struct {
	// ## Codebase Structure, ## Entry Point Context and ## Related Code, as Markdown; empty
	// when the index is.
	Text      string         `json:"text"`
	Results   []SearchResult `json:"results"` // of a search for the task, those that text has, brief
	Structure *Overview      `json:"structure,omitempty"`
	Entry     *ContextItem   `json:"entry,omitempty"`    // the entry point, when text has it
	NoEntry   string         `json:"no_entry,omitempty"` // why the entry point that was asked for is left out
	Tokens    int            `json:"tokens"`             // of text
	TokensRaw int            `json:"tokens_raw"`         // of the files that text names, whole
	Index     Index          `json:"index"`
	Meta      Meta           `json:"meta"`
	Receipt   Receipt        `json:"receipt"`
}

// An Overview says what the codebase consists of.
type Overview struct {
	Files int `json:"files"` // that are indexed
	// Those with most code first; languages with less than a hundredth are left out.
	Languages []OverviewLanguage `json:"languages"`
	// Those with most code first. A large one is listed by the folders in it.
	Folders []OverviewFolder `json:"folders"`
	More    int              `json:"more"` // folders that are not listed
}

// An OverviewLanguage is the share of a language.
type OverviewLanguage struct {
	Lang  string  `json:"lang"`
	Files int     `json:"files"`
	Share float64 `json:"share"` // of the bytes
}

// An OverviewFolder is a folder with much of the code.
type OverviewFolder struct {
	Path    string   `json:"path"`            // relative to the root, with / at the end
	Files   int      `json:"files"`           // in it and below, less those of folders that are listed themselves
	About   string   `json:"about,omitempty"` // a sentence of its documentation
	Symbols []string `json:"symbols"`         // what it mainly defines
}
