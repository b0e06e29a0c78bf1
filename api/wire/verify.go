package wire

// A VerifyRequest asks for a comparison of the index with one built afresh.
type VerifyRequest struct {
	Sample    int    `json:"sample,omitempty" min:"0" max:"1073741824"`                  // files to draw; 0, or more than there are: everything
	Seed      int    `json:"seed,omitempty" min:"0" max:"9007199254740992"`              // of the draw: of the same files the same one draws the same sample
	Limit     int    `json:"limit,omitempty" min:"1" max:"10000" default:"100"`          // differences to list, by default 100, at most 10000
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"600000" default:"600000"` // in milliseconds, by default and at most 600000
	Project   string `json:"project,omitempty"`                                          // by name or root; empty: the first
	Strict    bool   `json:"strict,omitempty"`                                           // a field that the endpoint does not have is an error
}

// A Verification is what the comparison found.
type Verification struct {
	Root     string `json:"root"`     // absolute path of the root
	Proved   bool   `json:"proved"`   // everything was compared, and nothing differs
	Sampled  bool   `json:"sampled"`  // what was compared is that of a sample of the files
	Files    int    `json:"files"`    // files compared, those that are skipped included
	Symbols  int    `json:"symbols"`  // symbols compared
	Chunks   int    `json:"chunks"`   // chunks compared
	Terms    int    `json:"terms"`    // different words of these chunks
	Postings int    `json:"postings"` // postings compared, each a word of a chunk
	Vectors  int    `json:"vectors"`  // vectors compared
	// Vectors that were summed otherwise: by ONNX Runtime in another batch, or by another backend
	// before a snapshot was written. They are no differences.
	Rounded     int          `json:"rounded"`
	Graph       bool         `json:"graph"` // the call graph was compared
	Edges       int          `json:"edges"` // its edges
	Sites       int          `json:"sites"` // its calls that lead to no definition of the index
	Differences []Difference `json:"differences"`
	Total       int          `json:"total"`     // differences, those that are not listed included
	Truncated   bool         `json:"truncated"` // differences is not all
	Changed     []string     `json:"changed"`   // files that changed too often to be compared; at most limit
	Unchecked   []string     `json:"unchecked"` // what was not compared, and why, for people
	Seconds     float64      `json:"seconds"`   // how long it took
	Index       Index        `json:"index"`
	Clamped     []string     `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	Ignored     []string     `json:"ignored,omitempty"` // fields of the request that the endpoint does not have
}

// A Difference is where the index is not what one built afresh would be.
type Difference struct {
	// What differs. file: the content, because the index has not seen a change; record: what is
	// known of the file; graph: the call graph as a whole; count: a total. One of file, record,
	// text, symbol, chunk, posting, vector, node, edge, site, graph, count.
	Kind   string `json:"kind"`
	Path   string `json:"path,omitempty"` // the file, relative to the root; absent where it is in none
	Detail string `json:"detail"`         // what is, and what should be, for people
}
