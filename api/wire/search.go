package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A SearchRequest asks for code by what it does, its words or its symbols.
type SearchRequest struct {
	// What to find: words, a name, a question; in ModeRegex an expression; at most 8 KiB.
	Query   string   `json:"query,omitempty"`
	Queries []string `json:"queries,omitempty"`                                  // 1 to 32 queries in place of Query; for SearchAll
	Limit   int      `json:"limit,omitempty" min:"1" max:"results" default:"10"` // results at most, by default 10; more than 100 is lowered to 100
	Path    string   `json:"path,omitempty" max:"4096"`                          // only below this file or folder
	Glob    []string `json:"glob,omitempty" max:"256"`                           // only files that one of these globs matches; ! in front excludes
	// Only this language, or one of these, as in SearchResult.Lang; case is ignored.
	Lang []string `json:"lang,omitempty" of:"langs" fold:"true"`
	Kind []string `json:"kind,omitempty" of:"kinds"`                  // only results whose symbol is of this kind, or of one of these
	Role Role     `json:"role,omitempty" of:"definition test config"` // only this role
	// What of test code is among the results, by default WithTests: as it is ranked. Test code is a
	// file that is so by its path, and in Rust a module named test or tests.
	Tests    Tests   `json:"tests,omitempty" of:"with without only"`
	Symbol   string  `json:"symbol,omitempty" max:"256"`                               // only places that define this name; case is ignored
	Mode     Mode    `json:"mode,omitempty" of:"hybrid semantic lexical symbol regex"` // what looks, by default ModeHybrid
	MinScore float64 `json:"min_score,omitempty"`                                      // only results with at least this score
	// Results of one file at most. By default 1, of a question that says in a sentence what some
	// code does 3, and more of the same files where fewer matched than Limit; in the modes
	// symbol and regex all. More than 10 is lowered to 10.
	PerFile   int `json:"per_file,omitempty" min:"1" max:"10"`
	MaxTokens int `json:"max_tokens,omitempty" min:"1" max:"1000000"` // what the results may cost together, in tokens; at most 1000000
	// Have the first 20 chunks of the ranking looked at again, by a model that reads them together
	// with the query: better, and slower. Without one it is an error, and in the modes symbol and
	// regex.
	Rerank bool `json:"rerank,omitempty"`
	// Say why each result is there: what its ranking was made of, or what it has of the query.
	Explain Explain `json:"explain,omitempty" flag:"short"`
	// Signals, by the names that Explain shows, that shall not count: for measuring what each is
	// worth. An unknown name is an error.
	Without   []string `json:"without,omitempty" max:"256"`
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000
	Projects  []string `json:"projects,omitempty"`                                           // several projects by name or root; * in a name is any part of it, and alone all
	Fresh     bool     `json:"fresh,omitempty"`                                              // forget first what the session was sent

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// Problem says what is wrong with fields that go together, "" where nothing is.
func (q *SearchRequest) Problem() string { return roleProblem(q.Role, q.Tests) }

// A SearchResponse has the results, the best first.
type SearchResponse struct {
	Results []SearchResult `json:"results"`
	Index   Index          `json:"index"`
	// Of a search over Projects: which index each of them gave. Index is the least current of
	// them.
	Projects []ProjectState `json:"projects,omitempty"`
	Unasked  *Unasked       `json:"unasked,omitempty"` // of these, what has nothing in the answer; nil: all were asked
	Meta     Meta           `json:"meta"`
	Receipt  *Receipt       `json:"receipt,omitempty"` // with MaxTokens, or a session
}

// Unasked says which projects of a search over several have nothing in its answer, whatever
// they have. Only a server among others leaves some out.
type Unasked struct {
	Total int `json:"total"`
	// 100 at most: first those that could not be asked, then those that are the likeliest to have
	// something.
	Projects []UnaskedProject `json:"projects"`
}

// An UnaskedProject is one of them.
type UnaskedProject struct {
	Project string        `json:"project"`
	Reason  UnaskedReason `json:"reason"`
}

// An UnaskedReason is why a project was not asked.
type UnaskedReason string

// The reasons.
const (
	UnaskedLimit       UnaskedReason = "limit"       // the server asks so many at most, and others are likelier to have something
	UnaskedUnindexed   UnaskedReason = "not_indexed" // it is not indexed yet
	UnaskedSlow        UnaskedReason = "slow"        // it did not answer in time; asked again, it may
	UnaskedUnavailable UnaskedReason = "unavailable" // its index, or the server that has it, cannot be reached, or has no memory for it
	UnaskedMissing     UnaskedReason = "not_found"   // it was there a moment ago, or is not for whoever asks where it would be asked
)

// A ProjectState says which index a project gave.
type ProjectState struct {
	Project string `json:"project"` // its name
	Index   Index  `json:"index"`
	NoPath  bool   `json:"no_path,omitempty"` // it has nothing at the path that is asked about
}

// A BatchResponse has an answer for each query, in their order.
type BatchResponse struct {
	Answers []BatchAnswer `json:"answers"` // one for each query, in their order
	Index   Index         `json:"index"`
	// Of a search over Projects: which index each of them gave. Index is the least current of
	// them.
	Projects []ProjectState `json:"projects,omitempty"`
	Unasked  *Unasked       `json:"unasked,omitempty"` // of these, what has nothing in the answers; nil: all were asked
	Receipt  *Receipt       `json:"receipt,omitempty"` // of all answers together; with MaxTokens, or a session
}

// A BatchAnswer is the answer to one of several queries.
type BatchAnswer struct {
	Query   string         `json:"query"`
	Results []SearchResult `json:"results"`
	Meta    Meta           `json:"meta"`
}

// A SearchResult is a piece of code.
type SearchResult struct {
	File    string `json:"file"`     // relative to the root, with /
	Line    int    `json:"line"`     // where content begins
	EndLine int    `json:"end_line"` // the last line, inclusive
	// Source text, beginning with the signature's line; in ModeRegex the line; with Brief and Sent
	// the lines of the signature.
	Content string `json:"content"`
	// Falls along the list. It does not depend on the other results. In the mode symbol it says
	// how the name matches, of /related it is the likeness.
	Score     float64 `json:"score"`
	Role      Role    `json:"role,omitempty"`
	Signature string  `json:"signature"` // one line
	// The name that is defined here; in the mode regex, of the definition around it.
	Symbol  string `json:"symbol,omitempty"`
	Kind    string `json:"kind,omitempty"`    // function, method, class and so on
	Lang    string `json:"lang,omitempty"`    // the file's language
	Project string `json:"project,omitempty"` // that File is in, of a search over Projects
	Changed bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
	// Content has the lines of the signature only, for want of tokens, or, in a context, because
	// the score is below 0.1.
	Brief bool `json:"brief,omitempty"`
	// The session was sent it before: this is a reference to that, without its text.
	Sent    bool     `json:"sent,omitempty"`
	Explain []Signal `json:"explain,omitempty"` // what the ranking was made of, if Explain asked
	Why     *Why     `json:"why,omitempty"`     // the same in short, if Explain asked for that; not in the mode regex

	// What one server tells another that asks for it, and nobody else: the hash of the file, and what
	// it costs whole, in tokens.
	FileHash   uint64 `json:"file_hash,omitempty"`
	FileTokens int    `json:"file_tokens,omitempty"`
}

// An Explain says how much is told of why a result is there. In JSON it is true, false or
// "short".
type Explain string

// How much: "" is nothing.
const (
	ExplainSignals Explain = "true"  // all signals of the ranking, in SearchResult.Explain
	ExplainShort   Explain = "short" // what the result has of the query, in SearchResult.Why
)

// MarshalJSON writes it as the endpoints read it.
func (e Explain) MarshalJSON() ([]byte, error) {
	switch e {
	case "":
		return []byte("false"), nil
	case ExplainSignals:
		return []byte("true"), nil
	}
	return json.Marshal(string(e))
}

// A Why says in short what a result has of the query.
type Why struct {
	// Words of the query, folded, that are in the chunk of the result, its path or the name around
	// its symbol, in any form of the same stem. Words that say nothing, such as "the", count where
	// there are no others.
	Words []string `json:"words"`
	// The result's symbol, where its name is the one asked for, is like it, or has some of the words.
	Symbol string `json:"symbol,omitempty"`
	// How near the chunk is to the query: the cosine of their vectors. Absent where they were not
	// compared.
	Meaning *float64 `json:"meaning,omitempty"`
}

// A Signal is one piece of evidence for a result. What it added is comparable within one
// answer only.
type Signal struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`  // what was measured, most of them 0 to 1
	Weight float64 `json:"weight"` // what a value of 1 is worth
	Added  float64 `json:"added"`  // value times weight
}

// Text returns it on a line.
func (w *Why) Text() string {
	var parts []string
	if len(w.Words) > 0 {
		parts = append(parts, "words "+strings.Join(w.Words, ", "))
	}
	if w.Symbol != "" {
		parts = append(parts, "symbol "+w.Symbol)
	}
	if w.Meaning != nil {
		parts = append(parts, fmt.Sprintf("meaning %.2f", *w.Meaning))
	}
	if len(parts) == 0 {
		return "no word, no name"
	}
	return strings.Join(parts, "; ")
}

// A Receipt says what the answer costs its reader, and what whole files would. Four
// characters are a token.
type Receipt struct {
	TokensSent int `json:"tokens_sent"` // of the answer: of the results, or of the text
	TokensRaw  int `json:"tokens_raw"`  // of the files that the answer names, whole
	Files      int `json:"files"`       // files that the answer names
	References int `json:"references"`  // results and parts that the session was sent before
	// In all answers to the session, of the projects asked here, this one included.
	SessionTokensSent int `json:"session_tokens_sent,omitempty"`
}

// A RelatedRequest asks for code that is like a place.
type RelatedRequest struct {
	// FILE:LINE in place of the two that follow, or the name of a symbol that is defined once.
	Target   string   `json:"target,omitempty" target:"later"`
	File     string   `json:"file,omitempty" max:"4096"`                          // the file, as in a result
	Line     int      `json:"line,omitempty" min:"1" max:"1073741824"`            // a line of it
	Limit    int      `json:"limit,omitempty" min:"1" max:"results" default:"10"` // results at most, by default 10; more than 100 is lowered to 100
	Path     string   `json:"path,omitempty" max:"4096"`                          // only below this file or folder
	Glob     []string `json:"glob,omitempty" max:"256"`                           // only files that one of these globs matches; ! in front excludes
	Lang     []string `json:"lang,omitempty" of:"langs" fold:"true"`              // only this language, or one of these
	Kind     []string `json:"kind,omitempty" of:"kinds"`                          // only results whose symbol is of this kind, or of one of these
	Role     Role     `json:"role,omitempty" of:"definition test config"`         // only this role
	Tests    Tests    `json:"tests,omitempty" of:"with without only"`             // as in SearchRequest
	MinScore float64  `json:"min_score,omitempty"`                                // only results with at least this score
	// Results of one file at most, by default 1; more than 10 is lowered to 10.
	PerFile   int  `json:"per_file,omitempty" min:"1" max:"10"`
	MaxTokens int  `json:"max_tokens,omitempty" min:"1" max:"1000000"`                   // what the results may cost together, in tokens; at most 1000000
	TimeoutMS int  `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000
	Fresh     bool `json:"fresh,omitempty"`                                              // forget first what the session was sent

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// Problem says what is wrong with fields that go together, "" where nothing is.
func (q *RelatedRequest) Problem() string { return roleProblem(q.Role, q.Tests) }

// An OsgrepResponse is the answer to a search as programs read it that speak to osgrep's
// server, and what is ours besides: nothing that an answer says of itself is lost.
type OsgrepResponse struct {
	Results  []OsgrepHit    `json:"results"`
	Index    Index          `json:"index"`
	Projects []ProjectState `json:"projects,omitempty"`
	Unasked  *Unasked       `json:"unasked,omitempty"`
	Meta     Meta           `json:"meta"`
	Receipt  *Receipt       `json:"receipt,omitempty"`
}

// An OsgrepHit has no field for which there is nothing to tell: the hash of the
// file, the complexity, and whether the symbol is exported are not known here.
type OsgrepHit struct {
	Type       string         `json:"type"` // text
	Text       string         `json:"text"`
	Score      float64        `json:"score"` // as ours: not in relation to the best
	Confidence string         `json:"confidence"`
	Metadata   OsgrepMetadata `json:"metadata"`
	Generated  OsgrepPlace    `json:"generated_metadata"`
	Role       string         `json:"role"`
	Defined    []string       `json:"defined_symbols"`
	// These are there because programs go through them, and always empty.
	Parent     string   `json:"parent_symbol"`
	Referenced []string `json:"referenced_symbols"`
	Imports    []string `json:"imports"`
	Exports    []string `json:"exports"`
}

// An OsgrepMetadata says where an OsgrepHit is.
type OsgrepMetadata struct {
	Path     string `json:"path"`
	IsAnchor bool   `json:"is_anchor"` // always false: there are no chunks that stand for a whole file
	Project  string `json:"project,omitempty"`
}

// An OsgrepPlace has the lines of an OsgrepHit.
type OsgrepPlace struct {
	StartLine int    `json:"start_line"` // 0-based
	EndLine   int    `json:"end_line"`   // 0-based, inclusive
	NumLines  int    `json:"num_lines"`
	Type      string `json:"type"`
}

// The shapes of a search's answer.
const (
	ShapeQuarry = "quarry"
	ShapeOsgrep = "osgrep"
)

// osgrepLines is how many lines of a result osgrep's server gives.
const osgrepLines = 15

// Osgrep returns the answer in osgrep's shape.
func (b *SearchResponse) Osgrep() *OsgrepResponse {
	out := &OsgrepResponse{Results: make([]OsgrepHit, len(b.Results)), Index: b.Index, Projects: b.Projects, Unasked: b.Unasked, Meta: b.Meta, Receipt: b.Receipt}
	for i := range b.Results {
		out.Results[i] = newOsgrepHit(&b.Results[i])
	}
	return out
}

func newOsgrepHit(r *SearchResult) OsgrepHit {
	out := OsgrepHit{
		Type: "text", Text: osgrepText(r), Score: r.Score, Confidence: "Low",
		Metadata:   OsgrepMetadata{Path: r.File, Project: r.Project},
		Generated:  OsgrepPlace{StartLine: r.Line - 1, EndLine: r.EndLine - 1, NumLines: r.EndLine - r.Line + 1, Type: osgrepType(r)},
		Role:       osgrepRole(r),
		Defined:    []string{},
		Referenced: []string{}, Imports: []string{}, Exports: []string{},
	}
	switch {
	case r.Score > 0.8:
		out.Confidence = "High"
	case r.Score > 0.5:
		out.Confidence = "Medium"
	}
	if r.Symbol != "" {
		out.Defined = append(out.Defined, r.Symbol)
	}
	return out
}

// osgrepText is the content's first lines, and how many of the place follow.
func osgrepText(r *SearchResult) string {
	lines := strings.Split(strings.TrimRight(r.Content, "\n"), "\n")
	shown := min(len(lines), osgrepLines)
	text := strings.Join(lines[:shown], "\n")
	if more := r.EndLine - r.Line + 1 - shown; more > 0 {
		text += fmt.Sprintf("\n... (+%d more lines)", more)
	}
	return text
}

// osgrepType is the kind of a result in osgrep's words, which are fewer.
func osgrepType(r *SearchResult) string {
	switch r.Kind {
	case "":
		return "block"
	case "function", "method", "class", "interface":
		return r.Kind
	case "constructor":
		return "method"
	case "struct":
		return "class"
	case "trait":
		return "interface"
	case "type":
		return "type_alias"
	}
	return "other"
}

// osgrepRole is the role of a result in osgrep's words. It has none for tests and
// configuration, and its ORCHESTRATION goes by a measure that is not taken here.
func osgrepRole(r *SearchResult) string {
	switch {
	case r.Kind == "heading", slices.Contains([]string{"markdown", "text", "rst", "asciidoc", "org", "tex"}, r.Lang):
		return "DOCS"
	case r.Role == RoleConfig:
		return ""
	case r.Symbol != "":
		return "DEFINITION"
	}
	return "IMPLEMENTATION"
}
