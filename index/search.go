package index

import "context"

// A Mode says which evidence ranks the results of a Query.
type Mode string

// The modes.
const (
	Hybrid   Mode = "hybrid"   // words, symbols and vectors; the default
	Lexical  Mode = "lexical"  // words and symbols
	Semantic Mode = "semantic" // vectors
)

// Roles of a result.
const (
	RoleDefinition = "definition"
	RoleTest       = "test"
	RoleConfig     = "config"
)

// A Query is a question to the index.
type Query struct {
	Text     string
	Limit    int     // results at most; 0: 10
	Path     string  // only below this file or folder, relative to the root; "": everywhere
	Lang     string  // only this language, as in Result.Lang; "": all
	Role     string  // only this role; "": all
	Symbol   string  // only chunks that define this name, case folded; "": all
	Mode     Mode    // "": Hybrid
	MinScore float64 // only results with at least this score, 0..1
	PerFile  int     // results of one file at most; 0: 1
}

// A Result is one place that answers a Query.
type Result struct {
	File      string  `json:"file"`     // relative to the root, with slashes
	Line      int     `json:"line"`     // 1-based, where Content begins
	EndLine   int     `json:"end_line"` // 1-based, inclusive
	Content   string  `json:"content"`  // source text, at most 2,000 bytes, never empty; begins with the signature's line
	Score     float64 `json:"score"`    // (0,1], falling along the list
	Role      string  `json:"role,omitempty"`
	Signature string  `json:"signature"` // one line, never empty
	Symbol    string  `json:"symbol,omitempty"`
	Kind      string  `json:"kind,omitempty"`
	Lang      string  `json:"lang,omitempty"`
}

// An Answer is what a Query gives.
type Answer struct {
	Results   []Result // never nil
	Matches   int      // files that matched at all, before Limit
	Truncated bool     // there were more results than Limit
	State     State    // of the index the answer was computed on
}

// Search answers a query from what is indexed at this moment. It is safe for
// concurrent use. It returns ErrClosed after Close.
func (x *Index) Search(ctx context.Context, q Query) (Answer, error) { panic("to be written") }
