package wire

// An AcrossPlace is a place in one of the projects of a server.
type AcrossPlace struct {
	Project string `json:"project,omitempty"` // its project; empty: that of the answer
	Symbol  string `json:"symbol"`            // empty for code that is in no definition
	File    string `json:"file"`              // relative to the root of the project
	Line    int    `json:"line"`
}

// AcrossCalls has the calls between the target and other projects of the server: at most
// Limit, whatever the offset, nearest first, then by project.
type AcrossCalls struct {
	Calls []AcrossCall `json:"calls"`
	AcrossMeta
}

// An AcrossCall is a call from one project into another.
type AcrossCall struct {
	From   AcrossPlace `json:"from"`
	To     AcrossPlace `json:"to"`
	Line   int         `json:"line"`   // of the call, in the file of From
	Column int         `json:"column"` // in bytes, from 1
	Kind   string      `json:"kind"`   // calls, references, imports, inherits or implements
	// ConfidenceExact: the path names the definition; ConfidenceScoped: by the declared result of a function, or
	// one of several.
	Confidence Confidence `json:"confidence"`
	Depth      int        `json:"depth,omitempty"` // steps from the target
}

// An AcrossImpact is what depends on the target in other projects of the server, and in
// this one by way of them: at most Limit callers, whatever the offset, nearest first,
// then by project.
type AcrossImpact struct {
	Callers  []AcrossCaller  `json:"callers"`
	Projects []AcrossProject `json:"projects"` // where something is affected
	AcrossMeta
}

// An AcrossCaller is affected by a change in another project.
type AcrossCaller struct {
	Project    string      `json:"project"` // the one that it is in
	Symbol     string      `json:"symbol"`  // empty for code that is in no definition
	File       string      `json:"file"`    // relative to the root of the project
	Line       int         `json:"line"`
	Depth      int         `json:"depth"`          // steps from the target
	Via        AcrossPlace `json:"via"`            // what it calls on the way
	CallSites  []int       `json:"call_sites"`     // lines of the calls, in the file of the caller
	Kind       string      `json:"kind"`           // calls, references, imports, inherits or implements
	Confidence Confidence  `json:"confidence"`     // the weakest on the way
	Test       bool        `json:"test,omitempty"` // it is test code
}

// An AcrossProject sums up what is affected in a project.
type AcrossProject struct {
	Project string   `json:"project"` // its name
	Callers int      `json:"callers"` // how many there are, listed or not
	Tests   []string `json:"tests"`   // test files among what is affected: those to run, nearest first
	Files   []string `json:"files"`   // of all callers, by path
}

// An AcrossMeta says how much of what other projects have is in an answer.
type AcrossMeta struct {
	Total int `json:"total"` // what there is, before the limit
	// There is more than the list has: it is cut at the limit, or at the size of the response.
	Truncated  bool     `json:"truncated"`
	Complete   bool     `json:"complete"`             // all other projects were asked, and their call graphs are current
	Incomplete []string `json:"incomplete,omitempty"` // why the answer is not complete
	Unasked    []string `json:"unasked,omitempty"`    // names of projects that were not asked, for want of memory or of a call graph
}
