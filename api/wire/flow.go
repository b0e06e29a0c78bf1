package wire

// A ControlRequest asks for the control flow of a function.
type ControlRequest struct {
	Target    string `json:"target,omitempty" target:""`                                   // a function, or a line within one; a file is its code outside of functions
	Draw      string `json:"draw,omitempty" of:"dot mermaid svg"`                          // a drawing, too, of at most 300 blocks
	Limit     int    `json:"limit,omitempty" min:"1" max:"10000" default:"1000"`           // blocks at most, by default 1000; more than 10000 is lowered to 10000
	Offset    int    `json:"offset,omitempty" min:"0" max:"1073741824"`                    // blocks to pass over
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// A ControlResponse is the control flow of a function.
type ControlResponse struct {
	Target       string         `json:"target"` // as it was asked for
	Function     FlowFunction   `json:"function"`
	Blocks       []ControlBlock `json:"blocks"` // by number; the entry is the first
	Edges        []ControlEdge  `json:"edges"`  // between blocks that are given
	Entry        int            `json:"entry"`
	Exits        []int          `json:"exits"`                // blocks after which the function ends
	Complexity   int            `json:"complexity"`           // McCabe's: the ways that part, and one
	Loops        int            `json:"loops"`                // heads of loops
	Unreachable  []int          `json:"unreachable"`          // lines that nothing leads to
	Complete     bool           `json:"complete"`             // all of the function was followed
	Incomplete   []string       `json:"incomplete,omitempty"` // why not
	Alternatives []Place        `json:"alternatives,omitempty"`
	Drawing      string         `json:"drawing,omitempty"` // with Draw
	Total        int            `json:"total"`             // blocks, before limit and offset; as Meta.Matches
	Truncated    bool           `json:"truncated"`
	NextOffset   int            `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index        Index          `json:"index"`
	Meta         Meta           `json:"meta"`
}

// A FlowFunction is a function whose flow was asked for, or the code of a file outside of all.
type FlowFunction struct {
	Name    string `json:"name"` // with its containers; empty for one without a name, and for a file's code
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
	Lang    string `json:"lang"`
	Changed bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// A ControlBlock is code that runs as a whole.
type ControlBlock struct {
	ID          int      `json:"id"`
	Type        string   `json:"type"` // entry, exit, raise, branch, loop, case, catch, return or body
	Line        int      `json:"line"`
	EndLine     int      `json:"end_line"`
	Text        []string `json:"text"`            // its statements, each on a line of at most 200 bytes
	Calls       []string `json:"calls,omitempty"` // names that are called, in order
	Dominator   *int     `json:"dominator"`       // the block that every way here passes last; nil for the entry and for what is unreachable
	Loop        int      `json:"loop,omitempty"`  // loops around it
	Unreachable bool     `json:"unreachable,omitempty"`
}

// A ControlEdge leads from a block to one that may come next.
type ControlEdge struct {
	From      int    `json:"from"`
	To        int    `json:"to"`
	Kind      string `json:"kind"`                // next, true, false, case, back, break, continue, return, raise, goto, fallthrough, finally or resume
	Condition string `json:"condition,omitempty"` // of true, false and case: what is tested
	Maybe     bool   `json:"maybe,omitempty"`     // of raise: what the block calls may raise
}

// A DataRequest asks for the data flow of a function.
type DataRequest struct {
	Target    string `json:"target,omitempty" target:""`                                   // as of ControlRequest
	Variable  string `json:"variable,omitempty" max:"256"`                                 // only this one
	Limit     int    `json:"limit,omitempty" min:"1" max:"10000" default:"1000"`           // pairs of a definition and a use at most, by default 1000; more than 10000 is lowered to 10000
	Offset    int    `json:"offset,omitempty" min:"0" max:"1073741824"`                    // pairs to pass over
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// A DataResponse is the data flow of a function.
type DataResponse struct {
	Target       string         `json:"target"` // as it was asked for
	Function     FlowFunction   `json:"function"`
	Variables    []FlowVariable `json:"variables"`            // in the order of their declarations
	Refs         []FlowRef      `json:"refs"`                 // the places that read or write them, by place; at most 10,000
	Edges        []DefUse       `json:"edges"`                // which definition may be what a use reads
	Complete     bool           `json:"complete"`             // all of the function was followed
	Incomplete   []string       `json:"incomplete,omitempty"` // why not
	Alternatives []Place        `json:"alternatives,omitempty"`
	Total        int            `json:"total"` // pairs, before limit and offset; as Meta.Matches
	Truncated    bool           `json:"truncated"`
	NextOffset   int            `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index        Index          `json:"index"`
	Meta         Meta           `json:"meta"`
}

// A FlowVariable is a variable of a function, or a name that it uses.
type FlowVariable struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`               // parameter, local, outer (of a function around it) or free (declared elsewhere, or a field)
	Line     int    `json:"line"`               // of its declaration; of one that is free the first place that has it
	Captured bool   `json:"captured,omitempty"` // a function inside reads or writes it
}

// A FlowRef is a place that reads or writes a variable or a part of it.
type FlowRef struct {
	Name   string `json:"name"`
	Part   string `json:"part,omitempty"` // such as .size, [] for an element, .* for a part that is not known
	Type   string `json:"type"`           // definition, update or use
	Line   int    `json:"line"`
	Column int    `json:"column"`            // 1-based, in bytes
	Maybe  bool   `json:"maybe,omitempty"`   // it does not happen always, or not to all of it
	ByCall bool   `json:"by_call,omitempty"` // a call that is given it may do it
	Inner  bool   `json:"inner,omitempty"`   // a function inside does it, at some time
}

// A DefUse says that what one place writes may be what another one reads.
type DefUse struct {
	Variable string  `json:"variable"`
	Def      FlowRef `json:"def"`
	Use      FlowRef `json:"use"`
	Maybe    bool    `json:"maybe,omitempty"` // the definition is one that may happen
}

// A SliceRequest asks what a line depends on, or what depends on it.
type SliceRequest struct {
	Target    string `json:"target,omitempty" target:""`                                   // FILE:LINE
	Direction string `json:"direction,omitempty" of:"backward forward"`                    // by default backward: what the line depends on
	Variable  string `json:"variable,omitempty" max:"256"`                                 // only by way of this one, which the line names
	To        string `json:"to,omitempty" target:"later"`                                  // FILE:LINE: only what lies between the two
	Depth     int    `json:"depth,omitempty" min:"0" max:"20"`                             // calls that are followed, by default none; more than 20 is lowered to 20
	Draw      string `json:"draw,omitempty" of:"dot mermaid svg"`                          // a drawing, too, of at most 300 lines
	Limit     int    `json:"limit,omitempty" min:"1" max:"10000" default:"1000"`           // lines at most, by default 1000; more than 10000 is lowered to 10000
	Offset    int    `json:"offset,omitempty" min:"0" max:"1073741824"`                    // lines to pass over
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// A SliceResponse is a slice: lines by file, those of the target's file first.
type SliceResponse struct {
	Target     string       `json:"target"` // as it was asked for
	Function   FlowFunction `json:"function"`
	Direction  string       `json:"direction"`
	Variable   string       `json:"variable,omitempty"`
	Lines      []SliceLine  `json:"lines"`
	Functions  int          `json:"functions"`            // how many functions have a line in it, on all pages
	Complete   bool         `json:"complete"`             // all that the line depends on in the index is there, if it is not truncated
	Incomplete []string     `json:"incomplete,omitempty"` // what could not be followed
	Drawing    string       `json:"drawing,omitempty"`    // with Draw
	Total      int          `json:"total"`                // lines, before limit and offset; as Meta.Matches
	Truncated  bool         `json:"truncated"`
	NextOffset int          `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index      Index        `json:"index"`
	Meta       Meta         `json:"meta"`
}

