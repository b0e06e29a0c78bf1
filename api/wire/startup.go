package wire

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
