package wire

// A TraceRequest asks what is around a symbol in the call graph, or between two.
type TraceRequest struct {
	Target string `json:"target,omitempty" target:""`                   // where the trace begins
	To     string `json:"to,omitempty" target:"later"`                  // where it ends; empty: what is around Target
	Depth  int    `json:"depth,omitempty" min:"1" max:"10" default:"1"` // steps from the target, by default 1; more than 10 is lowered to 10
	// Callers and callees at most, each, by default 50; chains at most, by default 5. More than
	// 100 is lowered to 100.
	Limit     int `json:"limit,omitempty" min:"1" max:"results"`
	TimeoutMS int `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// A TraceResponse has what is around the symbol or, with To, the shortest chains.
type TraceResponse struct {
	Symbol       string      `json:"symbol"`                 // as it was asked for
	Definition   *Definition `json:"definition,omitempty"`   // the target, unless it is a file
	Callers      []Neighbour `json:"callers"`                // empty with To
	Callees      []Neighbour `json:"callees"`                // empty with To
	To           *Definition `json:"to,omitempty"`           // the other end, unless it is a file
	Paths        []Chain     `json:"paths,omitempty"`        // the shortest chains, the surest of them first
	Backward     bool        `json:"backward,omitempty"`     // the chains lead from To to the symbol
	Text         string      `json:"text"`                   // the same, for people
	Tokens       int         `json:"tokens"`                 // of text
	Complete     bool        `json:"complete"`               // all that the index has is in the answer, if it is not truncated
	OpenCalls    int         `json:"open_calls"`             // calls that are not resolved and could belong to the answer
	Incomplete   []string    `json:"incomplete,omitempty"`   // why the answer is not complete
	Alternatives []Place     `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Total        int         `json:"total"`                  // what there is, before limit, offset and budget
	Truncated    bool        `json:"truncated"`              // there is more than the list has; Meta.TruncatedBy says why
	NextOffset   int         `json:"next_offset,omitempty"`  // the offset of the next page; 0 on the last one
	Index        Index       `json:"index"`
	Meta         Meta        `json:"meta"`
}

// A Chain is a way through the call graph.
type Chain struct {
	Hops       []CallEdge `json:"hops"`
	Confidence Confidence `json:"confidence"` // the weakest of them
}

// A Neighbour is a symbol around another one.
type Neighbour struct {
	Symbol     string     `json:"symbol"` // empty for code that is in no definition
	File       string     `json:"file"`
	Line       int        `json:"line"`
	Changed    bool       `json:"changed,omitempty"` // the file on disk is no longer what was indexed
	Signature  string     `json:"signature,omitempty"`
	Depth      int        `json:"depth"`      // steps from the symbol
	Via        Place      `json:"via"`        // the step before it on the way from the symbol
	CallSites  []int      `json:"call_sites"` // lines of the calls, in the file of the caller
	Confidence Confidence `json:"confidence"` // the weakest on the way
	Kind       string     `json:"kind"`       // calls, references, imports, inherits or implements
}
