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

// A DefinitionRequest asks what is named at a place.
type DefinitionRequest struct {
	Path      string `json:"path,omitempty" max:"4096"`                                    // the file
	Line      int    `json:"line" min:"1" max:"1073741824"`                                // from 1
	Column    int    `json:"column,omitempty" min:"1" max:"1073741824"`                    // in bytes, from 1; the end of a name is still at it
	Name      string `json:"name,omitempty" max:"256"`                                     // in place of a column: the first place of the line that has this name in code
	Uses      bool   `json:"uses,omitempty"`                                               // list the uses of a local variable, too
	Types     bool   `json:"types,omitempty"`                                              // list what is above and below what is named, too: types, and methods of them
	TypeOf    bool   `json:"type_of,omitempty"`                                            // list the types of the value of what is named, too, or of its results
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// Problem says what is missing in the request, "" where nothing is.
func (q *DefinitionRequest) Problem() string {
	switch {
	case q.Path == "":
		return "path is missing"
	case q.Line == 0:
		return "line is missing"
	case q.Column == 0 && q.Name == "":
		return "one of column and name is needed"
	case q.Column != 0 && q.Name != "":
		return "column and name cannot both be given"
	}
	return ""
}

// A DefinitionResponse says what a place names: symbols, a variable of the function that it is in,
// or, where there is no name, nothing.
type DefinitionResponse struct {
	File        string         `json:"file"`
	Name        string         `json:"name"`                 // as it stands there; empty for none
	Line        int            `json:"line"`                 // where it begins
	Column      int            `json:"column,omitempty"`     // the same, in bytes, from 1; absent where there is no name
	Definitions []Defined      `json:"definitions"`          // that it means, the surest first
	Ambiguous   []Defined      `json:"ambiguous"`            // that have the name, and no more is known
	Local       *LocalVariable `json:"local,omitempty"`      // the variable or parameter of a function
	Above       []Relative     `json:"above,omitempty"`      // with Types: what it extends, implements or overrides, the nearest first
	Below       []Relative     `json:"below,omitempty"`      // with Types: what extends, implements or overrides it, the nearest first
	TypeOf      []Defined      `json:"type_of,omitempty"`    // with TypeOf: the types of its value or, of a function, of its results; a type is its own
	Complete    bool           `json:"complete"`             // all that the index has is in the answer, if it is not truncated
	Incomplete  []string       `json:"incomplete,omitempty"` // why the answer is not complete
	Total       int            `json:"total"`                // entries of the lists together; as Meta.Matches
	Truncated   bool           `json:"truncated"`            // there is more than the list has; Meta.TruncatedBy says why
	Index       Index          `json:"index"`
	Meta        Meta           `json:"meta"`
}

// A Defined is a symbol that a place may name.
type Defined struct {
	Definition
	NameLine   int        `json:"name_line"`        // where its name stands
	Column     int        `json:"column,omitempty"` // the same, in bytes, from 1; absent where the name does not stand there as it is
	Confidence Confidence `json:"confidence"`
}

// A Relative is a type above or below another one, or a method of such a type under the same name.
type Relative struct {
	Defined
	Depth int `json:"depth"` // steps between the two types
}

// A LocalVariable is a variable or a parameter of a function.
type LocalVariable struct {
	Line   int    `json:"line"`   // where it is declared
	Column int    `json:"column"` // in bytes, from 1
	Symbol string `json:"symbol"` // the innermost symbol that it is in
	Uses   []Use  `json:"uses"`   // if they are asked for, its declaration among them, in their order
}

// A Use is a place that names a local variable.
type Use struct {
	Line   int  `json:"line"`
	Column int  `json:"column"`          // in bytes, from 1
	Write  bool `json:"write,omitempty"` // it is declared or assigned there
}