// A SliceLine is a line of a slice, and why it is there.
type SliceLine struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	EndLine  int    `json:"end_line"`
	Function string `json:"function"` // empty for one without a name, and for a file's code
	Text     string `json:"text"`     // the first of its lines, at most 200 bytes
	// asked; data: it writes Variable; alias: it changes the object of Variable by another name;
	// control: it decides whether the other line runs; jump: it leaves that out at times; part: it
	// is of the same statement; argument, result: by way of a call; declaration: of Variable;
	// syntax: the others do not parse without it.
	Reason   string `json:"reason"`
	Of       int    `json:"of"`                // the line that it is there for
	OfFile   string `json:"of_file,omitempty"` // of that, where it is another file or function
	Variable string `json:"variable,omitempty"`
	Depth    int    `json:"depth,omitempty"`   // calls between it and the target
	Changed  bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// A FlowsRequest asks for the paths of values from sources to sinks. Preset, or Source and Sink, are
// needed.
type FlowsRequest struct {
	Preset    string   `json:"preset,omitempty" of:"exec sql path html all"`                 // whose sources, sinks and sanitizers are meant where the request has none
	Source    []string `json:"source,omitempty" max:"256"`                                   // patterns, or preset:request, preset:input
	Sink      []string `json:"sink,omitempty" max:"256"`                                     // patterns, or preset:exec, preset:sql, preset:path, preset:html
	Sanitizer []string `json:"sanitizer,omitempty" max:"256"`                                // patterns in the place of those of Preset; preset:default for these, none for none at all
	Depth     int      `json:"depth,omitempty" min:"1" max:"20" default:"8"`                 // calls that are followed between source and sink, by default 8; more than 20 is lowered to 20
	Functions int      `json:"max_functions,omitempty" min:"1" max:"20000" default:"2000"`   // functions that are looked into, for each preset, by default 2000; more than 20000 is lowered to 20000
	Path      string   `json:"path,omitempty" max:"4096"`                                    // only paths whose sink is below this file or folder
	Glob      []string `json:"glob,omitempty" max:"256"`                                     // only paths whose sink is in files that one of these globs matches; ! in front excludes
	Tests     Tests    `json:"tests,omitempty" of:"with without only"`                       // whether paths with an end in test code are given, by default WithTests
	Limit     int      `json:"limit,omitempty" min:"1" max:"1000" default:"100"`             // paths at most, by default 100; more than 1000 is lowered to 1000
	Offset    int      `json:"offset,omitempty" min:"0" max:"1073741824"`                    // paths to pass over
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// A FlowsResponse has paths of values, the shortest first.
type FlowsResponse struct {
	Flows      []Flow      `json:"flows"`                 // one for each source and sink
	Sources    int         `json:"sources"`               // places that sources match, in the functions that were looked into
	Sinks      int         `json:"sinks"`                 // places that sinks match
	Functions  int         `json:"functions"`             // that were looked into
	Counts     []FlowCount `json:"counts"`                // by preset, on all pages
	NotLooked  []string    `json:"not_looked_at"`         // languages of the index in which no flow is looked for
	Complete   bool        `json:"complete"`              // every path is there, as far as fields and libraries are followed, if it is not truncated
	Incomplete []string    `json:"incomplete,omitempty"`  // what could not be followed
	Total      int         `json:"total"`                 // paths, before limit and offset; as Meta.Matches
	Truncated  bool        `json:"truncated"`             // there are more than the list has, or not all was looked into; Meta.TruncatedBy says why
	NextOffset int         `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index      Index       `json:"index"`
	Meta       Meta        `json:"meta"`
}

// A FlowCount is how many paths lead to the sinks of a preset.
type FlowCount struct {
	Preset string `json:"preset"`
	Count  int    `json:"count"`
}

// A Flow is a path of a value from a source to a sink.
type Flow struct {
	Preset     string     `json:"preset,omitempty"`
	Source     FlowPlace  `json:"source"`
	Sink       FlowPlace  `json:"sink"`
	Confidence string     `json:"confidence"`     // of the weakest call on it: exact, scoped or possible
	Steps      []FlowStep `json:"steps"`          // from the source to the sink
	Test       bool       `json:"test,omitempty"` // one of its ends is test code
}

// A FlowPlace is an end of a Flow.
type FlowPlace struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`            // 1-based, in bytes
	Name    string `json:"name"`              // what is read, called or assigned to there
	Pattern string `json:"pattern"`           // that it matches
	Changed bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// A FlowStep is a place on a Flow, and what happens there.
type FlowStep struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"` // empty for one without a name, and for a file's code
	Text     string `json:"text"`     // the line, at most 200 bytes
	// source; data: it is assigned to Variable; argument: it is given to Name; parameter: Variable
	// has it in the called function; returned; result: Name gave it; passed: it is given to Name,
	// which is outside of the index or not known, and taken to return it; carried: Name is taken to
	// have put it into what else it is given; captured: a function inside reads Variable; field:
	// another function of the class reads Variable; sink.
	Reason   string `json:"reason"`
	Name     string `json:"name,omitempty"`
	Variable string `json:"variable,omitempty"`
	Changed  bool   `json:"changed,omitempty"` // as in FlowPlace
}
