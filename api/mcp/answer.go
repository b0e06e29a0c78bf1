package mcp

import "github.com/quarry-search/quarry/api/wire"

// The types below are what is kept of the endpoints' answers, under the names that the
// fields have there: keep copies what they have a field for. What a field says, api/wire
// does.

// indexed says how the index was when it answered.
type indexed struct {
	State     string   `json:"state"`
	Freshness string   `json:"freshness"`
	Progress  float64  `json:"progress"`
	Vectors   float64  `json:"vectors"`
	Refined   *float64 `json:"refined,omitempty"`
	Pending   int      `json:"pending"`
	Root      string   `json:"root"`
	Empty     bool     `json:"empty,omitempty" jsonschema:"no file is indexed yet"`
}

// meta says what the answer lacks.
type meta struct {
	Matches     int      `json:"matches"`
	Truncated   bool     `json:"truncated"`
	TruncatedBy []string `json:"truncated_by,omitempty"`
	Clamped     []string `json:"clamped,omitempty"`
	Unindexed   bool     `json:"unindexed,omitempty"`
	Changed     int      `json:"changed,omitempty"`   // files that are no longer what was indexed
	Unchecked   int      `json:"unchecked,omitempty"` // files that nobody compared
	Masked      int      `json:"masked,omitempty"`    // secrets in its text
}

// A sure answer says how complete it is.
type sure struct {
	Complete   bool     `json:"complete"`
	OpenCalls  int      `json:"open_calls"`
	Incomplete []string `json:"incomplete,omitempty"`
}

// A paged answer says how much there is.
type paged struct {
	Total      int  `json:"total"`
	Truncated  bool `json:"truncated"`
	NextOffset int  `json:"next_offset,omitempty"`
}

// next is the offset of the next page; 0 on the last one.
func (p *paged) next() int { return p.NextOffset }

