package wire

import (
	"time"
)

// A Status is everything the server knows about itself.
type Status struct {
	Name          string      `json:"name"`
	Version       string      `json:"version"`
	Capabilities  []string    `json:"capabilities"` // what a client may rely on: names of endpoints
	Root          string      `json:"root"`
	PID           int         `json:"pid"`
	UptimeSeconds int         `json:"uptime_s"`
	URL           string      `json:"url"`     // where HTTP is served
	Sockets       []string    `json:"sockets"` // paths of Unix sockets
	Index         StatusIndex `json:"index"`
	Coverage      Coverage    `json:"coverage"`
	Model         *Model      `json:"model"`              // what computes the vectors; nil when there are none: see NoModel
	NoModel       string      `json:"no_model,omitempty"` // why Model is nil; only then it is not empty
	Watcher       *Watcher    `json:"watcher"`            // nil when there is none
	// All of them, the first one first. Root, Index, Coverage and Watcher are those of the
	// one asked for.
	Projects    []ProjectInfo `json:"projects"`
	Sessions    []SessionUse  `json:"sessions"`    // of the project asked for, the last used first; the first 100
	Memory      Memory        `json:"memory"`      // where the memory of the process goes
	Descriptors *Descriptors  `json:"descriptors"` // of files and connections; nil where the system does not tell
	Limits      Limits        `json:"limits"`
	Ignored     []string      `json:"ignored,omitempty"` // fields of the request that the endpoint does not have
}

// A SessionUse says what a session was sent of a project, as far as it is remembered, and what
// reading the files whole would have cost. Four characters are a token.
type SessionUse struct {
	ID         string    `json:"id"`          // the first eight characters of it
	TokensSent int       `json:"tokens_sent"` // of all answers
	TokensRaw  int       `json:"tokens_raw"`  // of the files that each of them named, whole
	LastUsed   time.Time `json:"last_used"`
}

// Descriptors is how many files and connections the server has open, and may have.
type Descriptors struct {
	Open  int   `json:"open"`
	Limit int64 `json:"limit"` // 0: none, or not known
}

// A Model computes the vectors.
type Model struct {
	Name      string `json:"name"`
	Dimension int    `json:"dim"`     // length of a vector
	Backend   string `json:"backend"` // one of onnxruntime, go
	Reason    string `json:"reason"`  // why this backend
	SHA256    string `json:"sha256"`  // of the model file
}

// A Watcher is what the file watcher says of itself.
type Watcher struct {
	// Where it knows changes from: the kernel, its own look at the files, or some of both. One of
	// fsnotify, poll, mixed.
	Mode      string    `json:"mode,omitempty"`
	Reason    string    `json:"reason,omitempty"`    // why it polls
	Watches   int       `json:"watches,omitempty"`   // folders watched by the kernel
	Polled    int       `json:"polled,omitempty"`    // folders polled
	Limit     int       `json:"limit,omitempty"`     // folders that the kernel is asked to watch at most, of a project
	Granted   int       `json:"granted,omitempty"`   // folders that the kernel watches for all programs of a user
	Events    int       `json:"events,omitempty"`    // changes seen
	Batches   int       `json:"batches,omitempty"`   // batches of changes given to the index
	Failures  int       `json:"failures,omitempty"`  // batches that the index could not take
	Overflows int       `json:"overflows,omitempty"` // times that the kernel lost notices
	LastEvent time.Time `json:"last_event,omitzero"` // zero before the first
	LastError string    `json:"last_error,omitempty"`
}

// MarshalJSON returns what Shown does as JSON.
func (w Watcher) MarshalJSON() ([]byte, error) { return encoded(w.Shown()) }

// Shown shows all counts, also where they are zero, and null for the time of no change.
func (w Watcher) Shown() any {
	return struct {
		Mode      string     `json:"mode"`
		Reason    string     `json:"reason,omitempty"`
		Watches   int        `json:"watches"`
		Polled    int        `json:"polled"`
		Limit     int        `json:"limit"`
		Granted   int        `json:"granted"`
		Events    int        `json:"events"`
		Batches   int        `json:"batches"`
		Failures  int        `json:"failures"`
		Overflows int        `json:"overflows"`
		LastEvent *time.Time `json:"last_event"`
		LastError string     `json:"last_error,omitempty"`
	}{w.Mode, w.Reason, w.Watches, w.Polled, w.Limit, w.Granted, w.Events, w.Batches, w.Failures, w.Overflows, timeOrNull(w.LastEvent), w.LastError}
}

// timeOrNull is null in JSON for the zero time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// A Memory says where the memory of the process goes.
type Memory struct {
	BudgetBytes   int64 `json:"budget_bytes"`   // what --memory allows; 0: no bound
	ResidentBytes int64 `json:"resident_bytes"` // what the system says; 0: not known
	ParserBytes   int64 `json:"parser_bytes"`   // of the processes that parse files, besides that
	HeapBytes     int64 `json:"heap_bytes"`     // in use, of Go
	FreeBytes     int64 `json:"free_bytes"`     // held and not in use, of Go
	EvictedTotal  int64 `json:"evicted_total"`  // times that a project was put on disk to make room
	RefusedTotal  int64 `json:"refused_total"`  // requests that were answered 503 for want of memory
}

