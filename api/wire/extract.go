package wire

// An ExtractRequest asks for one definition, or for the outline of a file.
type ExtractRequest struct {
	Target    string `json:"target,omitempty" target:"later"`                              // what to take out
	File      string `json:"file,omitempty"`                                               // the file in which Target is; for Outline the file
	MaxTokens int    `json:"max_tokens,omitempty" min:"1" max:"1000000"`                   // what the content may cost
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000
	Fresh     bool   `json:"fresh,omitempty"`                                              // forget first what the session was sent

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// An ExtractedSymbol is a definition with its text.
type ExtractedSymbol struct {
	Symbol       string   `json:"symbol"` // its name with those around it, joined by dots
	File         string   `json:"file"`
	Line         int      `json:"line"`     // where it begins, decorators included
	EndLine      int      `json:"end_line"` // the last line of content
	Kind         string   `json:"kind"`     // function, method, class and so on
	Lang         string   `json:"lang"`
	Signature    string   `json:"signature"`
	Doc          string   `json:"doc,omitempty"`
	Changed      bool     `json:"changed,omitempty"`      // the file on disk is no longer what was indexed
	Content      string   `json:"content"`                // its text, without the doc comment before it
	Tokens       int      `json:"tokens"`                 // of content
	TokensRaw    int      `json:"tokens_raw"`             // of all its text
	Truncated    bool     `json:"truncated"`              // lines at the end of content are left out
	Alternatives []Place  `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Calls        []Place  `json:"calls,omitempty"`        // what it calls; nil where the language has no call graph
	CalledBy     []Place  `json:"called_by,omitempty"`    // what calls it; nil where the language has no call graph
	Complete     bool     `json:"complete,omitempty"`     // all that the index has is in the answer, if it is not truncated
	OpenCalls    int      `json:"open_calls,omitempty"`   // calls that are not resolved and could belong to the answer
	Incomplete   []string `json:"incomplete,omitempty"`   // why the answer is not complete
	Index        Index    `json:"index"`
	Meta         Meta     `json:"meta"`
}

// An ExtractedFile is the outline of a file.
type ExtractedFile struct {
	File           string            `json:"file"`
	Lang           string            `json:"lang"`
	Lines          int               `json:"lines"`
	Symbols        []StructureSymbol `json:"symbols"`
	Omitted        int               `json:"omitted,omitempty"` // how many come after these that are left out: the response would be too long
	Imports        []ImportedName    `json:"imports"`
	ImportsOmitted int               `json:"imports_omitted,omitempty"` // as above
	TokensRaw      int               `json:"tokens_raw"`                // estimated: four characters a token, rounded up
	Changed        bool              `json:"changed,omitempty"`         // the file on disk is no longer what was indexed
	Index          Index             `json:"index"`
	Meta           Meta              `json:"meta"`
}

// An ImportedName is an import of a file.
type ImportedName struct {
	Path  string `json:"path"`            // as it is written
	Name  string `json:"name,omitempty"`  // where one name is picked out of it
	Alias string `json:"alias,omitempty"` // where it has another name here
	Line  int    `json:"line"`
}

// MarshalJSON returns what Shown does as JSON.
func (s ExtractedSymbol) MarshalJSON() ([]byte, error) { return encoded(s.Shown()) }

// Shown says of the calls nothing where the language has no call graph, and all of
// them where it has one, also that there are none.
func (s ExtractedSymbol) Shown() any {
	type plain ExtractedSymbol
	out := struct {
		plain
		Calls      []Place  `json:"calls,omitzero"`
		CalledBy   []Place  `json:"called_by,omitzero"`
		Complete   *bool    `json:"complete,omitempty"`
		OpenCalls  *int     `json:"open_calls,omitempty"`
		Incomplete []string `json:"incomplete,omitempty"`
		Index      Index    `json:"index"`
		Meta       Meta     `json:"meta"`
	}{plain: plain(s), Calls: s.Calls, CalledBy: s.CalledBy, Incomplete: s.Incomplete, Index: s.Index, Meta: s.Meta}
	if s.HasCalls() {
		out.Complete, out.OpenCalls = &s.Complete, &s.OpenCalls
	}
	return out
}

// HasCalls reports whether the language has a call graph.
func (s *ExtractedSymbol) HasCalls() bool { return s.Calls != nil || s.CalledBy != nil }
