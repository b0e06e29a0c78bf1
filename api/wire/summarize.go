package wire

// A SummarizeRequest asks for a summary. One of Content, Handoff, Recall, Path, Paths,
// Symbol and Query is needed.
type SummarizeRequest struct {
	// A text, as large as a body may be: prose, Markdown, a log, a transcript (also as JSON). With
	// the kind handoff or recall, the JSON of one.
	Content string `json:"content,omitempty"`
	// What somebody hands over. Read are, in any case and with `_`, `-` or nothing between the
	// words: `goal` (`task`, `working_on`, `objective`, `title`), `current_focus` (`focus`,
	// `now`), `hypothesis`, `files` (`modified_files`, `changed_files`), and from L2 on `outcome`
	// (`status`, `progress`), `decisions`, `blockers` and `next` (`next_steps`, `todo`). Other
	// fields are in L3 only.
	Handoff map[string]any `json:"handoff,omitempty"`
	// What a memory gave back. `category`, `type` or `kind` says what a result is: a learning, a
	// decision, or else context; `content`, `text` or `summary` what it says.
	Recall []map[string]any `json:"recall,omitempty"`
	Path   string           `json:"path,omitempty" as:"file"` // a file or a folder, relative to the root; . is the root
	Paths  []string         `json:"paths,omitempty"`          // files and folders
	Symbol string           `json:"symbol,omitempty"`         // a definition
	Query  string           `json:"query,omitempty"`          // words: the code that a search finds
	// A path, a symbol or words, where it shall be told by its form which: words have white space,
	// a path has a slash and no colon.
	Target string `json:"target,omitempty" target:"later"`
	// What it is; absent or auto, what the field says. Any other than the field's is an error, but
	// content may hold a handoff or a recall as JSON. One of auto, context, handoff, recall, code.
	Kind  string `json:"kind,omitempty" of:"auto context handoff recall code"`
	Level string `json:"level,omitempty" of:"auto L0 L1 L2 L3"` // How much is said. One of auto, L0, L1, L2, L3.
	// What the summary may cost; more than 1000000 is lowered to that. By default 100, 300, 600
	// and 1500 by level, L3 of anything but code whatever it costs.
	MaxTokens int `json:"max_tokens,omitempty" min:"1" max:"1000000"`
	// Who makes the summary; by default local, or what the operator has set for texts. `llm` is
	// for texts only.
	Engine string `json:"engine,omitempty" of:"local llm"`
	// How tokens are counted, by default as four characters each. `cl100k` and `o200k` count as
	// OpenAI's models do; a run of more than 512 characters without a blank may count some too
	// many. One of estimate, cl100k, o200k.
	Tokenizer string `json:"tokenizer,omitempty" of:"estimate cl100k o200k"`
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Scope
}

// A SummarizeResponse is a summary.
type SummarizeResponse struct {
	Summary   string `json:"summary"`    // empty for nothing
	Level     string `json:"level"`      // Of the summary; L3 for what was taken as it is. One of L0, L1, L2, L3.
	Kind      string `json:"kind"`       // What was summarised. One of context, handoff, recall, code.
	TokensIn  int    `json:"tokens_in"`  // of what was summarised, whole; of a handoff and a recall, as JSON
	TokensOut int    `json:"tokens_out"` // of the summary
	Tokenizer string `json:"tokenizer"`  // How both were counted. One of estimate, cl100k, o200k.
	// Who made the summary. L0, L3 and what is taken as it is need no model. One of local, llm.
	Engine string `json:"engine"`
	// The language model was asked for and gave none; it is the local summary.
	Fallback  bool `json:"fallback"`
	Truncated bool `json:"truncated"` // there was more at this level than the budget allows
	Chunks    int  `json:"chunks"`    // pieces that the input was taken in
	// That the input names, in its order, or whose code it is, by path; absent if there are none.
	Files        []string `json:"files,omitempty"`
	Alternatives []Place  `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Index        Index    `json:"index"`
	Meta         Meta     `json:"meta"`
}
