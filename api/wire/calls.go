package wire

// A CallsRequest asks for the calls around a target, or for all.
type CallsRequest struct {
	Target    string    `json:"target,omitempty" target:"later"`                          // what the calls are around; empty: all calls are listed
	Direction Direction `json:"direction,omitempty" of:"callees callers both references"` // by default Callees
	Depth     int       `json:"depth,omitempty" min:"1" max:"10" default:"1"`             // steps from the target, by default 1; more than 10 is lowered to 10
	// Entries at most, of the sets together, by default 100; more than 1000 is lowered to 1000.
	Limit    int  `json:"limit,omitempty" min:"1" max:"1000" default:"100"`
	Offset   int  `json:"offset,omitempty" min:"0" max:"1073741824"` // entries to pass over
	External bool `json:"external,omitempty"`                        // list calls of what is not in the index, too
	// Only what is below this file or folder: callers of the target, what it calls, or without a
	// target the callers. What leads to nothing of the index is not listed then.
	Path  string   `json:"path,omitempty" max:"4096"`
	Glob  []string `json:"glob,omitempty" max:"256"`               // only files that one of these globs matches, of the same ends; ! in front excludes
	Tests Tests    `json:"tests,omitempty" of:"with without only"` // what of test code is listed, by the same ends, by default WithTests: after production code
	// One entry for each caller and callee, with the lines of all its calls in CallSites. It needs a
	// target.
	Group     bool `json:"group,omitempty"`
	TimeoutMS int  `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// Problem says what does not go together in the request, "" where nothing is wrong.
func (q *CallsRequest) Problem() string {
	switch {
	case q.Group && q.Target == "":
		return "group needs a target"
	case q.Direction != ReferencesTo:
	case q.Group:
		return "references are places, and not grouped"
	case q.Target == "":
		return "references are those to a target, and there is none"
	case q.Depth > 1:
		return "references have no depth beyond 1"
	case q.External:
		return "references are to what is in the index, so that external cannot be asked for with them"
	}
	return ""
}

// GraphBuilding stands in Incomplete before there is a first call graph: what is asked again
// a little later has more.
const GraphBuilding = "the call graph is still being built"

// A CallsResponse has the calls in sets, by how much is known of them.
type CallsResponse struct {
	Target       string           `json:"target,omitempty"` // as it was asked for
	Direction    Direction        `json:"direction"`
	Definition   *Definition      `json:"definition,omitempty"`   // the target, unless it is a file
	Edges        []CallEdge       `json:"edges"`                  // resolved, production code before tests, nearest first, then by file and line
	Ambiguous    []CallEdge       `json:"ambiguous"`              // one of several, or by name alone
	Unresolved   []UnresolvedCall `json:"unresolved"`             // calls that lead nowhere that is known
	External     []CallEdge       `json:"external,omitempty"`     // of what is not in the index, if asked for
	Counts       CallCounts       `json:"counts"`                 // entries of each set, on all pages
	Complete     bool             `json:"complete"`               // all that the index has is in the answer, if it is not truncated
	OpenCalls    int              `json:"open_calls"`             // calls that are not resolved and could belong to the answer
	Incomplete   []string         `json:"incomplete,omitempty"`   // why the answer is not complete
	Alternatives []Place          `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Total        int              `json:"total"`                  // entries of the lists together, before limit, offset and budget; as Meta.Matches
	Truncated    bool             `json:"truncated"`              // there is more than the list has; Meta.TruncatedBy says why
	NextOffset   int              `json:"next_offset,omitempty"`  // the offset of the next page; 0 on the last one
	Across       *AcrossCalls     `json:"across,omitempty"`
	Index        Index            `json:"index"`
	Meta         Meta             `json:"meta"`
}

// An UnresolvedCall is a call that leads nowhere that is known.
type UnresolvedCall struct {
	From       Place  `json:"from"`
	Name       string `json:"name"` // what is called; empty for an expression
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Reason     string `json:"reason"`
	Candidates int    `json:"candidates,omitempty"` // definitions of the name, too many to list
	CallSites  []int  `json:"call_sites,omitempty"` // lines of all calls of the name in From, with Group
	Test       bool   `json:"test,omitempty"`       // From is test code
}

// CallCounts counts the entries of each set, on all pages.
type CallCounts struct {
	Edges      int `json:"edges"`
	Ambiguous  int `json:"ambiguous"`
	Unresolved int `json:"unresolved"`
	External   int `json:"external"`
}

// A CallEdge is a call or another use, from a symbol to a symbol.
type CallEdge struct {
	From       Place      `json:"from"`
	To         Callee     `json:"to"`
	Line       int        `json:"line"`   // of the call, in the file of From
	Column     int        `json:"column"` // in bytes, from 1
	Kind       string     `json:"kind"`   // calls, references, imports, inherits or implements
	Confidence Confidence `json:"confidence"`
	// What made the edge: scope, import, type, flow, self, hierarchy, constructor, overload,
	// value, declaration, macro, property or name.
	Rule      string `json:"rule"`
	Depth     int    `json:"depth,omitempty"`      // steps from the target
	CallSites []int  `json:"call_sites,omitempty"` // lines of all calls between the two, with Group; Line is the first
	Test      bool   `json:"test,omitempty"`       // the end that is not the target's is test code; without a target, From
}