// Limits are the bounds that the server keeps.
type Limits struct {
	BodyBytes     int64 `json:"body_bytes"` // of a request
	QueryBytes    int64 `json:"query_bytes"`
	Limit         int   `json:"limit"`          // results of a search
	PerFile       int   `json:"per_file"`       // results of one file
	ResponseBytes int64 `json:"response_bytes"` // of a search's response, beyond which its last results are left out
	TimeoutMS     int   `json:"timeout_ms"`     // that a search may take, in milliseconds
	Slots         int   `json:"slots"`          // cheap requests that are at work at once
	HeavySlots    int   `json:"heavy_slots"`    // heavy requests
	Queue         int   `json:"queue"`          // requests of a class that wait before more are refused
	Connections   int   `json:"connections"`    // of HTTP that are open at once; what comes on more is refused
}

// A StatusIndex is an index with its sizes.
type StatusIndex struct {
	State         State     `json:"state"`
	Generation    uint64    `json:"generation"` // grows with every commit to the index
	Progress      float64   `json:"progress"`
	Vectors       float64   `json:"vectors"`
	Refined       *float64  `json:"refined,omitempty"`      // share of the chunks whose vector has been refined; nil: the model has one kind of vectors
	RefineError   string    `json:"refine_error,omitempty"` // why vectors are not refined until the next build; "": they are
	Freshness     Freshness `json:"freshness"`
	Pending       int       `json:"pending"`
	Paused        string    `json:"paused,omitempty"` // why indexing does not go on now; "": it does
	Root          string    `json:"root"`
	Files         int       `json:"files"`
	Chunks        int       `json:"chunks"`
	Symbols       int       `json:"symbols"`
	References    int       `json:"references"`
	Terms         int       `json:"terms"` // distinct words
	SourceBytes   int64     `json:"source_bytes"`
	LastIndexedAt time.Time `json:"last_indexed_at"`       // zero before the first commit
	LastCommit    string    `json:"last_commit,omitempty"` // of the git work tree, when the last build began
	LastError     string    `json:"last_error,omitempty"`
	BuildSeconds  float64   `json:"build_seconds"` // of the last whole build
	// The snapshot that the index began with; nil where it was built from nothing.
	Snapshot  *IndexSnapshot `json:"snapshot"`
	SCIPFiles int            `json:"scip_files"` // of which SCIP indexes say what is named there, as they have not changed since
	// What the index takes, about, by its parts: the compressed texts and lowered forms, symbols
	// and chunks, postings, vectors, the call graph.
	MemoryBytes IndexMemory `json:"memory_bytes"`
}

// MarshalJSON returns what Shown does as JSON.
func (s StatusIndex) MarshalJSON() ([]byte, error) { return encoded(s.Shown()) }

// Shown shows null for the time of no commit.
func (s StatusIndex) Shown() any {
	type plain StatusIndex
	return struct {
		plain
		LastIndexedAt *time.Time     `json:"last_indexed_at"`
		LastCommit    string         `json:"last_commit,omitempty"`
		LastError     string         `json:"last_error,omitempty"`
		BuildSeconds  float64        `json:"build_seconds"`
		Snapshot      *IndexSnapshot `json:"snapshot"`
		MemoryBytes   IndexMemory    `json:"memory_bytes"`
	}{plain(s), timeOrNull(s.LastIndexedAt), s.LastCommit, s.LastError, s.BuildSeconds, s.Snapshot, s.MemoryBytes}
}

// An IndexSnapshot says which snapshot an index began with, and what of it was proved. What
// it says of its maker it says of itself, unless Trusted.
type IndexSnapshot struct {
	Program  string    `json:"program"`          // that made it; "": it does not say
	MadeBy   string    `json:"made_by"`          // the job or machine; "": it does not say
	Root     string    `json:"root"`             // of which it was made; "": it is portable
	Commit   string    `json:"commit"`           // of the work tree that it was made of; "": none
	MadeAt   time.Time `json:"made_at,omitzero"` // zero: it does not say
	ID       string    `json:"id"`               // SHA-256 of all that it holds, in hexadecimal
	Verified bool      `json:"verified"`         // all that was read is what its hashes say
	SignedBy string    `json:"signed_by"`        // fingerprint of the key; "": unsigned
	Trusted  bool      `json:"trusted"`          // that key had to sign it
	Delta    bool      `json:"delta"`            // what had changed since was in a delta, which nobody signs
	Texts    int       `json:"texts"`            // of files
	Proved   int       `json:"texts_verified"`   // that are what the hashes of their files say
	Rebuilt  []string  `json:"rebuilt"`          // files whose texts are not, which are indexed again; the first 100
	NRebuilt int       `json:"rebuilt_total"`    // how many these are
}

// An IndexMemory says what the parts of the index take, about, in bytes.
type IndexMemory struct {
	Text     int64 `json:"text"`
	Symbols  int64 `json:"symbols"`
	Words    int64 `json:"words"`
	Vectors  int64 `json:"vectors"`
	Graph    int64 `json:"graph"`
	Overlays int64 `json:"overlays"` // copies that requests with an overlay have
}