type place struct {
	Symbol  string `json:"symbol"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Changed bool   `json:"changed,omitempty"`
}

type definition struct {
	place
	EndLine   int    `json:"end_line"`
	Kind      string `json:"kind"`
	Signature string `json:"signature"`
}

// about is what answers around a target have in common.
type about struct {
	Definition   *definition `json:"definition,omitempty"` // absent for a file
	Alternatives []place     `json:"alternatives,omitempty"`
}

type found struct {
	Results []result      `json:"results"`
	Index   indexed       `json:"index"`
	Unasked *wire.Unasked `json:"unasked,omitempty"` // of a gateway's repositories
	Meta    meta          `json:"meta"`
}

type result struct {
	Project   string  `json:"project,omitempty"` // of a gateway's repositories
	File      string  `json:"file"`
	Line      int     `json:"line"`
	EndLine   int     `json:"end_line"`
	Symbol    string  `json:"symbol,omitempty"`
	Kind      string  `json:"kind,omitempty"`
	Role      string  `json:"role,omitempty"`
	Signature string  `json:"signature"`
	Score     float64 `json:"score"`
	Changed   bool    `json:"changed,omitempty"`
	Brief     bool    `json:"brief,omitempty"`
	Sent      bool    `json:"sent,omitempty"`
	Why       *why    `json:"why,omitempty"`
	Content   string  `json:"content,omitempty"`
}

type why struct {
	Words   []string `json:"words"`
	Symbol  string   `json:"symbol,omitempty"`
	Meaning *float64 `json:"meaning,omitempty"`
}

type around struct {
	about
	Searched bool    `json:"searched,omitempty"`
	Text     string  `json:"text"`
	Tokens   int     `json:"tokens"`
	Index    indexed `json:"index"`
	Meta     meta    `json:"meta"`
	sure
	paged
}

type caller struct {
	place
	Signature  string `json:"signature,omitempty"`
	Depth      int    `json:"depth"`
	Via        *place `json:"via,omitempty"` // beyond the first step
	CallSites  []int  `json:"call_sites"`
	Kind       string `json:"kind"`
	Confidence string `json:"confidence"`
	Test       bool   `json:"test,omitempty"`
	Project    string `json:"project,omitempty"`
}

type affected struct {
	about
	Callers   []caller        `json:"callers"`
	Ambiguous []caller        `json:"ambiguous"`
	Counts    affectedCounts  `json:"counts"`
	Tests     []string        `json:"tests"`
	TestsMore int             `json:"tests_more,omitempty"`
	Files     []string        `json:"files"`
	FilesMore int             `json:"files_more,omitempty"`
	Edited    []edited        `json:"changed,omitempty"` // by the diff
	LeftOut   []leftOut       `json:"left_out,omitempty"`
	LeftMore  int             `json:"left_out_more,omitempty"`
	Lost      []lost          `json:"unfollowed,omitempty"`
	LostMore  int             `json:"unfollowed_more,omitempty"`
	Across    *affectedAcross `json:"across,omitempty"` // in other projects
	Index     indexed         `json:"index"`
	Meta      meta            `json:"meta"`
	sure
	paged
}

type affectedCounts struct {
	Callers   int `json:"callers"`
	Ambiguous int `json:"ambiguous"`
}

type edited struct {
	place
	Kind   string `json:"kind"`
	Change string `json:"change"`
}

type lost struct {
	place
	Kind     string `json:"kind,omitempty"`
	Reason   string `json:"reason"`
	Mentions int    `json:"mentions"`
}

type leftOut struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

type affectedAcross struct {
	Callers    []caller `json:"callers"`
	Total      int      `json:"total"`
	Truncated  bool     `json:"truncated"`
	Complete   bool     `json:"complete"`
	Incomplete []string `json:"incomplete,omitempty"`
}

type deadSymbol struct {
	place
	Kind       string `json:"kind"`
	Confidence string `json:"confidence"`
	Reason     string `json:"reason"`
	Why        string `json:"why,omitempty"`
}

type deadCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

type edge struct {
	From       end    `json:"from"`
	To         end    `json:"to"`
	Line       int    `json:"line"` // of the call, in the file of from
	Kind       string `json:"kind"`
	Confidence string `json:"confidence"`
	Depth      int    `json:"depth,omitempty"`
	Test       bool   `json:"test,omitempty"`
}

// An end of a call may be outside the index, with neither file nor line.
type end struct {
	Project  string `json:"project,omitempty"`
	Symbol   string `json:"symbol"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	External bool   `json:"external,omitempty"`
	Changed  bool   `json:"changed,omitempty"`
}

type edges struct {
	about
	Edges      []edge       `json:"edges"`
	Ambiguous  []edge       `json:"ambiguous"`
	Unresolved []open       `json:"unresolved"`
	Counts     counts       `json:"counts"`
	Across     *edgesAcross `json:"across,omitempty"` // to and from other projects
	Index      indexed      `json:"index"`
	Meta       meta         `json:"meta"`
	sure
	paged
}