// A Callee is the end of a CallEdge.
type Callee struct {
	Symbol   string `json:"symbol"`
	File     string `json:"file"`              // empty for what is not in the index
	Line     int    `json:"line"`              // 0 for what is not in the index
	External bool   `json:"external"`          // it is not in the index
	Literal  bool   `json:"literal,omitempty"` // a function without a name that is written in the symbol
	Changed  bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// MarshalJSON returns what Shown does as JSON.
func (c Callee) MarshalJSON() ([]byte, error) { return encoded(c.Shown()) }

// Shown gives what is not in the index neither file nor line: they are null.
func (c Callee) Shown() any {
	type plain Callee
	if !c.External {
		return plain(c)
	}
	return struct {
		Symbol   string  `json:"symbol"`
		File     *string `json:"file"`
		Line     *int    `json:"line"`
		External bool    `json:"external"`
		Literal  bool    `json:"literal,omitempty"`
		Changed  bool    `json:"changed,omitempty"`
	}{c.Symbol, nil, nil, c.External, c.Literal, c.Changed}
}

// A ReferencesRequest asks where a symbol is named.
type ReferencesRequest struct {
	Target       string        `json:"target,omitempty" target:""` // a symbol
	Kind         ReferenceKind `json:"kind,omitempty" of:"call read write type import decorator inherit string"`
	Path         string        `json:"path,omitempty" max:"4096"`              // only what is below this file or folder
	Glob         []string      `json:"glob,omitempty" max:"256"`               // only files that one of these globs matches; ! in front excludes
	Tests        Tests         `json:"tests,omitempty" of:"with without only"` // what of test code is listed, by default WithTests: after production code
	IncludeTests *bool         `json:"include_tests,omitempty"`                // false is the same as WithoutTests
	// Entries at most, of the sets together, by default 100; more than 1000 is lowered to 1000.
	Limit     int `json:"limit,omitempty" min:"1" max:"1000" default:"100"`
	Offset    int `json:"offset,omitempty" min:"0" max:"1073741824"`                    // entries to pass over
	TimeoutMS int `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// Problem says what does not go together in the request, "" where nothing is wrong.
func (q *ReferencesRequest) Problem() string { return testsProblem(q.Tests, q.IncludeTests) }

// A ReferencesResponse has the places that name a symbol in sets, by how much is known of
// them. Declarations and comments are not among them.
type ReferencesResponse struct {
	Target       string          `json:"target"`                 // as it was asked for
	Definition   *Definition     `json:"definition"`             // the target
	References   []Reference     `json:"references"`             // production code before tests, then by file and place
	Ambiguous    []Reference     `json:"ambiguous"`              // that have the name, and no more is known
	Counts       ReferenceCounts `json:"counts"`                 // entries of each set, on all pages
	Files        []string        `json:"files"`                  // of all references, by path
	Complete     bool            `json:"complete"`               // all that the index has is in the answer, if it is not truncated
	Incomplete   []string        `json:"incomplete,omitempty"`   // why the answer is not complete
	Alternatives []Place         `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Total        int             `json:"total"`                  // entries of the lists together, before limit, offset and budget; as Meta.Matches
	Truncated    bool            `json:"truncated"`              // there is more than the list has; Meta.TruncatedBy says why
	NextOffset   int             `json:"next_offset,omitempty"`  // the offset of the next page; 0 on the last one
	Index        Index           `json:"index"`
	Meta         Meta            `json:"meta"`
}

// A Reference is a place that names a symbol.
type Reference struct {
	Symbol     string        `json:"symbol"` // the innermost symbol that the place is in; empty for none
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Column     int           `json:"column"`
	Changed    bool          `json:"changed,omitempty"` // the file on disk is no longer what was indexed
	Kind       ReferenceKind `json:"kind"`
	Confidence Confidence    `json:"confidence"`
	Test       bool          `json:"test,omitempty"` // it is test code
}

// ReferenceCounts counts the entries of each set, on all pages.
type ReferenceCounts struct {
	References int `json:"references"`
	Ambiguous  int `json:"ambiguous"`
}

// A ReferenceKind is how a place uses the name of a symbol.
type ReferenceKind string

// The kinds of reference.
const (
	ReferenceCall      ReferenceKind = "call"
	ReferenceRead      ReferenceKind = "read"
	ReferenceWrite     ReferenceKind = "write"
	ReferenceType      ReferenceKind = "type"
	ReferenceImport    ReferenceKind = "import"
	ReferenceDecorator ReferenceKind = "decorator"
	ReferenceInherit   ReferenceKind = "inherit"
	ReferenceString    ReferenceKind = "string"
)

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
	Total        int         `json:"total"`                  // entries of the lists together, before limit, offset and budget; as Meta.Matches
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

// A GraphRequest asks for the part of the call graph around a symbol, or between two, as nodes and
// edges to draw.
type GraphRequest struct {
	Target    string    `json:"target,omitempty" target:""`                    // what the graph is around
	To        string    `json:"to,omitempty" target:"later"`                   // what it leads to: the shortest chains between the two; empty: what is around Target
	Direction Direction `json:"direction,omitempty" of:"callees callers both"` // by default Both; not with To
	Depth     int       `json:"depth,omitempty" min:"1" max:"10"`              // steps from the target, by default 1; more than 10 is lowered to 10; not with To
	// What a node is, by default a symbol. Symbols in no class are not collapsed by class, and neither
	// is the target.
	Collapse string `json:"collapse,omitempty" of:"file folder class"`
	// IDs of nodes: what these stand for has nodes of its own, as far as the limit allows, or of a
	// symbol what is one step from it is there, too.
	Expand    []string `json:"expand,omitempty" max:"4352"`
	Snippets  bool     `json:"snippets,omitempty"`                                           // fill in the text of call sites
	Draw      string   `json:"draw,omitempty" of:"dot mermaid svg"`                          // a drawing, too
	Path      string   `json:"path,omitempty" max:"4096"`                                    // only what is below this file or folder, and what lies between it and the target
	Glob      []string `json:"glob,omitempty" max:"256"`                                     // only files that one of these globs matches, as above; ! in front excludes
	Tests     Tests    `json:"tests,omitempty" of:"with without only"`                       // what of test code is there, by default WithTests; OnlyTests: and what lies between it and the target
	Limit     int      `json:"limit,omitempty" min:"1" max:"300" default:"100"`              // nodes at most, by default 100; more than 300 is lowered to 300
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// A GraphResponse is a part of the call graph. Nodes beyond the limit are in groups, which say how many.
type GraphResponse struct {
	Target       string      `json:"target"`
	Definition   *Definition `json:"definition,omitempty"`   // the target, unless it is a file
	To           *Definition `json:"to,omitempty"`           // the other end, unless it is a file
	Direction    Direction   `json:"direction,omitempty"`    // empty with To
	Backward     bool        `json:"backward,omitempty"`     // the chains lead from To to the target
	Nodes        []GraphNode `json:"nodes"`                  // the target, then the nearest first; groups last
	Edges        []GraphEdge `json:"edges"`                  // in the order of the nodes, at most 2000
	TotalEdges   int         `json:"total_edges"`            // between all nodes, before the limit
	Drawing      string      `json:"drawing,omitempty"`      // with Draw
	Complete     bool        `json:"complete"`               // all that the index has is in the answer, if it is not truncated
	OpenCalls    int         `json:"open_calls"`             // calls that are not resolved and could belong to the answer
	Incomplete   []string    `json:"incomplete,omitempty"`   // why the answer is not complete
	Alternatives []Place     `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Total        int         `json:"total"`                  // nodes before the limit, without groups; as Meta.Matches
	Truncated    bool        `json:"truncated"`              // there are groups, or edges are left out; Meta.TruncatedBy says why
	Index        Index       `json:"index"`
	Meta         Meta        `json:"meta"`
}

// A GraphNode is a symbol, or what stands for several.
type GraphNode struct {
	ID        string `json:"id"`   // for edges and for GraphRequest.Expand; of a symbol mostly file:line
	Kind      string `json:"kind"` // of the symbol; or file, folder, group (those of a folder that the limit left out), top level (code outside of definitions)
	Symbol    string `json:"symbol,omitempty"`
	File      string `json:"file,omitempty"` // empty for folders and groups
	Line      int    `json:"line,omitempty"`
	Folder    string `json:"folder"`              // empty for the root
	Signature string `json:"signature,omitempty"` // one line
	Depth     int    `json:"depth"`               // steps from the target, of the nearest that it stands for
	Side      string `json:"side"`                // target, caller, callee, both, or path between two targets
	Count     int    `json:"count"`               // symbols that it stands for; of a group nodes
	Test      bool   `json:"test,omitempty"`      // all of it is test code
	Changed   bool   `json:"changed,omitempty"`   // the file on disk is no longer what was indexed
}

// A GraphEdge says that one node calls another, or names it.
type GraphEdge struct {
	From       string      `json:"from"`
	To         string      `json:"to"`
	Kind       string      `json:"kind"`                // calls, references, inherits or implements
	Confidence Confidence  `json:"confidence"`          // the surest of what it stands for
	Ambiguous  bool        `json:"ambiguous,omitempty"` // it may be another that is called: one of several, or by its name alone
	Count      int         `json:"count"`               // lines with call sites
	Sites      []GraphSite `json:"sites"`               // the first 5
	Path       bool        `json:"path,omitempty"`      // it is part of a chain between two targets
}

// A GraphSite is the place of a call.
type GraphSite struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text,omitempty"` // of the line, with GraphRequest.Snippets
}
