// Package wire has the request and the answer of each endpoint, once: one struct each, with
// the names that JSON has. openapi.yaml describes the same, and a test compares the two. The
// client gives these types to its users under its own name. It imports the standard library
// alone, and knows nothing of how an answer comes about.
package wire

import "slices"

// An Index says which index gave the answer.
type Index struct {
	State      State   `json:"state"`
	Generation uint64  `json:"generation"` // grows with every commit to the index
	Progress   float64 `json:"progress"`   // of the running build; 1 when none runs
	Vectors    float64 `json:"vectors"`    // share of the chunks that have their vector
	// Share of the chunks whose vector has been refined, which goes on in the background: nil where
	// the model has one kind of vectors.
	Refined   *float64  `json:"refined,omitempty"`
	Freshness Freshness `json:"freshness"`
	Pending   int       `json:"pending"` // changed paths that are not in the index yet
	Root      string    `json:"root"`    // absolute path of the root
	// No file is indexed: what an answer does not find may come with the first one.
	Empty bool `json:"empty,omitempty"`
}

// A Meta is the head of an answer: how much there is, and what was left out.
type Meta struct {
	// Stretches of the answer's text that hide a key or a credential: each begins with
	// masked_by_quarry and is as long as what it hides. The line of a private key is one.
	Masked  int    `json:"masked,omitempty"`
	V       int    `json:"v"`   // version of this shape
	Command string `json:"cmd"` // the name of the endpoint
	// How many entries there are for what was asked, below what its filters admit, before offset,
	// limit, per_file, min_score and any budget: none of these changes it. Entries are those of the
	// answer's lists, one list after the other: of a search places, which are symbols in the mode
	// symbol, lines in the mode regex, else the chunks that words, symbols and vectors put forward;
	// of summarize, what files has. Where an answer has Total, it is the same.
	Matches int `json:"matches"`
	// Something is left out after what offset passed over: an entry that Matches counts, a part of
	// one, or what Matches does not count.
	Truncated bool `json:"truncated"`
	// What left something out: limit, per_file, min_score and max_tokens of the request; without a
	// per_file it is named where a ranking had more than five places of one file; matches: more than
	// 10,000 lines match, and the rest is not counted; places: more than 50,000 places have the name,
	// and the rest is not counted; reached: more symbols are reached than are looked at; depth: the
	// call graph goes on behind the steps that were asked for; left_out: lines of files that the
	// index leaves out match, too; time: timeout_ms ended the search; projects: not all projects were
	// asked, and Unasked names them; size: the response would have been longer than 1 MiB.
	TruncatedBy []string `json:"truncated_by,omitempty"`
	Tokens      int      `json:"tokens,omitempty"`  // what the results cost; given with MaxTokens
	Clamped     []string `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	// Fields that the endpoint does not have, and second names of one that was given: they had no
	// effect. With Strict they are an error.
	Ignored []string `json:"ignored,omitempty"`
	// The path exists, but the index knows no file at or below it: it is ignored, empty, or not
	// looked at yet.
	Unindexed bool `json:"unindexed,omitempty"`
	// Files that the answer names, those that size left out with them, which are no longer what
	// was indexed. Their entries have Changed.
	Changed int `json:"changed,omitempty"`
	// Files that the answer names and nobody has compared with what was indexed: only the first
	// 100 are, and 8 MiB of those that must be read.
	Unchecked int          `json:"unchecked,omitempty"`
	Overlay   *OverlayMeta `json:"overlay,omitempty"` // what of the request's overlay the answer sees; nil: there was none
}

// Cut notes that something was left out, and why.
func (m *Meta) Cut(why string) {
	m.Truncated = true
	if !slices.Contains(m.TruncatedBy, why) {
		m.TruncatedBy = append(slices.Clip(m.TruncatedBy), why)
	}
}

// A Place is a symbol, by where it is defined.
type Place struct {
	// Its name with those around it, joined by dots; empty for the code of a file that is in no
	// definition.
	Symbol  string `json:"symbol"`
	File    string `json:"file"`
	Line    int    `json:"line"`              // of its name
	Changed bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// A Definition is a symbol with what its definition says.
type Definition struct {
	Symbol    string `json:"symbol"` // its name with those around it, joined by dots
	File      string `json:"file"`
	Line      int    `json:"line"`              // where it begins, decorators included
	EndLine   int    `json:"end_line"`          // the last line, inclusive
	Kind      string `json:"kind"`              // function, method, class and so on
	Lang      string `json:"lang"`              // the file's language
	Signature string `json:"signature"`         // one line
	Doc       string `json:"doc,omitempty"`     // its doc comment or docstring, as prose
	Changed   bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// A LeftOut is a file that the answer could not cover, and why.
type LeftOut struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// A Scope says which project a request is about, and who asks. What is empty is
// taken from the Options.
type Scope struct {
	Project   string `json:"project,omitempty"`    // by name or root; empty in the Options, too: the first
	AgentID   string `json:"agent_id,omitempty"`   // decides how much Grep, Cat and Find answer
	SessionID string `json:"session_id,omitempty"` // what it was sent before becomes a reference
	Strict    bool   `json:"strict,omitempty"`     // a field that the endpoint does not have is an error
}

// An OverlayFile is a file as it is to be for one request, such as the unsaved buffer of
// an editor: the answer is the one that there would be if it were saved. No other request
// sees it. A request may have 32 of them, each path once.
type OverlayFile struct {
	Path    string  `json:"path"`    // relative to the root or absolute inside it; it need not exist
	Content *string `json:"content"` // all of the file; nil: it is gone
}

// An OverlayMeta says what of a request's overlay the answer sees.
type OverlayMeta struct {
	Files   int              `json:"files"` // that the answer sees, those that are gone included
	LeftOut []OverlayLeftOut `json:"left_out,omitempty"`
	// The call graph of so large a project is still being made with the overlay: what the
	// answer has of calls is of the saved files. It will be there for a later request.
	GraphBehind bool `json:"graph_behind,omitempty"`
}

// An OverlayLeftOut is a file that would not be indexed if it were saved, and why.
type OverlayLeftOut struct {
	Path   string `json:"path"`   // relative to the root
	Reason string `json:"reason"` // as of a SkippedFile, or ignored, ignore_rules, not_a_folder
	Detail string `json:"detail,omitempty"`
}