// A Coverage says what is in the index and what is not. Every file that the ignore rules
// admit is counted once, as indexed or as skipped.
type Coverage struct {
	Indexed     int            `json:"indexed"`
	Skipped     int            `json:"skipped"`
	Reasons     map[string]int `json:"reasons"` // skipped files by reason
	Files       []SkippedFile  `json:"files"`
	Truncated   bool           `json:"truncated"`    // the list of files is not all
	Pending     int            `json:"pending"`      // files and folders that cannot be read now and are read again until they can; what was indexed of them stays
	Languages   map[string]int `json:"languages"`    // indexed files by language; text where none is known
	NoGrammar   int            `json:"no_grammar"`   // indexed without a syntax tree
	ParseErrors int            `json:"parse_errors"` // indexed, with errors in the syntax tree
	// Indexed as text, although there is a grammar, by reason, such as parser_crashed: its code
	// did not survive the file. Then those, by path, as many as Files has at most.
	Unparsed      map[string]int `json:"unparsed"`
	UnparsedFiles []SkippedFile  `json:"unparsed_files"`
	Source        string         `json:"source"` // who decided what is ignored: git or gitignore files, or snapshot where there is no folder
	// SourceReason says why git was not asked although there is a repository, or which
	// repositories in the root it was not asked about; "": neither.
	SourceReason string `json:"source_reason,omitempty"`
}

// A SkippedFile is a file that is not indexed, and why.
type SkippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// A StatusRequest asks for the status.
type StatusRequest struct {
	Skipped *int   `json:"skipped,omitempty" min:"0" max:"10000" default:"100"` // entries of Coverage.Files at most, from 0; nil: 100; at most 10000
	Project string `json:"project,omitempty"`                                   // by name or root; empty: the first
	Strict  bool   `json:"strict,omitempty"`                                    // a field that the endpoint does not have is an error
}

// A HealthRequest asks whether the server lives.
type HealthRequest struct{}

// A ReadyRequest asks whether answers come from whole indexes.
type ReadyRequest struct {
	Project string `json:"project,omitempty"` // by name or root; empty: all of them
	One     bool   // a project was named, be it by the empty name of the first
}

// A Health says that the server lives.
type Health struct {
	Status        string `json:"status"`
	Indexing      bool   `json:"indexing,omitempty"` // the first build runs
	Version       string `json:"version,omitempty"`
	Root          string `json:"root,omitempty"`
	Generation    uint64 `json:"generation,omitempty"` // grows with every commit to the index
	Files         int    `json:"files,omitempty"`
	Chunks        int    `json:"chunks,omitempty"`
	UptimeSeconds int    `json:"uptime_s,omitempty"` // seconds since the start
	// Why indexing of some project does not go on now; "": it does.
	Paused string `json:"paused,omitempty"`
	// Of all projects, where there are several; Root and the counts are the first one's.
	Roots []string `json:"roots,omitempty"`
	// A random word of the server's; only where it asks for a token that was not shown. Of
	// the other fields, Status alone is set then.
	Instance string `json:"instance,omitempty"`
}

// MarshalJSON returns what Shown does as JSON.
func (h Health) MarshalJSON() ([]byte, error) { return encoded(h.Shown()) }

// Shown shows all that a server tells, also where it is zero; of one that is asked without
// its token, little.
func (h Health) Shown() any {
	type plain Health
	if h.Instance != "" {
		return plain(h)
	}
	return struct {
		Status     string   `json:"status"`
		Indexing   bool     `json:"indexing"`
		Version    string   `json:"version"`
		Root       string   `json:"root"`
		Generation uint64   `json:"generation"`
		Files      int      `json:"files"`
		Chunks     int      `json:"chunks"`
		Uptime     int      `json:"uptime_s"`
		Paused     string   `json:"paused,omitempty"`
		Roots      []string `json:"roots,omitempty"`
	}{h.Status, h.Indexing, h.Version, h.Root, h.Generation, h.Files, h.Chunks, h.UptimeSeconds, h.Paused, h.Roots}
}

// A Ready says whether answers come from whole indexes.
type Ready struct {
	Ready bool  `json:"ready"`
	Index Index `json:"index,omitzero"` // zero where the server asks for a token that was not shown
}

// A Version says what the program was built from.
type Version struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`   // that the program was built from
	Modified bool   `json:"modified,omitempty"` // it was built from changed files
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// The most that a request may ask for; the server lowers what is above that.
const (
	MaxLimit       = 100    // results of a search, skeletons, neighbours of a trace
	MaxPerFile     = 10     // results of a search from one file
	MaxSteps       = 10     // steps through the call graph
	MaxImpact      = 100    // steps of an impact
	MaxFlow        = 10_000 // blocks, pairs or lines
	MaxEdges       = 1000   // calls, or callers of an impact
	MaxFiles       = 5000   // files of a structure
	MaxDifferences = 10_000 // of a verification
)