type open struct {
	From   place  `json:"from"`
	Name   string `json:"name"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Test   bool   `json:"test,omitempty"`
}

type counts struct {
	Edges      int `json:"edges"`
	Ambiguous  int `json:"ambiguous"`
	Unresolved int `json:"unresolved"`
	External   int `json:"external"`
}

type edgesAcross struct {
	Calls      []edge   `json:"calls"`
	Total      int      `json:"total"`
	Truncated  bool     `json:"truncated"`
	Complete   bool     `json:"complete"`
	Incomplete []string `json:"incomplete,omitempty"`
}

type reference struct {
	place
	Column     int    `json:"column"`
	Kind       string `json:"kind"`
	Confidence string `json:"confidence"`
	Test       bool   `json:"test,omitempty"`
}

// A meaning is what a name in a line means.
type meaning struct {
	File        string    `json:"file"`
	Name        string    `json:"name"`
	Line        int       `json:"line"`
	Column      int       `json:"column,omitempty"`
	Definitions []defined `json:"definitions"`
	Ambiguous   []defined `json:"ambiguous"`
	Local       *variable `json:"local,omitempty"`
	Index       indexed   `json:"index"`
	Meta        meta      `json:"meta"`
	Complete    bool      `json:"complete"`
	Incomplete  []string  `json:"incomplete,omitempty"`
	Total       int       `json:"total"`
	Truncated   bool      `json:"truncated"`
}

type defined struct {
	definition
	Confidence string `json:"confidence"`
}

type variable struct {
	Line   int    `json:"line"` // where it is declared
	Symbol string `json:"symbol"`
}

type referenced struct {
	about
	References []reference     `json:"references"`
	Ambiguous  []reference     `json:"ambiguous"`
	Counts     referenceCounts `json:"counts"`
	Index      indexed         `json:"index"`
	Meta       meta            `json:"meta"`
	Complete   bool            `json:"complete"`
	Incomplete []string        `json:"incomplete,omitempty"`
	paged
}

type referenceCounts struct {
	References int `json:"references"`
	Ambiguous  int `json:"ambiguous"`
}

type traced struct {
	about
	To       *definition `json:"to,omitempty"`
	Callers  []caller    `json:"callers"`
	Callees  []caller    `json:"callees"`
	Paths    []chain     `json:"paths,omitempty"`
	Backward bool        `json:"backward,omitempty"`
	Index    indexed     `json:"index"`
	Meta     meta        `json:"meta"`
	sure
	paged
}

type chain struct {
	Hops       []edge `json:"hops"`
	Confidence string `json:"confidence"`
}

type outlined struct {
	about
	Text        string    `json:"text"`
	Tokens      int       `json:"tokens"`
	LeftOut     []leftOut `json:"left_out,omitempty"`
	LeftOutMore int       `json:"left_out_more,omitempty"`
	Index       indexed   `json:"index"`
	Meta        meta      `json:"meta"`
	paged
}

type read struct {
	File        string   `json:"file"`
	Start       int      `json:"start"`
	Content     string   `json:"content"`
	Breadcrumbs []string `json:"breadcrumbs"`
	Changed     bool     `json:"changed,omitempty"`
	Clamped     []string `json:"clamped,omitempty"`
	Index       indexed  `json:"index"`
	Meta        readMeta `json:"meta"`
}

type readMeta struct {
	Lines     int    `json:"lines"`
	Size      int64  `json:"size,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	Type      string `json:"content_type,omitempty"`
	Masked    int    `json:"masked,omitempty"`
}

type summarized struct {
	Summary      string   `json:"summary"`
	Level        string   `json:"level"`
	Kind         string   `json:"kind"`
	TokensIn     int      `json:"tokens_in"`
	TokensOut    int      `json:"tokens_out"`
	Fallback     bool     `json:"fallback"`
	Truncated    bool     `json:"truncated"`
	Files        []string `json:"files,omitempty"`
	Alternatives []place  `json:"alternatives,omitempty"`
	Index        indexed  `json:"index"`
	Meta         meta     `json:"meta"`
}

type state struct {
	Version  string      `json:"version"`
	Root     string      `json:"root"`
	Index    stateIndex  `json:"index"`
	Coverage coverage    `json:"coverage"`
	Model    *stateModel `json:"model,omitempty"`
	NoModel  string      `json:"no_model,omitempty"`
	Projects []project   `json:"projects"`
}

type stateIndex struct {
	indexed
	Files       int    `json:"files"`
	Symbols     int    `json:"symbols"`
	LastIndexed string `json:"last_indexed_at,omitempty"`
	LastError   string `json:"last_error,omitempty"`
}

type coverage struct {
	Indexed     int            `json:"indexed"`
	Skipped     int            `json:"skipped"`
	Reasons     map[string]int `json:"reasons"`
	Languages   map[string]int `json:"languages"`
	NoGrammar   int            `json:"no_grammar"`
	ParseErrors int            `json:"parse_errors"`
	Unparsed    map[string]int `json:"unparsed"`
}

type stateModel struct {
	Name string `json:"name"`
}

type project struct {
	Name   string `json:"name"`
	Root   string `json:"root"`
	Loaded bool   `json:"loaded"`
	State  string `json:"state"`
}
